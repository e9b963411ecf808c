// Any program of Google Benchmark's or nvbench's, from outside like ratchet's own
// (perf/gate/run/bench_program.h): one process per row and launch. Nothing is known of it but its
// library's flags (dialect.h), and nobody can check what it computes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/programs/dialect.h"
#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

class ThirdPartyProgram : public BenchProgram {
 public:
  /// Finds out whose the program is, and lists its rows.
  /// Throws `Error` when the program is not there, cannot be executed, or cannot list its rows.
  explicit ThirdPartyProgram(ProgramOptions program);

  /// Names by plain_name(); those that would then be the same stay whole, and of benchmarks of one
  /// name the later ones are numbered (numbered_names()). The program's name, where it has one, and
  /// "/" come before each.
  Listing list() const override { return listing_; }
  const std::filesystem::path& path() const override { return program_.program; }
  /// Where the program's files tell all that runs (counters::program_digest), of every row a digest
  /// of the whole program, its arguments and the row's name; and the machine.
  Work work() const override;
  Abilities abilities() const override { return {.checks = !program_.check_command.empty()}; }
  /// Runs the check command, once for all rows, in the working folder, by the shell. Throws `Error`
  /// when it fails.
  CheckOutcome check(const std::string& stage) const override;
  /// The launch carries "units_per_second" and, where known, "units", as ThirdPartyMeasurements;
  /// the outcome says by which `basis`. A row with repetitions of its own gives their medians.
  LaunchOutcome measure(const std::string& row, const LaunchRequest& request) const override;

 private:
  std::vector<std::string> command(const std::vector<std::string>& flags) const;
  void read_rows(const std::vector<std::string>& names);
  void read_launch(const std::filesystem::path& file, std::size_t benchmark,
                   LaunchOutcome& outcome) const;

  ProgramOptions program_;
  std::unique_ptr<Dialect> dialect_;
  std::filesystem::path collector_;  ///< with `device_time`
  Listing listing_;
  /// A row's place in its library's list, and its name there, numbered_names().
  struct Benchmark {
    std::size_t index;
    std::string numbered;
  };
  std::map<std::string, Benchmark> benchmarks_;  ///< by row
  mutable std::mutex check_mutex_;
  mutable std::optional<CheckOutcome> checked_;  ///< by the first check()
};

/// Whether the program knows the flags of ratchet-bench, and so is a `RatchetProgram`. Throws
/// `Error` where it does not answer within the limit; `say`: as of ProgramOptions.
bool knows_ratchet(const std::filesystem::path& program, double limit_s = 60,
                   const std::function<void(const std::string&)>& say = {});
/// How long a program may take to list its rows.
inline double list_limit_s(const ProgramOptions& bench) {
  return std::max(bench.list_limit_s, bench.launch_limit_s);
}

/// A `RatchetProgram` or a `ThirdPartyProgram`, as `bench.program` is. Throws `Error` as their
/// constructors do, and when a program of ratchet's own is given what is for others.
std::unique_ptr<BenchProgram> open_program(const ProgramOptions& bench);

}  // namespace ratchet::gate
