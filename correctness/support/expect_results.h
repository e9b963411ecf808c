// A test of GoogleTest made of test results.
#pragma once

#include <gtest/gtest.h>

#include "correctness/support/test_result.h"

namespace ratchet::correctness {

/// None is rejected; the record of the run holds what each saw and the smallest fault it catches.
inline void expect(const TestResults& tests) {
  for (const TestResult& test : tests) {
    testing::Test::RecordProperty(test.name, test.seen + "; catches " + test.power);
    EXPECT_FALSE(test.rejected()) << test.name << ": " << test.seen << " (p = " << test.p << ")";
  }
}

}  // namespace ratchet::correctness
