// What a check at the point reports, made of its tests.
#pragma once

#include <string>

#include "correctness/check.h"
#include "correctness/support/test_result.h"

namespace ratchet::correctness {

/// Wrong with the tests that rejected and what they saw, or right with what each test sees.
PointResult point_result(const TestResults& tests);

/// Unchecked, since `what` takes `seconds` and there are fewer; says how to ask for it.
PointResult too_long(const std::string& what, double seconds);

}  // namespace ratchet::correctness
