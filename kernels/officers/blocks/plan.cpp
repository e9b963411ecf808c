#include "kernels/officers/blocks/plan.h"

#include <algorithm>

namespace ratchet::officers::blocks {

std::vector<std::uint32_t> step_ends(const std::vector<std::uint32_t>& rares, std::uint32_t block,
                                     std::uint32_t turns) {
  std::vector<std::uint32_t> ends(turns, static_cast<std::uint32_t>(rares.size()));
  for (std::uint32_t left = turns; left-- > 1;) {
    // Known are the blocks before the step's: those `left` + 1 or more before the one that reads.
    const auto known = static_cast<std::size_t>(
        std::partition_point(rares.begin(), rares.end(),
                             [&](std::uint32_t rare) {
                               return rare >> 8 >= (left + 1) * block;
                             }) -
        rares.begin());
    const std::size_t share = rares.size() * (turns - left) / (turns - 1);
    ends[left] = static_cast<std::uint32_t>(std::min(known, share));
  }
  return ends;
}

}  // namespace ratchet::officers::blocks
