// Who gets the rest of the budget: the rows that it can still decide, the cheapest first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perf/stats/sequential.h"

namespace ratchet::gate {

/// A row that is still undecided.
struct OpenRow {
  std::string name;
  std::vector<double> differences;  ///< of its pairs so far (rule.h)
  double tolerance = 0;
  double pair_s = 0;              ///< what a pair of it takes
  std::size_t next_analysis = 0;  ///< an index of the plan
};

/// The first analysis from `row.next_analysis` on at which the row is likely to be decided, by how
/// far its pairs lie apart and from the tolerance; nothing where that is after the last one, or
/// where the pairs are too few to tell how far they lie apart.
std::optional<std::size_t> likely_analysis(const OpenRow& row,
                                           const std::vector<stats::Analysis>& analyses);

/// The row to take to its next analysis with `seconds` left: of those that are likely decided
/// within that time, or of which nothing is known yet, the cheapest; where there is none, of the
/// others the one whose next analysis is the cheapest, if it fits. Nothing when it does not.
std::optional<std::string> worth_measuring(const std::vector<OpenRow>& rows,
                                           const std::vector<stats::Analysis>& analyses,
                                           double seconds);

}  // namespace ratchet::gate
