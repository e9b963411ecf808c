// Measuring, and judging analysis by analysis who gets more launches: against stored launches, or
// two builds side by side.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/stored_facts.h"
#include "perf/gate/rule/tolerances.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/session.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {

/// In one line, what a session of one side is about to do, and how long that takes.
std::string announcement(const Session& session, const BaselineStore& store,
                         const Executed& executed);

/// The rows to judge at their points: those that are not known to execute what their baseline of
/// this machine executed, which was judged when it was accepted.
std::set<std::string> rows_to_judge(const Session& session, const BaselineStore& store,
                                    const Executed& executed);

/// Rows that execute something else than their baselines did.
struct Differing {
  std::set<std::string> rows;
  Fingerprint here;          ///< of this machine and build
  std::size_t compared = 0;  ///< among how many rows the error is shared
  double budget_s = 0;       ///< for all of them
};

/// Measures such rows otherwise than for their stored figures; one that it cannot measure is not
/// among what it returns.
using MeasureElsewhere = std::function<std::vector<Facts>(const Differing&)>;

/// Measures a session of one side by stats::plan_stored, within its budget. Rows that execute what
/// their baseline executed get a few short launches, for the table and the history, and are the
/// same; so do those that `elsewhere` measures, where it is given. `tolerances`, of rows, come
/// before those of baselines.
std::vector<Facts> measure_stored(Session& session, const BaselineStore& store, Executed executed,
                                  const MeasureElsewhere& elsewhere = {},
                                  const std::map<std::string, double>& tolerances = {});

struct PairOptions {
  std::optional<double> tolerance;           ///< of every row; otherwise the row's, or the default
  std::map<std::string, double> tolerances;  ///< of rows whose baseline states its own
  std::vector<StatedTolerance> stated;       ///< of rows that they select, instead of all others
  /// Stages whose kernels are the same machine code in both builds.
  std::set<std::string> same_code;
  std::set<std::string> same_work;  ///< rows that execute the same in both builds
  /// Among how many rows the error is shared; 0: those of this session that execute something else.
  std::size_t share_of = 0;
  double false_alarms = stats::kFalseAlarms;  ///< of the whole session, by stats::plan_pairs
  double same_error = stats::kSameError;      ///< of each row
};

/// Measures a session of two sides (base first) by stats::plan_pairs until every row is decided or
/// the budget spent. A row that only the base has is missing, one that only the new build has is
/// new. Throws `Error` as tolerances_for() does.
std::vector<Facts> measure_pairs(Session& session, const PairOptions& options);

}  // namespace ratchet::gate
