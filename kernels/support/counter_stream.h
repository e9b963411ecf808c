// The counter-based stream that tests feed to both a kernel body and the reference.
//
// Threefry4x32-20 (Salmon et al., SC 2011) from Random123: word k of stream s is a pure function of
// (seed, s, k), on host and device. So a replay needs no state. Not Philox: Random123's and
// cuRAND's headers of that name cannot be included together.
#pragma once

#include <Random123/threefry.h>

#include <cstdint>

#include "kernels/support/host_device.h"

namespace ratchet {

/// The k-th 32-bit word of stream `stream` under `seed`.
RATCHET_HD inline std::uint32_t counter_word32(std::uint64_t seed, std::uint64_t stream,
                                               std::uint64_t k) {
  const r123::Threefry4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(k >> 2), static_cast<std::uint32_t>(k >> 34),
       static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}};
  const r123::Threefry4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0}};
  return r123::Threefry4x32()(counter, key)[k & 3];
}

/// The k-th 64-bit word: 32-bit words 2k (low half) and 2k+1 (high half).
RATCHET_HD inline std::uint64_t counter_word64(std::uint64_t seed, std::uint64_t stream,
                                               std::uint64_t k) {
  return counter_word32(seed, stream, 2 * k) |
         static_cast<std::uint64_t>(counter_word32(seed, stream, 2 * k + 1)) << 32;
}

}  // namespace ratchet
