#include "perf/support/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace ratchet {
namespace {

/// The optimal string alignment distance.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // longer words are not typing errors
  if (word.size() > longest) return "";
  std::string nearest;
  std::size_t least = longest;
  for (const std::string& candidate : known) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (3 * (longer - shorter) > longer) continue;  // of 100 000 rows few are left
    const std::size_t distance = edits(word, candidate);
    if (distance >= least || 3 * distance > longer) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::string did_you_mean_row(const std::string& filter, const std::vector<std::string>& rows) {
  std::set<std::string> known;
  for (const std::string& row : rows)
    for (std::size_t begin = 0; begin < row.size(); ++begin) {
      if (begin > 0 && row[begin - 1] != '/') continue;
      for (std::size_t end = begin + 1; end <= row.size(); ++end)
        if (end == row.size() || row[end] == '/') known.insert(row.substr(begin, end - begin));
    }
  const std::string word = filter.substr(filter.starts_with('-') ? 1 : 0);
  return did_you_mean(word, {known.begin(), known.end()});
}

}  // namespace ratchet
