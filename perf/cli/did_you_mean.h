// What somebody who mistyped a word meant.
#pragma once

#include <string>
#include <vector>

namespace ratchet {

/// "; did you mean gate?": the nearest of the words there are, by letters left out, added, replaced
/// or swapped with their neighbour; empty where none is near, at most a third of its letters away.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace ratchet
