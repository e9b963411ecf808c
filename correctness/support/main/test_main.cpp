#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/support/ranks/job.h"
#include "perf/support/error.h"

namespace {

namespace fs = std::filesystem;

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
    if (leaves_out_tests()) return static_cast<int>(ratchet::ExitCode::failed);
    return RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
