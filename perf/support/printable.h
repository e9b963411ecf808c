// Makes text of unknown origin (names, messages of other programs) safe to print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratchet {

/// `text` as valid UTF-8 in one line. Line breaks and tabs become spaces. U+FFFD replaces bytes
/// that are not UTF-8, control characters (such as a terminal's escape sequences) and marks that
/// reverse the direction of text. It also replaces noncharacters, which XML forbids. Text of more
/// than `most` characters is cut and ends in "...".
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

/// Number of code points of a valid UTF-8 text, used as its width in a table.
std::size_t characters(std::string_view text);

}  // namespace ratchet
