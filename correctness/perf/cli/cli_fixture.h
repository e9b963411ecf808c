// The program from outside, for tests of its commands.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"

namespace ratchet {

class Cli : public GateFixture {
 protected:
  /// One line "ratchet: ..." that holds every word, and the exit code.
  void expect_error(const ProcessResult& result, int code, const std::vector<std::string>& words) {
    EXPECT_EQ(result.exit_code, code) << result.output;
    EXPECT_TRUE(result.errors.starts_with("ratchet: ")) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    for (const std::string& word : words)
      EXPECT_HAS(result.errors, word) << word << "\n" << result.errors;
  }
};

}  // namespace ratchet
