// What statistical checks see at the counts that they are run with, as a table of a README.
#pragma once

#include <string>

#include "correctness/support/test_result.h"

namespace ratchet::correctness {

/// A line a statistical test of `on_cpu`, with its power there and that of the test of its name in
/// `on_gpu`; tests that see any single difference are left out.
std::string power_table(const TestResults& on_cpu, const TestResults& on_gpu);

}  // namespace ratchet::correctness
