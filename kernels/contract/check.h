// The two checks of every timed row.
//
// The quick check runs before the timing: a stage that fails it is not timed. Each family registers
// one function (correctness/<family>/checks/) that exercises a stage through its probes in a few
// seconds. The GoogleTest suites are far more thorough; this check ensures that no figure is
// printed for a kernel that computes something else.
//
// The in-situ check runs after the timing: it verifies what the timed instance computed, at the
// timed size, threads and parameters. It catches a loop that leaves out a part of the work only in
// this configuration, which no other check covers.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "kernels/contract/stage.h"
#include "perf/support/error.h"

namespace ratchet {

/// Thrown by a check whose data are not there: no fault of a stage, and the same for every row.
class NoCheckData : public Error {
 public:
  using Error::Error;
};

struct CheckResult {
  bool passed = false;
  std::string detail;  ///< one line: what was checked, or the expected and the found value
};

/// Runs the check of the stage's family. A family without a check fails. For an `as_printed` stage
/// the check verifies that the known error shows as described. An exception of the stage becomes a
/// failed result; throws NoCheckData alone.
CheckResult quick_check(const Stage& stage);

/// Registers `check` for all stages of `family` at namespace scope.
class CheckRegistration {
 public:
  CheckRegistration(std::string family, std::function<CheckResult(const Stage&)> check);
};

/// A row and its timed instance, which has completed at least one run.
struct TimedRow {
  const Stage& stage;
  const Parameters& parameters;  ///< of the instance
  Instance& instance;
  std::string input = {};  ///< the input file; empty: generated input
  double run_s = 0;        ///< approximate time of a run
  bool first_run = false;  ///< it made exactly one run
  double budget_s = 1;     ///< approximate time for the check, which samples until then
  bool patient = false;    ///< no part is left out for lack of time: for tests on a busy machine

  /// Beyond this the row stays unchecked.
  double most_s() const { return patient ? std::numeric_limits<double>::infinity() : 3 * budget_s; }
  /// Whether a part of the check that takes `seconds` may begin.
  bool time_for(double seconds) const { return patient || seconds < budget_s; }
};

enum class InSituState {
  right,
  wrong,
  unchecked,  ///< the check would exceed the budget; the detail states the time needed
};
struct InSituResult {
  InSituState state = InSituState::unchecked;
  std::string detail;  ///< one line: what was compared, and the smallest detectable fault
};

/// Checks the result of the instance's last timed run, and of further runs. A family without such a
/// check leaves its rows unchecked. For an `as_printed` stage the known error must show. An
/// exception of the stage makes it wrong; throws NoCheckData alone.
InSituResult check_in_situ(const TimedRow& row);

/// Registers `check` for the rows of all stages of `family` at namespace scope.
class InSituCheckRegistration {
 public:
  InSituCheckRegistration(std::string family, std::function<InSituResult(const TimedRow&)> check);
};

}  // namespace ratchet
