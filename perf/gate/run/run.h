// A run over the selected rows, of one build, or of two in pairs of launches. It only owns the
// parts: the checker checks results, the scheduler decides what is launched next, the launcher
// launches it, and the ledger keeps the results.
#pragma once

#include <set>
#include <vector>

#include "perf/gate/run/checker.h"
#include "perf/gate/run/launcher.h"
#include "perf/gate/run/ledger.h"
#include "perf/gate/run/run_options.h"
#include "perf/gate/run/scheduler.h"

namespace ratchet::gate {

class Run {
 public:
  /// Lists and selects the rows. `progress` receives lines of progress. Throws `Error` as Selection
  /// does.
  Run(std::vector<Side> sides, RunOptions options, Progress::Line progress);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const RunOptions& options() const { return options_; }
  const Selection& selection() const { return selection_; }
  /// Selected rows that every side has.
  const std::set<RowId>& rows() const { return selection_.rows(); }

  const BenchProgram& program(std::size_t side) const { return *sides_[side].program; }
  Checker& checker() { return checker_; }
  Launcher& launcher() { return launcher_; }
  Scheduler& scheduler() { return scheduler_; }
  const Ledger& ledger() const { return ledger_; }
  Budget& budget() { return budget_; }
  const Budget& budget() const { return budget_; }
  Progress& progress() { return progress_; }

 private:
  std::vector<Side> sides_;
  RunOptions options_;
  Budget budget_;
  Progress progress_;
  Selection selection_;
  Ledger ledger_;
  Checker checker_;
  Launcher launcher_;
  Scheduler scheduler_;
};

}  // namespace ratchet::gate
