// A new family is new files and nothing else. The toy family in data/toy is put into a copy of this
// repository: it is built, checked, gated, accepted and shown in the tables. A wrong stage is
// refused.
#include <gtest/gtest.h>

#include <set>

#include "correctness/support/expect_has.h"
#include "correctness/perf/gate/gate_fixture.h"
#include "perf/identity/build/build_options.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

class NewFamily : public GateFixture {
 protected:
  void SetUp() override {
    GateFixture::SetUp();
    for (const char* part : {"CMakeLists.txt", "README.md", "baselines", "ci", "correctness",
                             "kernels", "perf", "reference"})
      fs::copy(fs::path(RATCHET_SOURCE_DIR) / part, house() / part, fs::copy_options::recursive);
  }
  fs::path house() const {
    const fs::path path = folder() / "house";
    fs::create_directory(path);
    return path;
  }
  fs::path build() const { return house() / "build"; }
  /// Adds the files under data/NAME, none of which may be there already.
  void add(const char* name) {
    const fs::path from = fs::path(RATCHET_DATA_DIR) / "new_family/data" / name;
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      const fs::path to = house() / fs::relative(entry.path(), from);
      if (entry.is_directory())
        fs::create_directory(to);
      else
        ASSERT_TRUE(fs::copy_file(entry.path(), to, fs::copy_options::none));
    }
  }
  static ProcessResult run(const std::vector<std::string>& command,
                           const std::set<int>& exit_codes = {0}) {
    ProcessResult result = run_process(command, 600);
    result.output += result.errors;
    EXPECT_TRUE(exit_codes.count(result.exit_code))
        << command[0] << " " << command[1] << ": " << result.describe() << "\n"
        << result.output;
    return result;
  }
  /// Like this build. What is not new need not be compiled twice: reuse_objects.sh.
  void configure() {
    const auto like = read_build_options(cache_of_this_build());
    std::vector<std::string> command = {"cmake", "-S", house(),       "-B",
                                        build(), "-G", like.generator};
    for (const std::string& setting : like.settings)
      if (setting.find("_COMPILER_LAUNCHER:") == setting.npos) command.push_back("-D" + setting);
    const std::string launcher =
        std::string(RATCHET_DATA_DIR "/new_family/data/reuse_objects.sh;") +
        like.source.string() + ";" + like.build.string() + ";" + house().string();
    for (const char* language : {"CXX", "CUDA"})
      command.push_back(std::string("-DCMAKE_") + language + "_COMPILER_LAUNCHER=" + launcher);
    run(command);
  }
  void compile() {
    run({"cmake", "--build", build(), "--target", "ratchet", "ratchet-bench", "toy_test"});
  }
  ProcessResult ratchet(std::vector<std::string> arguments, const std::set<int>& exit_codes = {0}) {
    arguments.insert(arguments.begin(), build() / "perf" / "ratchet");
    arguments.insert(arguments.end(), {"--baseline-dir", house() / "baselines"});
    return run(arguments, exit_codes);
  }
  ProcessResult gate(const std::set<int>& exit_codes) {
    return ratchet({"gate", "--all-rows", "--filter", "^toy/", "--budget-s", "20", "--results",
                    folder() / "results", "--bench", build() / "perf" / "ratchet-bench"},
                   exit_codes);
  }
  void accept(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"accept",   "^toy/",  "--from", results(),
                                          "--reason", "a test", "--yes", "--uncommitted"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ratchet(arguments);
  }
};

TEST_F(NewFamily, TouchesNoFileThatIsThere) {
  add("toy");
  configure();
  compile();
  if (HasFailure()) return;
  run({"ctest", "--test-dir", build(), "-R", "^toy_test", "--no-tests=error"});
  run({"python3", house() / "ci" / "lab", "mutate", "--check"});

  const std::vector<std::string> stages = {"toy/cpu/01_bit_by_bit", "toy/cpu/02_popcount"};
  const std::string listed = run({build() / "perf" / "ratchet", "list", "toy"}).output;
  const std::string first = gate({0, 2}).output;  // new, or nothing to compare with yet
  accept({});
  accept({"--tolerance", "0.9"});  // whatever else this machine does meanwhile
  const std::string second = gate({0, 3}).output;
  const std::string tables = ratchet({"tables", "toy"}).output;
  ratchet({"tables", "--readme", "--readme-file", house() / "README.md"});
  const std::string page = read(house() / "kernels" / "toy" / "README.md");
  for (const std::string& stage : stages)
    for (const std::string& text : {listed, first, second, tables, page}) EXPECT_HAS(text, stage);
  EXPECT_HAS(read(house() / "perf" / "guide" / "articles.md"), "kernels/toy/README.md");
  EXPECT_HAS(tables, "about 64 ms");  // as published

  add("wrong");
  compile();
  const std::string refused = gate({2}).output;
  EXPECT_HAS(refused, "toy/cpu/03_halves");
  EXPECT_HAS(refused, "1 words: expected");
}

}  // namespace
}  // namespace ratchet
