// What float arithmetic may cost the text's kernel: a bound, level by level.
//
// With u = 2^-24 an addition in float errs by u times its result at most. A thread that adds P
// equal photons of d deposits to one sum makes P d additions, whose results grow evenly: it errs by
// u d (P + 1) / 2 of its sum. A block adds by shuffles (5 additions deep), atomically (as many as
// warps share an array) and by a tree (3 deep). The grid adds in double, and as printed in float.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

/// The shape of a run, as far as sums depend on it.
struct TextShape {
  double blocks = 1, warps_per_block = 1, photons_per_thread = 1;
  bool one_shell = false;
};

/// Relative error of the sums that blocks hand over, of `deposits` deposits of each photon on
/// average, a block having `arrays` arrays.
inline double three_level_rounding(const TextShape& shape, double deposits, double arrays) {
  const double additions = deposits * (shape.photons_per_thread + 1) / 2;
  const double thread = additions + 4 * std::sqrt(additions) + 4;  // few photons are not equal
  const double block = 5 + std::ceil(shape.warps_per_block / arrays) + 3;
  return 0x1p-24 * (thread + block);
}

/// What is added to it where B blocks are added to one float. Where their sums differ by more than
/// that float's last place and take many values, the B roundings are independent and uniform,
/// together u sqrt(B) / 3 of the sum in standard deviation; six of those are allowed. Where all
/// blocks add the same, with one shell, they may all round the same way: u B / 2. Blocks of a few
/// photons are between the two, for a shell that takes one deposit or none gets few values; there
/// this is too little.
inline double float_grid_rounding(const TextShape& shape) {
  return 0x1p-24 * (shape.one_shell ? shape.blocks / 2
                                    : std::min(shape.blocks / 2, 2 * std::sqrt(shape.blocks)));
}

/// Largest relative error of a deposit whose weight is multiplied in float from collision to
/// collision: computed, for all but one photon in 10^8.
inline double float_deposit_error(const Medium& medium) {
  constexpr std::size_t kGames = 8;
  const Schedule schedule = schedule_of(medium);
  const auto albedo = static_cast<float>(schedule.albedo);
  const auto survival = static_cast<float>(schedule.survival);
  float weight = 1;
  double worst = 0;
  for (std::size_t game = 0; game < std::min(kGames, schedule.rounds.size()); ++game) {
    double exact = (1 - schedule.albedo) * schedule.rounds[game].weight;
    for (std::uint32_t i = 0; i < schedule.rounds[game].collisions && exact > 0; ++i) {
      const float deposit = (1.0f - albedo) * weight;
      worst = std::max(worst, std::fabs(deposit / exact - 1));
      exact *= schedule.albedo;
      weight *= albedo;
    }
    weight /= survival;
  }
  return worst;
}

}  // namespace ratchet::tiny_mc
