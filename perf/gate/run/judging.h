// Measures rows and judges them at interim analyses, after which undecided rows get more launches:
// against stored launches, or two builds side by side.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/facts.h"
#include "perf/gate/rule/rule.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/run.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {

/// One line: what a run of one side will do, and how long that takes.
std::string announcement(const Run& run, const BaselineStore& store, const Executed& executed);

/// The rows for the in-situ check: all but rows of identical work with their baseline of this
/// machine, which were checked when it was accepted.
std::set<RowId> rows_to_judge(const Run& run, const BaselineStore& store, const Executed& executed);

/// Rows that execute something else than their baselines did.
struct Differing {
  std::set<RowId> rows;
  Fingerprint here;          ///< of this machine and build
  std::size_t compared = 0;  ///< number of rows that share the error
  double budget_s = 0;       ///< for all of them
};

/// Measures such rows side by side with their baselines' builds; returns the facts of those that it
/// could measure.
using MeasureElsewhere = std::function<std::vector<Facts>(const Differing&)>;

/// Of this machine and build, as a program states them (CodeIdentity::context), or else as they
/// are.
Fingerprint fingerprint_before_launches(const nlohmann::json& context);

/// Measures a run of one side by stats::plan_stored, within its budget. Rows of identical work
/// are the same. They get a few short launches for the table and the history, as do the rows that
/// `elsewhere` measures, where it is given. `tolerances`: by row; they override those of baselines.
/// `limited`: rows that get launches_for_limits() at least.
std::vector<Facts> measure_stored(Run& run, const BaselineStore& store, Executed executed,
                                  const MeasureElsewhere& elsewhere = {},
                                  const std::map<RowId, double>& tolerances = {},
                                  const std::set<RowId>& limited = {});

struct PairOptions {
  std::optional<double> tolerance;      ///< of every row; otherwise the row's, or the default
  std::map<RowId, double> tolerances;   ///< of rows whose baseline has one
  std::vector<StatedTolerance> stated;  ///< of the command line; they override both
  /// Stages whose kernels are the same machine code in both builds.
  std::set<std::string> same_code;
  std::set<RowId> same_work;  ///< rows of identical work
  bool by_time = false;       ///< these are judged like all others
  bool other_rows = false;    ///< the sides are two rows, of one name, of maybe one program
  /// Number of rows that share the error; 0: the rows of this run that are not of identical
  /// work.
  std::size_t share_of = 0;
  std::set<RowId> limited = {};               ///< rows that get launches_for_limits() at least
  bool checked = false;                       ///< an earlier check of these rows was reported
  double false_alarms = stats::kFalseAlarms;  ///< of the whole run, by stats::plan_pairs
  double same_error = stats::kSameError;      ///< of each row
};

/// Measures a run of two sides (base first) by stats::plan_pairs until every row is decided or
/// the budget is spent. A row of the base only is missing, a row of the new build only is new.
/// Throws `Error` as tolerances_for() does.
std::vector<Facts> measure_pairs(Run& run, const PairOptions& options);

/// A row that is new in effect (12): only the base fails, and so nothing can be compared.
Facts failing_in_base(const RowId& row, const Failure& failure);

/// Makes failed rows of measure_pairs() such rows, where the base fails again when it is launched
/// again, and this build runs. Not rows of identical work: what fails there is not the code.
void take_repaired_as_new(Run& run, const PairOptions& options, std::vector<Facts>& rows);

}  // namespace ratchet::gate
