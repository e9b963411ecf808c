// A test of GoogleTest made of test results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "correctness/support/test_result.h"
#include "kernels/contract/stage.h"

namespace ratchet::correctness {

/// None is rejected; the record of the run holds what each saw and the smallest fault it catches.
inline void expect(const TestResults& tests) {
  for (const TestResult& test : tests) {
    testing::Test::RecordProperty(test.name, test.seen + "; catches " + test.power);
    EXPECT_FALSE(test.rejected()) << test.name << ": " << test.seen << " (p = " << test.p << ")";
  }
}

}  // namespace ratchet::correctness

namespace ratchet {

/// The stage's name as the last part of a test's: slashes are not allowed there.
inline std::string stage_name(const testing::TestParamInfo<const Stage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace ratchet
