// Numbers of things in texts.
#pragma once

#include <cstdint>
#include <string>

namespace ratchet {

/// "3 launches", "1 launch": `plural` without its ending where there is one. For words that make
/// their plural in -s, or in -es after a hiss.
inline std::string counted(std::uint64_t count, std::string plural) {
  if (count == 1 && plural.ends_with('s')) {
    plural.pop_back();
    for (const char* hiss : {"che", "she", "sse", "xe"})
      if (plural.ends_with(hiss)) {
        plural.pop_back();
        break;
      }
  }
  return std::to_string(count) + " " + plural;
}

/// "a and 2 more": the first of `count` things.
inline std::string first_of(const std::string& first, std::uint64_t count) {
  return count > 1 ? first + " and " + std::to_string(count - 1) + " more" : first;
}

}  // namespace ratchet
