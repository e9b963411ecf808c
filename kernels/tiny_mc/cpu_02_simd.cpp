// tiny_mc/cpu/02_simd
// Changed:  photons in the lanes of a vector, compiled for the best instruction set found at run
//           time; the rejection loop goes on until every lane has its point. The chunk of photons
//           moves on collision by collision, and tallies are counts.
// Why:      sixteen photons an instruction with AVX-512, eight with AVX2.
// Expected: 6 to 8 times 01: the rejection loop runs 2.7 times for sixteen lanes, 1.27 times for
//           one.
// Source:   barufa, "Calculo de nueva direccion del foton": the method of the
//           reports before it, whose CPU column its tables keep.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tiny_mc/cpu_02_simd.cpp"
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

/// A point of the unit disc in every lane, by rejection, carried to the sphere.
struct Rejection {
  static constexpr std::size_t kFields = 3;

  template <class Words, class Seen>
  static HWY_INLINE Row step(Words& words, Row scale, Row (&at)[3], Seen& seen) {
    const Floats f;
    const Row one = hn::Set(f, 1.0f);
    const Row t = LibraryLog::minus_log(words.unit(), scale);
    seen.step(t, words);
    Row x1 = words.cosine(), x2 = words.cosine();
    seen.two_words(words);
    Row square = hn::MulAdd(x1, x1, hn::Mul(x2, x2));
    for (auto outside = hn::Gt(square, one); !hn::AllFalse(f, outside);
         outside = hn::Gt(square, one)) {
      x1 = hn::IfThenElse(outside, words.cosine(), x1);
      x2 = hn::IfThenElse(outside, words.cosine(), x2);
      seen.two_words(words, outside);
      square = hn::MulAdd(x1, x1, hn::Mul(x2, x2));
    }
    const Row u = hn::Sub(hn::Add(square, square), one);
    const Row s = hn::Sqrt(hn::Div(hn::NegMulAdd(u, u, one), square));
    const Row v = hn::Mul(x1, s), w = hn::Mul(x2, s);
    seen.direction(u, v, w);
    at[0] = hn::MulAdd(t, u, at[0]);
    at[1] = hn::MulAdd(t, v, at[1]);
    at[2] = hn::MulAdd(t, w, at[2]);
    return hn::Sqrt(hn::MulAdd(at[0], at[0], hn::MulAdd(at[1], at[1], hn::Mul(at[2], at[2]))));
  }
};

Body make_rejection_body() { return {&simulate_chunk<Rejection>, &record_chunk<Rejection>}; }

}  // namespace
}  // namespace ratchet::tiny_mc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::tiny_mc {

HWY_EXPORT(make_rejection_body);

Body rejection_body() { return HWY_DYNAMIC_DISPATCH(make_rejection_body)(); }

namespace {

const Registration registered{
    std::make_unique<CpuStage>(stage_info({.name = RATCHET_STAGE,
                                           .summary = "A photon in each vector lane, by rejection",
                                           .source = text("Calculo de nueva direccion del foton"),
                                           .limit = {"cpu.vector_ops", kRejectionOps},
                                           .parameters = common_parameters(400'000)}),
                               Walk::full, rejection_body(), kRejectionDraws)};

}  // namespace
}  // namespace ratchet::tiny_mc
#endif  // HWY_ONCE
