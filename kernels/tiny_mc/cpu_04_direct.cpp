// tiny_mc/cpu/04_direct
// Changed:  the direction from the text's polar form, put right: a height w uniform on (-1, 1)
//           (with the disc's radius sqrt(xi), w = 2 xi - 1) and an angle. The angle is half an
//           octant by a polynomial, turned and mirrored by two more random bits. A shorter
//           logarithm.
// Why:      no loop, no division: every lane has its direction after one draw.
// Expected: 1.5 times 02: three rows of random words instead of six, two roots instead of two and
//           a division.
// Source:   barufa, "Calculo de nueva direccion del foton" (formula corrected).

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tiny_mc/cpu_04_direct.cpp"
// foreach_target.h stands before all else of Highway.
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/contrib/math/math-inl.h"
#include "kernels/support/rng/xoshiro256plus-inl.h"
#include "kernels/tiny_mc/walks/cpu_bodies.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ratchet::tiny_mc::HWY_NAMESPACE {
namespace {

#include "kernels/tiny_mc/walks/cpu_vector_walk-inl.h"
//
#include "kernels/tiny_mc/walks/cpu_circle-inl.h"

struct Direct {
  static constexpr std::size_t kFields = 3;

  template <class Words, class Seen>
  static HWY_INLINE Row step(Words& words, Row scale, Row (&at)[3], Seen& seen) {
    const Row t = ShortLog::minus_log(words.unit(), scale);
    seen.step(t, words);
    const Row w = words.cosine();
    Row x, y;
    circle(words.word(), x, y);
    seen.two_words(words);
    const Row s = hn::Sqrt(hn::NegMulAdd(w, w, hn::Set(Floats(), 1.0f)));
    const Row ts = hn::Mul(t, s);
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
    stage_info({.name = RATCHET_STAGE,
                .summary = "The direction from a height and an angle, without rejection",
                .source = text("Calculo de nueva direccion del foton"),
                .limit = {"cpu.vector_ops", kDirectOps},
                .parameters = common_parameters(400'000)}),
    Walk::full, direct_body(), kDirectDraws)};

}  // namespace
}  // namespace ratchet::tiny_mc
#endif  // HWY_ONCE
