// The officers game by its definition: the Grundy value of a heap of n is the least value that no
// move reaches, and a move takes one coin and leaves the rest in one heap or in two.
//
//   G(0) = G(1) = 0 (no move), G(n) = mex { G(i) xor G(n-1-i) : 0 <= i <= n-1 }
//
// Scalar, every split, nothing assumed of the values: the stages of kernels/officers are held
// against this. Source: mvr, "Officers on the GPU" (https://github.com/mvr/officers),
// "Sprague-Grundy Theory"; the text gives
// G(0) alone as base case, and G(1) needs to be one too, since a lone coin may not be taken.
#pragma once

#include <cstdint>
#include <vector>

namespace ratchet::reference::officers {

/// G(n) for n = values.size(), which holds G(0), G(1), ... G(n-1), or any start one likes.
std::uint32_t next_value(const std::vector<std::uint32_t>& values);

/// Appends `count` values, each after those before it.
void extend(std::vector<std::uint32_t>& values, std::uint64_t count);

/// G(0) ... G(count-1). Quadratic: a second for 2^15.
std::vector<std::uint32_t> grundy_values(std::uint64_t count);

}  // namespace ratchet::reference::officers
