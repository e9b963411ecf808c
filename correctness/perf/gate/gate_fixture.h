// A folder of its own for each test, the program under test, and a worker that fails as it is told.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "correctness/support/programs.h"
#include "perf/gate/run/run.h"
#include "perf/support/process.h"

namespace ratchet {

class GateFixture : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"RATCHET_FAKE_SEED", "RATCHET_FAKE_CPU", "RATCHET_FAKE_GPU",
                             "RATCHET_FAKE_OPENCL", "RATCHET_HISTORY"})
      unsetenv(name);
    std::filesystem::create_directories(baselines());
    setenv("RATCHET_FAKE_PLAN", plan().c_str(), 1);
  }

  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path plan() const { return folder() / "plan"; }
  std::filesystem::path results() const { return folder() / "results" / "gate.json"; }
  std::filesystem::path baselines() const { return folder() / "baselines"; }
  std::filesystem::path stored() const { return baselines() / "fake-4c" / "demo.json"; }
  static std::string worker() { return RATCHET_DATA_DIR "/perf/gate/data/worker.sh"; }

  /// The rows that the worker has: "name mode throughput units spread" a line. Starts counting
  /// launches anew.
  void plan(const std::vector<std::string>& rows) {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().filename().string().starts_with("plan.")) std::filesystem::remove(entry);
    }
    std::ofstream file(plan());
    for (const std::string& row : rows) file << row << "\n";
  }

  static void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  /// Runs `ratchet` with these arguments; stdout and stderr joined in `output`.
  ProcessResult ratchet(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), built_program("perf/ratchet"));
    ProcessResult result = run_process(arguments, 60);
    result.output += result.errors;
    return result;
  }
  ProcessResult gate(std::vector<std::string> more = {}) { return gate_of(worker(), more); }
  /// The same of another program.
  ProcessResult gate_of(const std::string& program, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "gate",      "--bench",           program, "--baseline-dir", baselines(),
        "--results", folder() / "results"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ratchet(arguments);
  }
  ProcessResult accept(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"accept",       "--from", results(),  "--baseline-dir",
                                          baselines(),    "--yes",  "--reason", "a test",
                                          "--uncommitted"};  // what is being worked on
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ratchet(arguments);
  }
  /// Measures the plan and makes it the baseline.
  void store(const std::vector<std::string>& rows) {
    plan(rows);
    ASSERT_EQ(gate().exit_code, 0);
    ASSERT_EQ(accept().exit_code, 0);
  }

 private:
  ScratchFolder folder_;
};

/// The line that speaks of this row, with those that its reason goes on in.
inline std::string table_line(const std::string& output, const std::string& row) {
  std::istringstream lines(output);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (found.empty() && line.find(" " + row + " ") != std::string::npos) {
      found = line;
    } else if (!found.empty()) {
      if (!line.starts_with("   ")) return found;
      found += line.substr(line.find_first_not_of(' ') - 1);
    }
  }
  return found.empty() ? "no line of " + row + " in\n" + output : found;
}

}  // namespace ratchet
