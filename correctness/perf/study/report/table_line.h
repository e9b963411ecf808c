// Finding a row in the terminal table of a gate run.
#pragma once

#include <sstream>
#include <string>

namespace ratchet {

/// The line that speaks of this row, with those that its reason goes on in.
inline std::string table_line(const std::string& output, const std::string& row) {
  std::istringstream lines(output);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (found.empty() && line.find(" " + row + " ") != std::string::npos) {
      found = line;
    } else if (!found.empty()) {
      if (!line.starts_with("   ")) return found;
      found += line.substr(line.find_first_not_of(' ') - 1);
    }
  }
  return found.empty() ? "no line of " + row + " in\n" + output : found;
}

}  // namespace ratchet
