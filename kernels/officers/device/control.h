// What a launch and its host tell each other of the launch itself.
#pragma once

#include <cstdint>

namespace ratchet::officers::device {

/// Values before the first of a launch that a launch works from: those that options read, and room.
inline constexpr std::uint32_t kKeep = 32768;
inline constexpr std::uint32_t kMostUndecided = 65536;
/// Rare positions that a block of threads has room for in shared memory; 1584 are known.
inline constexpr std::uint32_t kMostRares = 1600;

enum class Role : std::uint32_t { none, front, preparer, verifier, resolver };
enum class Reason : std::uint32_t { none, waited_too_long, value_too_large };

/// What went wrong, and how much was done.
struct Control {
  std::uint32_t stop;       ///< Reason of the first to stop
  std::uint32_t role;       ///< who it was
  std::uint32_t at;         ///< its block of values, or the position, from the launch's first
  std::uint32_t progress;   ///< blocks of values that can be read
  std::uint32_t undecided;  ///< positions for the host to verify
  std::uint32_t deepest;
  unsigned long long verifying, rounds, exact, speculations;
};

/// Throws Error for a launch that stopped.
void check_control(const Control& control, std::uint64_t start);

}  // namespace ratchet::officers::device
