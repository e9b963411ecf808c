// Suggestions for misspelt words.
#pragma once

#include <string>
#include <vector>

namespace ratchet {

/// "; did you mean gate?": the known word at the smallest edit distance; empty if none is within
/// a third of the letters. An edit leaves out, adds or replaces a letter, or swaps two neighbours.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

/// The same for a filter that selects none of these rows: known are their names, and the parts of
/// them that a filter may name ("05_simd", "cpu/05_simd").
std::string did_you_mean_row(const std::string& filter, const std::vector<std::string>& rows);
template <class Rows>
std::string did_you_mean_row(const std::string& filter, const Rows& rows) {
  return did_you_mean_row(filter, std::vector<std::string>(rows.begin(), rows.end()));
}

}  // namespace ratchet
