// The quick check that stands before every timing: a stage that fails it is not timed.
//
// Each family registers one function (correctness/<family>/check.cpp) that exercises a stage
// through its probes in a few seconds. The GoogleTest suites are far more thorough; this one exists
// so that no figure is ever printed for a kernel that computes something else.
#pragma once

#include <functional>
#include <string>

#include "kernels/stage.h"

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

}  // namespace ratchet
