// What a check at the point reports, made of its tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "correctness/support/test_result.h"
#include "kernels/contract/check.h"

namespace ratchet::correctness {

/// Wrong with the tests that rejected and what they saw, or right with what each test sees.
InSituResult in_situ_result(const TestResults& tests);

/// What the timed instance says that a run does, by which its time is divided, is what was asked
/// for.
TestResult units_of_a_run(const TimedRow& row, std::uint64_t asked_for);

/// Unchecked, since `what` takes `seconds` and there are fewer; says how to ask for it.
InSituResult too_long(const std::string& what, double seconds);

/// Runs from its construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace ratchet::correctness
