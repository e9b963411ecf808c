// Spends the rest of the budget on the rows that it can still decide, the cheapest first.
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
  double pair_s = 0;              ///< wall time of a pair
  std::size_t next_analysis = 0;  ///< an index into the plan
};

/// The first analysis from `row.next_analysis` on that is likely to decide the row, given the
/// scatter of its pairs and their distance from the tolerance. Nothing where no analysis is, or
/// where the pairs are too few to estimate their scatter.
std::optional<std::size_t> likely_analysis(const OpenRow& row,
                                           const std::vector<stats::Analysis>& analyses);

/// The row to measure next with `seconds` left: the cheapest row that is likely decided within that
/// time or whose scatter is unknown; if there is none, the row with the cheapest next analysis.
/// Nothing when no row fits.
std::optional<std::string> worth_measuring(const std::vector<OpenRow>& rows,
                                           const std::vector<stats::Analysis>& analyses,
                                           double seconds);

}  // namespace ratchet::gate
