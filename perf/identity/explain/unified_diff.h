// Two texts held against each other as people know it: diff -u.
#pragma once

#include <string>
#include <vector>

namespace ratchet::explain {

struct NamedLines {
  std::string name;
  std::vector<std::string> lines;
};

/// The lines of `diff -u`, with its two header lines; none where nothing differs. Throws `Error`
/// where diff is missing.
std::vector<std::string> unified_diff(const NamedLines& before, const NamedLines& now);

}  // namespace ratchet::explain
