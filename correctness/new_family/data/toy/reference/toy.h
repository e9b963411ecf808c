// The toy problem by its definition: ones in the binary digits of the first `words` numbers of
// SplitMix64 under `seed`. Source: ratchet.
#pragma once

#include <cstdint>

namespace ratchet::reference::toy {

std::uint64_t ones(std::uint64_t words, std::uint64_t seed);

}  // namespace ratchet::reference::toy
