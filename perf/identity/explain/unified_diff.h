// The difference of two texts in the format of diff -u.
#pragma once

#include <string>
#include <vector>

namespace ratchet::explain {

struct NamedLines {
  std::string name;
  std::vector<std::string> lines;
};

/// The lines of `diff -u` with its two header lines; empty for equal texts. Throws `Error` if diff
/// is missing.
std::vector<std::string> unified_diff(const NamedLines& before, const NamedLines& now);

}  // namespace ratchet::explain
