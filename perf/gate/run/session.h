// A measuring session: checks the stages, then launches the rows round after round, within a
// budget. With one side it measures a build; with two it measures two builds in pairs of launches.
// The checker checks results, the scheduler decides what comes next, the launcher launches it, and
// the ledger keeps the results.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/run/checker.h"
#include "perf/gate/run/launcher.h"
#include "perf/gate/run/ledger.h"
#include "perf/gate/run/scheduler.h"
#include "perf/gate/run/session_options.h"

namespace ratchet::gate {

class Session {
 public:
  /// Lists and selects the rows. `progress` receives lines of progress. Throws `Error` as Selection
  /// does.
  Session(std::vector<Side> sides, SessionOptions options, Progress::Line progress);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionOptions& options() const { return options_; }
  const Selection& selection() const { return selection_; }
  /// Selected rows that every side has.
  const std::set<std::string>& rows() const { return selection_.rows(); }

  Checker& checker() { return checker_; }
  const Checker& checker() const { return checker_; }
  Launcher& launcher() { return launcher_; }
  const Launcher& launcher() const { return launcher_; }
  Scheduler& scheduler() { return scheduler_; }
  const Ledger& ledger() const { return ledger_; }
  Budget& budget() { return budget_; }
  const Budget& budget() const { return budget_; }
  Progress& progress() { return progress_; }

 private:
  std::vector<Side> sides_;
  SessionOptions options_;
  Budget budget_;
  Progress progress_;
  Selection selection_;
  Ledger ledger_;
  Checker checker_;
  Launcher launcher_;
  Scheduler scheduler_;
};

}  // namespace ratchet::gate
