// What pieces of an object file are called, for people.
#pragma once

#include <string>

#include "perf/identity/code/object_code.h"

namespace ratchet::explain {

/// ".text._ZN7ratchet4life4stepEm" is "life::step(unsigned long)": without the kind of section, the
/// project's own namespace and unnamed ones. A constant is its value, a text is quoted, and a
/// section that holds everything of its file is called by its kind.
std::string name_of(const counters::ObjectCode& code, const counters::CodeNode& node);

/// The same for a symbol of another file: "operator new(unsigned long)".
std::string name_of(const std::string& symbol);

/// A section's symbol without what a compiler adds to a copy of a function (".constprop.0", the
/// part that is rarely run).
std::string without_clones(const std::string& section_name);

}  // namespace ratchet::explain
