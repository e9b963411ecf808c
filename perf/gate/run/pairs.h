// Two builds side by side: pairs of launches, judged look by look.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/run/session.h"
#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

struct PairOptions {
  Rule rule;
  std::optional<double> tolerance;           ///< of every row; otherwise the row's, or the default
  std::map<std::string, double> tolerances;  ///< of rows whose baseline states its own
  /// Stages whose kernels are the same machine code in both builds.
  std::set<std::string> same_code;
  bool added_rows_fail = true;  ///< rows that only the new build has
};

/// The pairs that two sides hold of one row: launch i of one with launch i of the other. Without
/// the reference workload's part where a launch lacks it, or its version differs.
Pairs pairs_of(const Row& before, const Row& now);

/// Measures a session of two sides (base first) by the sequential plan of stats/sequential.h until
/// every row is decided or the budget spent, and judges: worst row first. A row that only the base
/// has is missing, one that only the new build has is new.
std::vector<RowReport> measure_and_judge_pairs(Session& session, const PairOptions& options);

}  // namespace ratchet::gate
