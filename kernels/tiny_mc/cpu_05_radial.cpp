// tiny_mc/cpu/05_radial
// Changed:  of the position only the distance r from the centre is kept: r^2 becomes
//           r^2 + t^2 + 2 r t mu, mu the cosine between the step and the radius vector.
// Why:      scattering is isotropic, so mu is uniform on (-1, 1) whatever came before, and the
//           shells are spheres: heat per shell has exactly the same law. Two rows of random words
//           instead of three, a third of the memory, one root, no angle. What needs x, y and z is
//           another problem, so this is a row of its own.
// Expected: twice 04, three times 02.
//           In fact less than twice 04: counting a photon in its shell is no cheaper than before,
//           and takes two fifths of the time by now.
// Source:   ratchet.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tiny_mc/cpu_05_radial.cpp"
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

struct Radial {
  static constexpr std::size_t kFields = 1;

  template <class Words, class Seen>
  static HWY_INLINE Row step(Words& words, Row scale, Row (&at)[1], Seen& seen) {
    const Floats f;
    const Row t = ShortLog::minus_log(words.unit(), scale);
    seen.step(t, words);
    const Row twice_mu = RowWords::centred(words.word(), 0x1p-21f);
    seen.one_word(words);
    seen.direction(hn::Zero(f), hn::Zero(f), hn::Mul(twice_mu, hn::Set(f, 0.5f)));
    const Row along = hn::MulAdd(t, twice_mu, at[0]);
    // Rounding may leave a little less than nothing near the centre.
    at[0] = hn::Sqrt(hn::Max(hn::MulAdd(at[0], along, hn::Mul(t, t)), hn::Zero(f)));
    return at[0];
  }
};

Body make_radial_body() { return {&simulate_chunk<Radial>, &record_chunk<Radial>}; }

}  // namespace
}  // namespace ratchet::tiny_mc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::tiny_mc {

HWY_EXPORT(make_radial_body);

Body radial_body() { return HWY_DYNAMIC_DISPATCH(make_radial_body)(); }

namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "Only the distance from the source is kept: r^2 + t^2 + 2 r t mu",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kRadialOps},
                .parameters = common_parameters(800'000)}),
    Walk::radial, radial_body(), kRadialDraws)};

}  // namespace
}  // namespace ratchet::tiny_mc
#endif  // HWY_ONCE
