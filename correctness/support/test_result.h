// What a correctness check reports: elementary tests, each with its p-value and its power.
//
// Checks return data instead of asserting. So one set serves the quick check before a timing, the
// GoogleTest suites, and the tests that the checks reject a wrong kernel.
#pragma once

#include <string>
#include <vector>

namespace ratchet::correctness {

/// False-alarm rate of one elementary test. A test run holds a few thousand of them (some 40 stages
/// times fewer than 100). So a whole run of correct stages alarms with a probability below 1e-6.
/// Seeds are fixed: a run that passed once passes always.
inline constexpr double kFalseAlarm = 1e-10;

/// Probability with which a test catches the bias that its `power` names.
inline constexpr double kDetection = 0.99;

/// The power of an exact test.
inline constexpr const char* kSeesAnything = "any single difference";

/// The outcome of one elementary test.
struct TestResult {
  std::string name;   ///< what was tested: "sum of ones"
  std::string seen;   ///< one line: what was seen and what was expected
  double p = 0;       ///< p-value under a correct stage; exact tests report 1 (held) or 0 (broken)
  std::string power;  ///< the smallest bias caught with probability kDetection, in words

  /// Sees any single difference: its power goes without saying.
  bool is_exact() const { return power == kSeesAnything; }
  /// A NaN is a rejection: what cannot be computed was not verified.
  bool rejected() const { return !(p >= kFalseAlarm); }
};

using TestResults = std::vector<TestResult>;

/// An exact test: any single difference is caught.
TestResult exact(std::string name, bool held, std::string seen);

bool any_rejected(const TestResults& tests);

/// Whether the test of that name rejected; throws std::invalid_argument where there is none.
bool rejected_by(const TestResults& tests, const std::string& name);

/// One line naming the rejected tests and what they saw, or what was tested when all held.
std::string summary(const TestResults& tests);

/// Appends `more` to `tests`.
void append(TestResults& tests, TestResults more);

// Tests as a table of a README: what statistical checks see at the counts that they are run with.

/// A line a statistical test of `on_cpu`, with its power there and that of the test of its name in
/// `on_gpu`; tests that see any single difference are left out.
std::string power_table(const TestResults& on_cpu, const TestResults& on_gpu);

}  // namespace ratchet::correctness
