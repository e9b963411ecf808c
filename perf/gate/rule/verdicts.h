// The decision: from the facts of a row to its verdict, and from all verdicts to the exit code.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "perf/gate/rule/facts.h"
#include "perf/support/error.h"

namespace ratchet::gate {

/// The verdict of a row and what led to it.
struct Judgement {
  Verdict verdict = Verdict::undecided;
  Reason reason = {};
  std::vector<Remark> remarks = {};
  std::optional<Decision> decision = {};  ///< of a comparison, also of a row with itself
  bool identical_work = false;            ///< both sides execute the same
  bool settled = false;                   ///< undecided, and more launches cannot help
  bool moved = false;                     ///< slower or faster by the clock, whatever the verdict
};

/// Applies the numbered sentences of perf/gate/README.md.
Judgement judge(const Facts& facts);

/// The facts and the judgement of a row.
struct RowReport : Facts, Judgement {};

/// Whether it is slower, changed or missing, and a commit's message accepts that.
bool is_accepted(const RowReport& report);

/// judge() of each, worst first.
std::vector<RowReport> judged(const std::vector<Facts>& rows);

/// By verdict, then by ratio, then by name.
void sort_worst_first(std::vector<RowReport>& reports);

/// The drift of the machine: more than half of the rows of identical work ran at another speed than
/// stored, beyond their tolerance and the scatter of their launches.
struct MachineMoved {
  std::size_t beyond = 0, of = 0;          ///< rows
  double least = 1, most = 1, median = 1;  ///< ratios
};
std::optional<MachineMoved> machine_moved(const std::vector<RowReport>& reports);

/// Which verdicts end a run with exit 3. By default none does.
struct Policy {
  bool strict = false;                        ///< undecided, new and uncompared rows
  bool allow_new = false;                     ///< new rows pass under `strict`, too
  std::optional<bool> undecided_passes = {};  ///< undecided rows, whatever `strict` says
  bool strict_machine = false;                ///< machine_moved()

  /// Whether this verdict, which is neither a regression nor a failure, passes.
  bool passes(Verdict verdict) const;
};

/// What the exit code of a run depends on, besides the policy.
struct Ending {
  Ending() = default;
  /// A run with these rows that wrote all of its results.
  Ending(const std::vector<RowReport>& reports);

  /// A row that a commit accepts passes as one that is the same.
  void add(const RowReport& report);

  std::set<Verdict> verdicts;
  std::set<AtLimit::State> limits;  ///< of all rows
  bool machine_moved = false;
  bool nodes_lost = false;  ///< of a fleet
  bool loss = false;        ///< some results could not be written
  int interruption = 0;     ///< the signal that ended it early
};

/// The exit code of a run, of which the first that applies counts. 128 and the signal: it was
/// interrupted. 1: a row is slower or beyond a limit. 2: a row is failed, unverified, missing or
/// changed, or results could not be written. 3: a row does not pass under `policy`, the machine
/// drifted under `strict_machine`, or a node is lost under `strict`. 77: no row was measured or
/// failed. 0: otherwise.
ExitCode exit_code(const Ending& ending, const Policy& policy);

}  // namespace ratchet::gate
