// Any Google Benchmark or nvbench program, seen from outside like ratchet's own
// (perf/gate/run/bench_program.h): one process per row and launch. Only its library's flags are
// known (`Dialect`); its results can be checked only by a command of the user.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/run/bench_program.h"
#include "perf/support/process.h"

namespace ratchet::gate {

// How programs of one library are spoken to: how they tell of their benchmarks, which flags make
// them measure one of these, and how what they wrote is read. Everything else about a program that
// is not ratchet's is the same for all.

/// Runs the program with its arguments and these flags.
using Ask = std::function<ProcessResult(const std::vector<std::string>& flags)>;

class Dialect {
 public:
  virtual ~Dialect() = default;

  /// The names of the benchmarks that the filter selects (empty: all), in the program's order.
  /// Throws `Error` where it cannot tell; to be called once, before the others.
  virtual std::vector<std::string> list(const Ask& ask, const std::string& filter) = 0;
  /// Measure the benchmark at this place of the list alone, in about so many seconds, and write
  /// JSON to the scratch file. Throws `Error` where no flags select it.
  virtual std::vector<std::string> launch_flags(std::size_t benchmark,
                                                const LaunchRequest& request) const = 0;
  /// The name that this benchmark has in what a launch writes, numbered where it has a namesake.
  virtual std::string name_in_output(std::size_t benchmark) const = 0;
  /// That file in Google Benchmark's form. Throws `Error` beginning with "its output".
  virtual nlohmann::json read_output(const std::filesystem::path& file) const = 0;
  /// What a launch leaves beside its scratch file.
  virtual std::vector<std::filesystem::path> side_files(
      const std::filesystem::path& /*scratch*/) const {
    return {};
  }
};

/// `device_time`: of its rows the GPU's time is taken, which wants a GPU at its clock.
std::unique_ptr<Dialect> google_benchmark_dialect(bool device_time);

/// Rows are the states: a benchmark at values of its axes, on a device where there are several.
/// Throws `Error` for arguments that choose benchmarks, axes or an output of their own.
std::unique_ptr<Dialect> nvbench_dialect(const std::vector<std::string>& arguments);
/// Whether a program is nvbench's, by its answer to flags with which Google Benchmark's only list
/// their rows.
bool speaks_nvbench(const Ask& ask);

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
  Work work() const override;
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

// --device-time: times the GPU's work of a Google Benchmark program without rebuilding it. The
// collector (perf/measure/collector/collector.cpp) is injected into each of its launches.

/// The collector that RATCHET_COLLECTOR names, or in the folder of this program, or where it is
/// installed. Throws `Error` where there is none, or another tool uses the same injection.
std::filesystem::path find_collector();

/// The environment of a launch with the collector, which writes its results to `file`.
Environment collecting(const std::filesystem::path& collector, const std::filesystem::path& file);

/// Replaces the times of a launch's rows, in Google Benchmark's format, by the GPU time of one
/// call, and removes rates from the program's own clock. A row without a GPU time gets an
/// "error_message": see collected.h; rows of several threads, each of which has a timer; and rows
/// whose number of kernels is not a multiple of their calls.
void put_device_time(nlohmann::json& output, const std::filesystem::path& file);

}  // namespace ratchet::gate
