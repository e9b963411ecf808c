// What must hold for every input of the pattern reader, whoever makes the inputs up: libFuzzer
// (ci/fuzz) or the seeds in this folder (pattern_corpus_test.cpp).
#pragma once

#include <string_view>

namespace ratchet::fuzz {

/// Reads `text` as a pattern of at most 2^20 cells; true when it is one. Throws std::logic_error
/// when a property does not hold. An input is read, or refused by an `Error`: one line of at most
/// 500 bytes that starts with "input:LINE:COLUMN: ", a place in the text. A pattern written in
/// either format reads back equal. No line of the RLE is longer than 70 characters.
bool check_pattern_input(std::string_view text);

}  // namespace ratchet::fuzz
