#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "perf/support/error.h"
#include "kernels/support/ranks/job.h"

namespace {

/// Suites whose names end in Alone need a run of their own. Only a program with the word ALONE of
/// ratchet_test_program() has one; in any other nothing would run them.
bool leaves_out_tests() {
  if (!std::getenv("RATCHET_NONE_ALONE")) return false;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const char* name = all.GetTestSuite(i)->name();
    if (!std::string_view(name).ends_with("Alone")) continue;
    std::fprintf(stderr, "%s runs in no test: add ALONE to its ratchet_test_program()\n", name);
    return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const ratchet::ranks::Session session;
    testing::InitGoogleTest(&argc, argv);
    if (leaves_out_tests()) return static_cast<int>(ratchet::ExitCode::failed);
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
