// Machine code as comparable text: without addresses, and with names instead of relocated fields.
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

/// The `objdump` of the variable RATCHET_OBJDUMP, or of PATH. Throws `counters::NoMetrics` naming
/// its package if it is missing.
std::filesystem::path find_objdump();

/// The instructions of a function, without padding. Jumps inside it state only their direction, so
/// that an inserted instruction changes one line. Throws `counters::NoMetrics` if objdump is
/// missing or does not know this machine's instructions.
std::vector<Instruction> listing_of(const counters::ObjectCode& code,
                                    const counters::CodeNode& node);

/// The number of instructions of each opcode.
std::map<std::string, int> mix_of(const std::vector<Instruction>& listing);

// Readable names of the pieces of an object file.

/// ".text._ZN7ratchet4life4stepEm" is "life::step(unsigned long)": without the kind of section, the
/// project's namespace and unnamed ones. A constant is shown by value, a text in quotes. A section
/// with the whole content of its file is named by its kind.
std::string name_of(const counters::ObjectCode& code, const counters::CodeNode& node);

/// The same for a symbol of another file: "operator new(unsigned long)".
std::string name_of(const std::string& symbol);

/// A section's symbol without the compiler's suffix of a function clone (".constprop.0", ".cold").
std::string without_clones(const std::string& section_name);

/// "Stage<&loop>::run()" as "Stage::run()"; the same for all arguments of a template.
std::string without_template_arguments(const std::string& name);

}  // namespace ratchet::explain
