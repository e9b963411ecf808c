// The corpus of a fuzzer: one file, one seed a line, which ci/fuzz unpacks for libFuzzer.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "correctness/support/data_file.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet::correctness {

/// The bytes that `text` stands for; throws Error for an escape that is none of these.
inline std::string unescaped(std::string_view text) {
  const auto hex = [&](char digit) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = digits.find(digit);
    if (value == digits.npos) throw Error("no escape: " + std::string(text));
    return static_cast<int>(value);
  };
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    constexpr std::string_view names = "ntr\\", means = "\n\t\r\\";
    const char name = ++i < text.size() ? text[i] : '\0';
    if (const auto known = names.find(name); known != names.npos) {
      bytes += means[known];
    } else if (name == 'x' && i + 2 < text.size()) {
      bytes += static_cast<char>(16 * hex(text[i + 1]) + hex(text[i + 2]));
      i += 2;
    } else {
      throw Error("no escape: " + std::string(text));
    }
  }
  return bytes;
}

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
