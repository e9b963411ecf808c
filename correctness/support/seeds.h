// The corpus of a fuzzer: one file, one seed a line, which ci/fuzz unpacks for libFuzzer.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "correctness/support/data_file.h"
#include "correctness/support/escaped.h"
#include "perf/support/files.h"

namespace ratchet::correctness {

struct Seed {
  std::string name;  ///< empty where the fuzzer found it
  std::string bytes;
};

/// Those of a file below correctness/. A line is a name, a tab and the escaped bytes; '#' starts a comment.
inline std::vector<Seed> seeds(const std::string& file) {
  std::istringstream lines(read_text(data_file(file)));
  std::vector<Seed> all;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) throw Error(file + ": a line without a tab: " + line);
    all.push_back({line.substr(0, tab), unescaped(line.substr(tab + 1))});
  }
  return all;
}

}  // namespace ratchet::correctness
