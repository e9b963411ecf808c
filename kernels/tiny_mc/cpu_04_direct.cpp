// tiny_mc/cpu/04_direct
// Changed:  the direction from the text's polar form, put right: a height w uniform on (-1, 1) and
// an
//           angle, where the disc's radius sqrt(xi) gives w = 2 xi - 1 at once. The angle is a half
//           octant from a polynomial and two random bits that turn and mirror it. A shorter
//           logarithm.
// Why:      no loop, no division: every lane has its direction after one draw.
// Expected: 1.5 times 02: three rows of random words instead of 6.3, two roots instead of two and a
//           division.
// Got:      @@GOT@@
// Source:   001_eee42e3199c1680c.txt, "Calculo de nueva direccion del foton" (formula corrected).

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tiny_mc/cpu_04_direct.cpp"
// foreach_target.h stands before all else of Highway.
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/contrib/math/math-inl.h"
#include "kernels/support/rng/xoshiro256plus-inl.h"
#include "kernels/tiny_mc/cpu_bodies.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ratchet::tiny_mc::HWY_NAMESPACE {
namespace {

#include "kernels/tiny_mc/cpu_vector_walk-inl.h"

/// Sine and cosine of pi/4 q, |q| < 1, by the least relative error: 3e-9 and 3e-8.
HWY_INLINE void half_octant(Row q, Row& sine, Row& cosine) {
  const Floats f;
  const Row q2 = hn::Mul(q, q);
  constexpr float kS[] = {0.785398161f, -0.0807454325f, 0.00249000103f, -3.59504581e-05f};
  constexpr float kC[] = {0.999999967f, -0.308424166f, 0.0158496845f, -0.000318728066f};
  Row s = hn::Set(f, kS[3]), c = hn::Set(f, kC[3]);
  for (int i = 2; i >= 0; --i) {
    s = hn::MulAdd(s, q2, hn::Set(f, kS[i]));
    c = hn::MulAdd(c, q2, hn::Set(f, kC[i]));
  }
  sine = hn::Mul(s, q);
  cosine = c;
}

/// A point of the unit circle: the quarter about the first axis by the high bits of a word, then a
/// turn onto the second axis and a change of the sign by two of the nine that are left.
HWY_INLINE void circle(hn::Vec<Words32> word, Row& x, Row& y) {
  const Floats f;
  const Words32 bits;
  Row sine, cosine;
  half_octant(RowWords::centred(word, 0x1p-22f), sine, cosine);
  const auto turned = hn::TestBit(word, hn::Set(bits, 0x100u));
  const auto sign = hn::And(hn::ShiftLeft<24>(word), hn::Set(bits, 0x80000000u));  // bit 7
  cosine = hn::BitCast(f, hn::Xor(hn::BitCast(bits, cosine), sign));
  const auto swap = hn::RebindMask(f, turned);
  x = hn::IfThenElse(swap, sine, cosine);
  y = hn::IfThenElse(swap, cosine, sine);
}

struct Direct {
  static constexpr std::size_t kFields = 3;

  template <class Seen>
  static HWY_INLINE Row step(RowWords& words, Row scale, Row (&at)[3], Seen& seen) {
    const Row t = ShortLog::minus_log(words.unit(), scale);
    const Row w = words.cosine();
    Row x, y;
    circle(words.word(), x, y);
    const Row s = hn::Sqrt(hn::NegMulAdd(w, w, hn::Set(Floats(), 1.0f)));
    const Row ts = hn::Mul(t, s);
    seen.step(t);
    seen.direction(hn::Mul(x, s), hn::Mul(y, s), w);
    at[0] = hn::MulAdd(ts, x, at[0]);
    at[1] = hn::MulAdd(ts, y, at[1]);
    at[2] = hn::MulAdd(t, w, at[2]);
    return hn::Sqrt(hn::MulAdd(at[0], at[0], hn::MulAdd(at[1], at[1], hn::Mul(at[2], at[2]))));
  }
};

Body make_direct_body() { return {&simulate_chunk<Direct>, &record_chunk<Direct>}; }

}  // namespace
}  // namespace ratchet::tiny_mc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::tiny_mc {

HWY_EXPORT(make_direct_body);

Body direct_body() { return HWY_DYNAMIC_DISPATCH(make_direct_body)(); }

namespace {

const Registration registered{std::make_unique<CpuStage>(
    cpu_stage_info("tiny_mc/cpu/04_direct",
                   "The direction from a height and an angle, without rejection",
                   "Calculo de nueva direccion del foton", {}, 400'000),
    Walk::full, direct_body())};

}  // namespace
}  // namespace ratchet::tiny_mc
#endif  // HWY_ONCE
