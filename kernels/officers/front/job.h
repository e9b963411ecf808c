// What the front kernel and its host agree on.
#pragma once

#include <cstdint>

namespace ratchet::officers::front {

/// Values before the first of a launch that a launch works from.
inline constexpr std::uint32_t kKeep = 32768;
/// Blocks of values on their way at once; more than there are preparing blocks.
inline constexpr std::uint32_t kSlots = 256;
/// Head positions that verification goes through: kDescending - 1 down to 0, then kHead - 1 down to
/// kDescending.
inline constexpr std::uint32_t kHead = 20480, kDescendingHead = 8192;
inline constexpr std::uint32_t kMostUndecided = 65536;

enum class Role : std::uint32_t { none, front, preparer, verifier };
enum class Reason : std::uint32_t { none, waited_too_long, value_too_large };

/// What went wrong, and how much was done.
struct Control {
  std::uint32_t stop;    ///< Reason of the first to stop
  std::uint32_t role;    ///< who it was
  std::uint32_t at;      ///< its block of values, or the position, from the launch's first
  std::uint32_t progress;   ///< blocks of values that can be read
  std::uint32_t undecided;  ///< positions for the host to verify
  std::uint32_t deepest;
  unsigned long long verifying, rounds, exact;
};

/// One launch: the values of `count` positions. Positions are counted from kKeep before the first.
struct Job {
  std::uint32_t count;
  std::uint32_t chunks;       ///< blocks of kBlock values, the last perhaps in part
  std::uint8_t* values;       ///< kKeep + chunks * kBlock
  std::uint64_t* fresh;       ///< [kSlots][kBlock / 4]: chunk + 1 << 32 | four values
  std::uint64_t* candidates;  ///< [kSlots][3][kBlock]: chunk + 1 << 32 | three candidates
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
