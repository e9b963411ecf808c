// The decision: what is known of a row in, its verdict out; and of all rows the exit code.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/facts.h"
#include "perf/support/error.h"

namespace ratchet::gate {

/// What the rules make of a row.
struct Judgement {
  Verdict verdict = Verdict::undecided;
  Reason reason = {};
  std::vector<Remark> remarks = {};
  std::optional<Decision> decision = {};  ///< of compared rows; of uncompared ones by themselves
  bool identical_work = false;            ///< it is what the other side executed
  bool settled = false;                   ///< undecided, but not for want of launches
  bool moved = false;                     ///< slower or faster by the clock, whatever stands
};

/// Applies the numbered sentences of perf/gate/README.md.
Judgement judge(const Facts& facts);

/// What a run says of one row.
struct RowReport : Facts, Judgement {};

/// judge() of each, worst first.
std::vector<RowReport> judged(const std::vector<Facts>& rows);

/// By verdict, then by ratio, then by name.
void sort_worst_first(std::vector<RowReport>& reports);

/// Of rows of identical work, more than half of which ran beyond their tolerance at another speed
/// than stored: what differs is the machine, not the code.
struct MachineMoved {
  std::size_t beyond = 0, of = 0;          ///< rows
  double least = 1, most = 1, median = 1;  ///< ratios
};
std::optional<MachineMoved> machine_moved(const std::vector<RowReport>& reports);

/// Which rows without a finding end a run with exit 3. By default none does.
struct Policy {
  bool strict = false;                        ///< undecided, new and uncompared rows
  bool allow_new = false;                     ///< new rows pass under `strict`, too
  std::optional<bool> undecided_passes = {};  ///< undecided rows, whatever `strict` says
  bool strict_machine = false;                ///< machine_moved()

  /// Whether a row of this verdict, which shows no fault and no regression, passes.
  bool passes(Verdict verdict) const;
};

/// All that the exit code of a run depends on, besides the policy.
struct Ending {
  Ending() = default;
  /// Of a run of these rows that kept all that it found.
  Ending(const std::vector<RowReport>& reports);

  std::set<Verdict> verdicts;  ///< of its rows
  bool machine_moved = false;
  bool nodes_lost = false;  ///< of a fleet
  bool loss = false;        ///< some of what it found could not be kept
};

/// The exit code of a run: 1 if a row is slower; else 2 if one is failed, unverified, missing or
/// changed, or something could not be kept; else 3 if a row does not pass under `policy`, the
/// machine differs under `strict_machine`, or a node is lost under `strict`; 77 if no row was
/// measured or failed; else 0.
ExitCode exit_code(const Ending& ending, const Policy& policy);

}  // namespace ratchet::gate
