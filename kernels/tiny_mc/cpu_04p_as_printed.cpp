// tiny_mc/cpu/04p_as_printed
// Changed:  04 with the text's formula as it stands: x1 = 2 r sin - 1, x2 = 2 r cos - 1.
// Why:      to show what it does. The scaling of the rejection method, from (0, 1) to (-1, 1), is
//           applied to a point that already lies in the unit disc: four directions in five are NaN,
//           and so is every photon's position soon. The text used it on the GPU only, where a NaN
//           falls into one shell, the last; here it falls into the first.
// Expected: wrong: 80 % NaN, most heat in the first shell. The speed of 04 or a little less: on a
//           CPU wrong photons are not done sooner.
// Source:   barufa, "Calculo de nueva direccion del foton" (as printed).

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tiny_mc/cpu_04p_as_printed.cpp"
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

struct Printed {
  static constexpr std::size_t kFields = 3;

  template <class Words, class Seen>
  static HWY_INLINE Row step(Words& words, Row scale, Row (&at)[3], Seen& seen) {
    const Floats f;
    const Row one = hn::Set(f, 1.0f), two = hn::Set(f, 2.0f);
    const Row t = ShortLog::minus_log(words.unit(), scale);
    seen.step(t, words);
    const Row r = hn::Mul(two, hn::Sqrt(words.unit()));
    Row sine, cosine;
    circle(words.word(), sine, cosine);
    seen.two_words(words);
    const Row x1 = hn::MulSub(r, sine, one), x2 = hn::MulSub(r, cosine, one);
    const Row square = hn::MulAdd(x1, x1, hn::Mul(x2, x2));
    const Row u = hn::MulSub(two, square, one);
    const Row s = hn::Sqrt(hn::Div(hn::NegMulAdd(u, u, one), square));
    const Row v = hn::Mul(x1, s), w = hn::Mul(x2, s);
    // As in the text, the first step is along an axis: only the first finds a photon at the centre.
    const auto first = hn::Eq(hn::Max(hn::Abs(at[0]), hn::Abs(at[2])), hn::Zero(f));
    const Row along[3] = {hn::IfThenZeroElse(first, u), hn::IfThenZeroElse(first, v),
                          hn::IfThenElse(first, one, w)};
    seen.fixed(first);
    seen.direction(along[0], along[1], along[2]);
    for (int i = 0; i < 3; ++i) at[i] = hn::MulAdd(t, along[i], at[i]);
    const Row radius =
        hn::Sqrt(hn::MulAdd(at[0], at[0], hn::MulAdd(at[1], at[1], hn::Mul(at[2], at[2]))));
    return hn::IfThenElseZero(hn::Ge(radius, hn::Zero(f)), radius);
  }
};

Body make_printed_body() { return {&simulate_chunk<Printed>, &record_chunk<Printed>}; }

}  // namespace
}  // namespace ratchet::tiny_mc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::tiny_mc {

HWY_EXPORT(make_printed_body);

namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "The text's polar formula as printed: most directions are NaN",
                .source = text("Calculo de nueva direccion del foton"),
                .parameters = common_parameters(400'000),
                .as_printed = true}),
    Walk::full, HWY_DYNAMIC_DISPATCH(make_printed_body)(),
    Draws{Draws::Unit::middles, Draws::Direction::printed_octant})};

}  // namespace
}  // namespace ratchet::tiny_mc
#endif  // HWY_ONCE
