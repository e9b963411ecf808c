// Machine code as text that two builds can be compared by: without addresses, and with the names of
// what it refers to in place of the holes that the linker fills.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"

namespace ratchet::explain {

struct Instruction {
  std::string opcode;  ///< "imul", without prefixes
  std::string text;    ///< "call life::step(unsigned long)"
};

/// `objdump` as the variable RATCHET_OBJDUMP names it, or of PATH. Throws `counters::NoMetrics`
/// saying what brings it where it is missing.
std::filesystem::path find_objdump();

/// The instructions of a function, without padding. Jumps inside it say their direction alone, so
/// that an instruction more changes one line. Throws `counters::NoMetrics` where there is no
/// objdump, or it does not know this machine's instructions.
std::vector<Instruction> listing_of(const counters::ObjectCode& code,
                                    const counters::CodeNode& node);

/// How often each opcode stands there.
std::map<std::string, int> mix_of(const std::vector<Instruction>& listing);

}  // namespace ratchet::explain
