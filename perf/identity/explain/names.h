// Readable names of the pieces of an object file.
#pragma once

#include <string>

#include "perf/identity/code/object_code.h"

namespace ratchet::explain {

/// ".text._ZN7ratchet4life4stepEm" is "life::step(unsigned long)": without the kind of section, the
/// project's namespace and unnamed ones. A constant is shown by value, a text in quotes. A section
/// with the whole content of its file is named by its kind.
std::string name_of(const counters::ObjectCode& code, const counters::CodeNode& node);

/// The same for a symbol of another file: "operator new(unsigned long)".
std::string name_of(const std::string& symbol);

/// A section's symbol without the compiler's suffix of a function clone (".constprop.0", ".cold").
std::string without_clones(const std::string& section_name);

}  // namespace ratchet::explain
