// What the host prepares for the text's kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace ratchet::officers::blocks {

/// How many of `rares` (position << 8 | byte, descending) a block of `block` values has behind it
/// when so many steps are left to its last, of `turns` blocks of threads that take turns: equal
/// shares, as far as the values that they need are known by then. The last takes all that is left.
std::vector<std::uint32_t> step_ends(const std::vector<std::uint32_t>& rares, std::uint32_t block,
                                     std::uint32_t turns);

}  // namespace ratchet::officers::blocks
