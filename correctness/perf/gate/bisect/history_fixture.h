// A git repository of many commits whose "ratchet-bench" is the gate's fake worker: each commit
// says how fast its rows are, and what they execute.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/gate/bisect/bisect.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet::bisect {

class HistoryFixture : public testing::Test {
 protected:
  struct Commit {
    std::string subject;
    std::map<std::string, std::string> files;  ///< that it changes; empty text: removes
  };

  void SetUp() override { unsetenv("GIT_DIR"); }

  std::filesystem::path repository() const { return scratch_.path() / "repository"; }
  std::filesystem::path results() const { return scratch_.path() / "results"; }

  /// "name ok units-per-second units spread digest", a line a row (worker.sh).
  static std::string plan(const std::vector<std::string>& rows) {
    std::string text;
    for (const std::string& row : rows) text += row + "\n";
    return text;
  }

  /// Commits 1 to n on top of commit 0, the project itself with `plan`. Equal commits have equal
  /// names in every test, so that a revision is built once for all.
  void make(const std::string& first_plan, const std::vector<Commit>& commits) {
    std::filesystem::create_directories(repository());
    std::string stream = commit(0, {"the project", project(first_plan)}, "");
    for (std::size_t i = 0; i < commits.size(); ++i)
      stream += commit(i + 1, commits[i], fmt::format("from :{}\n", i + 1));
    write_atomically(scratch_.path() / "stream", stream);
    git({"init", "-q", "-b", "main"});
    must({"sh", "-c", "git -C \"$0\" fast-import --quiet --export-marks=\"$1.marks\" <\"$1\"",
          repository().string(), (scratch_.path() / "stream").string()});
    git({"reset", "-q", "--hard", "main"});
    must({"cmake", "-S", repository(), "-B", scratch_.path() / "build"});
  }
  /// "main~3" and the like as a commit.
  std::string commit_of(const std::string& revision) const {
    std::string text = git({"rev-parse", revision});
    text.pop_back();
    return text;
  }
  BisectOptions options(const std::string& good, const std::string& bad,
                        const std::string& row = "") const {
    BisectOptions options;
    options.repository = repository();
    options.good = good;
    options.bad = bad;
    options.run.selection.filter = row;
    options.results = results();
    options.build.like = scratch_.path() / "build" / "CMakeCache.txt";
    static const ScratchFolder builds;  // for all tests of this program
    options.build.cache = builds.path();
    return options;
  }

  std::string git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"git", "-C", repository()});
    return must(arguments);
  }
  static std::string must(const std::vector<std::string>& command) {
    const ProcessResult result = run_process(command, 100);
    EXPECT_TRUE(result.ok()) << command[0] << ": " << result.describe() << result.output;
    return result.output;
  }

  ScratchFolder scratch_;

 private:
  static std::map<std::string, std::string> project(const std::string& first_plan) {
    const std::string lists = R"(cmake_minimum_required(VERSION 3.20)
project(toy LANGUAGES NONE)
if(EXISTS ${PROJECT_SOURCE_DIR}/broken)
  message(FATAL_ERROR "it is broken")
endif()
configure_file(bench.sh ${PROJECT_BINARY_DIR}/perf/ratchet-bench COPYONLY)
configure_file(plan ${PROJECT_BINARY_DIR}/perf/plan COPYONLY)
add_custom_target(ratchet-bench)
)";
    const std::string bench =
        "#!/bin/sh\n"
        "export RATCHET_FAKE_PLAN=$(dirname \"$0\")/plan\n"
        "export RATCHET_FAKE_SEED=$(cksum <\"$RATCHET_FAKE_PLAN\")\n"
        "exec " RATCHET_DATA_DIR "/perf/gate/data/worker.sh \"$@\"\n";
    return {{"CMakeLists.txt", lists}, {"bench.sh", bench}, {"plan", first_plan}};
  }
  /// In the language of git fast-import.
  static std::string commit(std::size_t number, const Commit& commit, const std::string& from) {
    const auto data = [](const std::string& text) {
      return fmt::format("data {}\n{}\n", text.size(), text);
    };
    std::string text = fmt::format("commit refs/heads/main\nmark :{}\n", number + 1);
    text += fmt::format("committer a <a@b> {} +0000\n", 1700000000 + number);
    text += data(commit.subject) + from;
    for (const auto& [path, content] : commit.files) {
      const char* mode = path == "bench.sh" ? "100755" : "100644";
      text += content.empty() ? fmt::format("D {}\n", path)
                              : fmt::format("M {} inline {}\n", mode, path) + data(content);
    }
    return text + "\n";
  }
};

}  // namespace ratchet::bisect
