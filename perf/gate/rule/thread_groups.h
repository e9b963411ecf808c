// Rows that differ in their number of threads alone, as one question (sentence 52).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/stats/quantile.h"

namespace ratchet::gate {

struct ThreadGroup {
  std::string name;         ///< of its rows, without the number of threads
  std::vector<RowId> rows;  ///< compared in pairs; in the order of their names
  std::size_t undecided = 0;
  double ratio = 1;      ///< of the typical row: throughput now over before
  stats::Bounds bounds;  ///< each wrong with probability stats::kSameError at most
};

/// The groups with an undecided row, in the order of their names. A group has stats::kLeastNodes
/// rows at least; rows of identical work, and those without a comparison in pairs, are in none.
std::vector<ThreadGroup> thread_groups(const std::vector<RowReport>& reports);

}  // namespace ratchet::gate
