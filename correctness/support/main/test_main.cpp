#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "perf/support/error.h"
#include "kernels/support/ranks/job.h"

namespace {

/// Tests with Alone in their names are left to a run of their own, which only a program has that the build
/// declares so (the word ALONE of ratchet_test_program()): in any other nothing would run them.
bool leaves_out_tests() {
  if (!std::getenv("RATCHET_NONE_ALONE")) return false;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i)
    for (int k = 0; k < all.GetTestSuite(i)->total_test_count(); ++k) {
      const testing::TestInfo& test = *all.GetTestSuite(i)->GetTestInfo(k);
      if (std::string_view(test.test_suite_name()).find("Alone") == std::string_view::npos &&
          std::string_view(test.name()).find("Alone") == std::string_view::npos)
        continue;
      std::fprintf(stderr, "%s.%s runs in no test: add ALONE to its ratchet_test_program()\n",
                   test.test_suite_name(), test.name());
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
