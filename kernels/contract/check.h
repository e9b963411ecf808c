// The two checks that stand beside every timing.
//
// The quick check, before: a stage that fails it is not timed. Each family registers one function
// (correctness/<family>/check.cpp) that exercises a stage through its probes in a few seconds. The
// GoogleTest suites are far more thorough; this one exists so that no figure is ever printed for a
// kernel that computes something else.
//
// The check at the point, after: what a row's timed instance computed, at the very size, threads
// and parameters that were timed (correctness/<family>/point.cpp). A loop that leaves out a part of
// the work only there, where no other check goes, is faster and wrong.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "kernels/contract/stage.h"

namespace ratchet {

struct CheckResult {
  bool passed = false;
  std::string detail;  ///< one line: what was checked, or what was expected and seen
};

/// Runs the check of the stage's family. A family without a check fails: unverified is not
/// verified. For an `as_printed` stage the check verifies that the known error shows as described.
/// Errors thrown by the stage become a failed result; never throws.
CheckResult quick_check(const Stage& stage);

/// Registers `check` for all stages of `family` at namespace scope.
class CheckRegistration {
 public:
  CheckRegistration(std::string family, std::function<CheckResult(const Stage&)> check);
};

/// A row and the instance that was timed for it: run at least once, and waited for.
struct TimedRow {
  const Stage& stage;
  const Parameters& parameters;  ///< that the instance was prepared with
  Instance& instance;
  std::string input = {};  ///< the file that it started from; empty: generated
  double run_s = 0;        ///< about what a run takes
  bool first_run = false;  ///< it made one run and no more
  double budget_s = 1;     ///< about what the check may take: samples until then
  bool patient = false;    ///< no part is left out for want of time: tests on a busy machine

  /// Beyond this the row stays unchecked.
  double most_s() const { return patient ? std::numeric_limits<double>::infinity() : 3 * budget_s; }
  /// Whether a part of the check may begin that would end `seconds` after its start.
  bool time_for(double seconds) const { return patient || seconds < budget_s; }
};

enum class InSituState {
  right,
  wrong,
  unchecked,  ///< nobody knows: it would take longer than the budget; the detail says how long
};
struct InSituResult {
  InSituState state = InSituState::unchecked;
  std::string detail;  ///< one line: what was compared and the smallest fault that it sees
};

/// Judges what the instance computed in its last timed run, and in further runs that it makes of
/// it. A family without such a check leaves its rows unchecked. For an `as_printed` stage the known
/// error must show. Errors thrown by the stage make it wrong; never throws.
InSituResult check_in_situ(const TimedRow& row);

/// Registers `check` for the rows of all stages of `family` at namespace scope.
class InSituCheckRegistration {
 public:
  InSituCheckRegistration(std::string family, std::function<InSituResult(const TimedRow&)> check);
};

}  // namespace ratchet
