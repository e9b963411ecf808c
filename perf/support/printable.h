// Text of unknown origin (names, messages of other programs) made fit for people and other tools.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratchet {

/// `text` as valid UTF-8 in one line: line breaks and tabs become spaces; bytes that are no UTF-8,
/// control characters (escape sequences of terminals among them), marks that reverse the direction
/// of text, and noncharacters, which XML forbids, become U+FFFD. More than `most` characters are
/// cut and end in "...".
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

/// How many characters (code points) a valid UTF-8 text has: its width in a table, near enough.
std::size_t characters(std::string_view text);

}  // namespace ratchet
