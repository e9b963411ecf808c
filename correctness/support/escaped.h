// Bytes as one line of text: \n, \t, \r, \\ and \xHH stand for what cannot be seen in a diff.
#pragma once

#include <string>
#include <string_view>

#include "perf/support/error.h"

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

}  // namespace ratchet::correctness
