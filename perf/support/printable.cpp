#include "perf/support/printable.h"

#include <cstdint>

namespace ratchet {
namespace {

struct Decoded {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8 here
};

/// The code point at the front of `text`. Overlong forms, surrogates and codes beyond U+10FFFF are
/// not UTF-8 (RFC 3629).
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  static constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[length] || code > 0x10ffff || surrogate) return {};
  return {code, length};
}

bool unfit(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool line_or_direction =
      (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const bool noncharacter = (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
  return control || line_or_direction || noncharacter;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t count = 0;
  while (!text.empty()) {
    if (count++ == most) return out + "...";
    const Decoded next = decode(text);
    const bool space = next.code == '\n' || next.code == '\r' || next.code == '\t';
    if (next.bytes > 0 && space) {
      out += ' ';
    } else if (next.bytes == 0 || unfit(next.code)) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return out;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

}  // namespace ratchet
