// What the front kernel and its host agree on.
#pragma once

#include <cstdint>

#include "kernels/officers/device/control.h"

namespace ratchet::officers::front {

using namespace device;

/// Blocks of values on their way at once; more than there are preparing blocks.
inline constexpr std::uint32_t kSlots = 256;
/// Head positions that verification goes through: kDescending - 1 down to 0, then kHead - 1 down to
/// kDescending.
inline constexpr std::uint32_t kHead = 20480, kDescendingHead = 8192;

/// One launch: the values of `count` positions. Positions are counted from kKeep before the first.
struct Job {
  std::uint32_t count;
  std::uint32_t chunks;       ///< blocks of kBlock values, the last perhaps in part
  std::uint8_t* values;       ///< kKeep + chunks * kBlock
  std::uint64_t* fresh;       ///< [kSlots][kBlock / 4]: chunk + 1 << 32 | four values
  std::uint64_t* candidates;  ///< [kSlots][3, lean 2][kBlock]: chunk + 1 << 32 | three candidates
  const std::uint32_t* rares;  ///< position << 8 | byte, descending, all
  std::uint32_t all_rares;
  std::uint32_t far_rares;  ///< of them those at kLookback or more, which come first
  const std::uint32_t* head;       ///< kHead bytes in the order of verification
  const std::uint32_t* head_rare;  ///< 0xff where the head's value is rare
  std::uint32_t preparers, verifiers;  ///< blocks of threads, after the front's, which is the first
  std::uint32_t* undecided;            ///< [kMostUndecided]
  Control* control;
  std::uint64_t patience_ns;  ///< a wait that lasts longer ends the launch
};

}  // namespace ratchet::officers::front
