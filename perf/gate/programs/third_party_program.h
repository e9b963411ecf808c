// Any Google Benchmark or nvbench program, seen from outside like ratchet's own
// (perf/gate/run/bench_program.h): one process per row and launch. Only its library's flags are
// known (program_format.h); its results can be checked only by a command of the user.
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
#include "perf/gate/programs/program_format.h"
#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

class ThirdPartyProgram : public BenchProgram {
 public:
  /// Finds out which library the program uses, and lists its rows. Throws `Error` when the program
  /// does not exist, cannot be executed, or cannot list its rows.
  explicit ThirdPartyProgram(ProgramOptions program);

  /// Names by plain_name(); names that would then be equal stay whole, and repeated names are
  /// numbered (numbered_names()). The program's name, where it has one, and "/" come first.
  Listing list() const override { return listing_; }
  const std::filesystem::path& path() const override { return program_.program; }
  /// For every row a digest of the whole program, its arguments and the row's name, where the
  /// program's files contain all code that runs (counters::program_digest); and the machine.
  CodeIdentity code_identity() const override;
  Abilities abilities() const override { return {.checks = !program_.check_command.empty()}; }
  /// Runs the check command by the shell in the working folder, once for all rows. Throws `Error`
  /// when it fails.
  CheckOutcome check(const std::string& stage) const override;
  /// The launch has "units_per_second" and, where known, "units", as in ThirdPartyMeasurements; the
  /// outcome has the `basis`. A row with repetitions gives their medians.
  LaunchOutcome measure(const std::string& row, const LaunchRequest& request) const override;

 private:
  std::vector<std::string> command(const std::vector<std::string>& flags) const;
  void read_rows(const std::vector<std::string>& names);
  void read_launch(const std::filesystem::path& file, std::size_t benchmark,
                   LaunchOutcome& outcome) const;

  ProgramOptions program_;
  std::unique_ptr<ProgramFormat> format_;
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

/// Whether the program has the flags of ratchet-bench, and so is a `RatchetProgram`. Throws `Error`
/// at the timeout; `say`: see ProgramOptions.
bool knows_ratchet(const std::filesystem::path& program, double limit_s = 60,
                   const std::function<void(const std::string&)>& say = {});
/// The timeout of listing a program's rows.
inline double list_limit_s(const ProgramOptions& bench) {
  return std::max(bench.list_limit_s, bench.launch_limit_s);
}

/// A `RatchetProgram` or a `ThirdPartyProgram`, depending on the flags of `bench.program`. Throws
/// `Error` as their constructors do, and when a `RatchetProgram` gets options of third-party
/// programs.
std::unique_ptr<BenchProgram> open_program(const ProgramOptions& bench);

}  // namespace ratchet::gate
