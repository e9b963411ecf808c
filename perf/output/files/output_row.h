// One row of a gate run in the words and figures that all outputs share. Outputs read the rule's
// decision only through this header.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

struct OutputRow {
  RowId name;          ///< printable (perf/support/printable.h), as are all texts here
  std::string family;  ///< "ratchet" for a name without one
  Verdict verdict = Verdict::undecided;
  std::string reason;                     ///< one line, may be empty
  std::vector<std::string> reasons;       ///< what differs in what the row executes, a line each
  ExitCode outcome = ExitCode::pass;      ///< the exit code of a run of this row alone
  std::optional<double> ratio;            ///< throughput now over baseline
  std::optional<stats::Bounds> interval;  ///< of the ratio: the one that decided
  std::optional<double> detectable;       ///< relative slowdown, finite
  double tolerance = 0;                   ///< relative
  std::size_t baseline_launches = 0;
  std::size_t launches = 0;
  double throughput = 0;  ///< units per second; 0: not measured
  double before = 0;      ///< the same of the baseline
  double call_s = 0;      ///< time of a call by this clock; 0: not measured
  double call_before_s = 0;
  std::string unit;   ///< of work, plural
  std::string clock;  ///< to_string(Clock)
  bool identical_work = false;
};

/// Of its throughput.
std::string unit_of(const RowReport& report);

/// `policy.strict`: uncompared rows do not pass.
OutputRow output_row(const RowReport& report, const Policy& policy);
std::vector<OutputRow> output_rows(const std::vector<RowReport>& reports, const Policy& policy);

// The cells of tables; "-" for a missing figure.
// No change is shown of a row of identical work: its figures differ by the machine, not the code.
std::string effect_text(const OutputRow& row);      ///< "-5.02 %", of throughput
std::string interval_text(const OutputRow& row);    ///< "-6.10 ... -3.95 %"
std::string tolerance_text(const OutputRow& row);   ///< "3 %"
std::string detects_text(const OutputRow& row);     ///< "3.4 %"
std::string launches_text(const OutputRow& row);    ///< "9 + 14": baseline's, this run's
std::string throughput_text(const OutputRow& row);  ///< "113 -> 105 k calls/s"
std::string call_text(const OutputRow& row);        ///< "8.85 -> 9.52 us"

/// All cells in one line: "slower: throughput -5.02 % (-6.10 ... -3.95 %), 113 -> 107 k calls/s,
/// tolerance 3 %, minimum detectable effect 3.4 %, 9 + 14 launches; <reason>".
std::string sentence(const OutputRow& row);

// What would settle the rows that stay undecided.

/// Its own interval lies beyond the tolerance; that for the error of all rows needs more launches.
bool seems_slower(const RowReport& report);

/// One line about all undecided rows. It counts those with an interval that a longer budget is
/// likely to settle: intervals narrow with the root of the number of pairs. It counts those that a
/// wider tolerance settles. It counts those with too few pairs for an interval, and why, and those
/// that were compared with stored launches only. Below it the command that gives one of them the
/// whole budget. `seconds`: duration of the run. `repeat`: of Circumstances::commands, may be
/// empty. `side_by_side`: what measures rows of stored launches better. `budget_s`: of the run, if
/// it measured pairs only; a line says that it left some of it. Empty if no row is undecided.
std::string what_would_settle(
    const std::vector<RowReport>& reports, double seconds, const std::string& repeat = "",
    const std::string& side_by_side = "--base REV measures both builds side by side",
    double budget_s = 0);

/// The command below it; empty without one.
std::string settling_command(const std::vector<RowReport>& reports, const std::string& repeat);

/// The same for one undecided row that was measured in pairs: "about 40 s more of this row alone,
/// or a tolerance of 2.1 %". Empty for any other row.
std::string what_would_settle_row(const RowReport& report);

}  // namespace ratchet::gate
