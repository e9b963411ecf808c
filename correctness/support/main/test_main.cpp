#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/support/ranks/job.h"
#include "perf/support/error.h"

namespace {

namespace fs = std::filesystem;

/// A suite whose name ends in Alone, which needs a run of its own; or "".
std::string suite_alone() {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const std::string name = all.GetTestSuite(i)->name();
    if (name.ends_with("Alone")) return name;
  }
  return "";
}

/// Only a program with the word ALONE of ratchet_test_program() has such a run; in any other
/// nothing would run the suite. A run that is for such suites, where none is built, passes for
/// nothing: it is skipped.
std::optional<ratchet::ExitCode> runs_in_vain() {
  const std::string suite = suite_alone();
  if (std::getenv("RATCHET_NONE_ALONE") && !suite.empty()) {
    std::fprintf(stderr, "%s runs in no test: add ALONE to its ratchet_test_program()\n",
                 suite.c_str());
    return ratchet::ExitCode::failed;
  }
  if (std::getenv("RATCHET_ONLY_ALONE") && suite.empty()) {
    std::fprintf(stderr, "skipped: no suite of this program runs alone in this build\n");
    return ratchet::ExitCode::nothing_ran;
  }
  return std::nullopt;
}

/// The folder of the temporary files of this program and of all that it starts, which goes with it.
class OwnTemporaryFolder {
 public:
  OwnTemporaryFolder() {
    constexpr const char* mark = "RATCHET_TEST_FOLDER";
    if (std::getenv(mark)) return;  // a test that runs in a process of its own, or a rank
    std::string name = (fs::temp_directory_path() / "ratchet-test.XXXXXX").string();
    if (!mkdtemp(name.data())) return;
    fs::permissions(name, fs::perms(0755));  // for tests that become other users
    path_ = name;
    setenv(mark, name.c_str(), 1);
    setenv("TMPDIR", name.c_str(), 1);
    setenv("TEST_TMPDIR", (name + "/").c_str(), 1);
  }
  OwnTemporaryFolder(const OwnTemporaryFolder&) = delete;
  OwnTemporaryFolder& operator=(const OwnTemporaryFolder&) = delete;
  ~OwnTemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

 private:
  fs::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const OwnTemporaryFolder folder;
    const ratchet::ranks::Session session;
    testing::InitGoogleTest(&argc, argv);
    if (const auto code = runs_in_vain()) return static_cast<int>(*code);
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
