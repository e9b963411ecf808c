// What the text's kernels and their host agree on.
#pragma once

#include <cstdint>

#include "kernels/officers/device/control.h"

namespace ratchet::officers::blocks {

using namespace device;

/// Values that a block of threads keeps in shared memory, by position: all that options of known
/// rare positions read, and the block's own.
inline constexpr std::uint32_t kRing = 32768;
/// Blocks of values on their way at once, at most (whole.cuh).
inline constexpr std::uint32_t kSlots = 256;
/// Blocks of threads that take turns in steps, at most (steps.cuh).
inline constexpr std::uint32_t kMostTurns = 128;

/// One launch: `chunks` blocks of values, as many values each as a block has threads. Positions are
/// counted from kKeep before the first.
struct Job {
  std::uint32_t chunks;
  std::uint8_t* values;        ///< kKeep + a block's values times chunks
  const std::uint32_t* rares;  ///< position << 8 | byte, descending, all
  std::uint32_t all_rares;
  Control* control;
  std::uint64_t patience_ns;  ///< a wait that lasts longer ends the launch
  // In steps:
  const std::uint32_t* ends;  ///< [blocks of threads]: rares that a block of values has behind it
                              ///< when it is so many steps from its last
  std::uint32_t* masks;       ///< [blocks of threads][8][threads], from launch to launch
  // Speculating on whole blocks:
  std::uint64_t* fresh;  ///< [kSlots][threads / 4]: 2 (chunk + 1) + confirmed << 32 | four values
};

}  // namespace ratchet::officers::blocks
