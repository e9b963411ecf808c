// Where an instruction of x86-64 ends, and what it refers to relative to its end. Source: AMD64
// Architecture Programmer's Manual, volume 3, "Instruction Encoding" and appendix A; for EVEX
// Intel's SDM, volume 2, 2.7.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ratchet::counters {

struct Instruction {
  std::size_t at = 0;              ///< offset in the code, bytes
  std::size_t length = 0;          ///< bytes
  bool branch = false;             ///< a call or jump by a distance, else data by a distance
  std::size_t distance_at = 0;     ///< offset of a distance to its target, bytes; 0: has none
  std::size_t distance_bytes = 0;  ///< 1 or 4, signed

  std::size_t end() const { return at + length; }
};

/// The first instruction of `code`, which begins at `at`; nothing where it is unknown or cut off.
std::optional<Instruction> instruction_at(std::string_view code, std::size_t at);

/// All instructions of a function, which has no data between them. Nothing where one is unknown,
/// runs over the end, or a branch leads into the middle of another.
std::optional<std::vector<Instruction>> instructions_of(std::string_view code);

/// From the begin of `code`, in bytes: where a distance leads.
long long target_of(std::string_view code, const Instruction& instruction);

}  // namespace ratchet::counters
