// Suggestions for misspelt words.
#pragma once

#include <string>
#include <vector>

namespace ratchet {

/// "; did you mean gate?": the known word at the smallest edit distance; empty where none is within
/// a third of the letters. An edit leaves out, adds or replaces a letter, or swaps two neighbours.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace ratchet
