// Any Google Benchmark or nvbench program, seen from outside like ratchet's own
// (perf/gate/run/bench_program.h): one process per row and launch. Only its library's flags are
// known (`ProgramFormat`); its results can be checked only by a command of the user.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/metric.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/programs/energy.h"
#include "perf/gate/run/bench_program.h"
#include "perf/support/error.h"
#include "perf/support/process.h"

namespace ratchet::gate {

// The interface to programs of one benchmark library: how to list their benchmarks, which flags
// measure one of them, and how to read their output. All else is the same for all programs.

/// Runs the program with its arguments and these flags.
using Ask = std::function<ProcessResult(const std::vector<std::string>& flags)>;

class ProgramFormat {
 public:
  virtual ~ProgramFormat() = default;

  /// The names of the benchmarks that the filter selects (empty: all), in the program's order.
  /// Throws `Error` if the program cannot list them. Call this once, before the others.
  virtual std::vector<std::string> list(const Ask& ask, const std::string& filter) = 0;
  /// Flags that select only the benchmark at this index of the list.
  virtual std::vector<std::string> selection(std::size_t benchmark) const = 0;
  /// With these, flags that measure it in about the requested time, and write JSON to the scratch
  /// file. Throws `Error` if no flags select it.
  virtual std::vector<std::string> launch_flags(std::size_t benchmark,
                                                const LaunchRequest& request) const = 0;
  /// Whether LaunchRequest::calls is the number of calls that a launch of it makes.
  virtual bool takes_calls(std::size_t /*benchmark*/) const { return false; }
  /// The name of this benchmark in the output of a launch, numbered if the name is not unique.
  virtual std::string name_in_output(std::size_t benchmark) const = 0;
  /// The output in Google Benchmark's form. Throws `Error` beginning with "its output".
  virtual nlohmann::json read_output(const std::filesystem::path& file) const = 0;
  /// Further files that a launch writes, besides its scratch file.
  virtual std::vector<std::filesystem::path> side_files(
      const std::filesystem::path& /*scratch*/) const {
    return {};
  }
};

/// With `device_time` the GPU's time of a row is taken, so the flags warm the GPU up first.
std::unique_ptr<ProgramFormat> google_benchmark_format(bool device_time);

/// A row is a state: a benchmark at values of its axes, and on one device if there are several.
/// Throws `Error` for arguments that select benchmarks, axes or an output file.
std::unique_ptr<ProgramFormat> nvbench_format(const std::vector<std::string>& arguments);
/// Whether this is an nvbench program, by its answer to flags with which Google Benchmark programs
/// only list their rows.
bool is_nvbench(const Ask& ask);

/// --check-cmd, which the shell runs in the working folder: once for all rows.
class CheckCommand {
 public:
  /// Throws `Error` when it fails.
  CheckOutcome run(const ProgramOptions& program) const;
  bool passed() const { return outcome_ && outcome_->passed; }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<CheckOutcome> outcome_;
};

class ThirdPartyProgram : public BenchProgram {
 public:
  /// Finds out which library the program uses, and lists its rows. With metrics it launches each
  /// selected row shortly, to see what it states. Throws `Error` when the program does not exist,
  /// cannot be executed, or cannot list its rows, and for a metric that no row states.
  explicit ThirdPartyProgram(ProgramOptions program);

  /// Names by plain_name(); names that would then be equal stay whole, and repeated names are
  /// numbered (numbered_names()). The program's name, where it has one, and "/" come first.
  Listing list() const override { return listing_; }
  const std::filesystem::path& path() const override { return program_.program; }
  /// The command that runs a listed row alone, as its library does by default.
  std::vector<std::string> run_alone(const RowId& row) const {
    return command(format_->selection(benchmarks_.at(benchmark_of(row)).index));
  }
  /// For every row a digest of the whole program, its arguments and the row's name, where the
  /// program's files contain all code that runs (counters::program_digest); and the machine.
  CodeIdentity code_identity() const override;
  /// Of Google Benchmark programs (perf/identity/digests/row_digest.h).
  std::map<RowId, std::string> row_digests(
      const std::set<RowId>& rows,
      const std::function<void(const std::string&)>& say) const override;
  Abilities abilities() const override {
    return {.checks = !program_.check_command.empty(),
            .recordable = recordable(),
            .other_layouts = !on_gpu()};
  }
  /// `explain` can record its rows: a compiler made it.
  bool recordable() const;
  /// Whether its rows may launch kernels.
  bool on_gpu() const;
  /// Why perf and Callgrind do not see what a row executes: a GPU, a script. Empty where they do.
  std::string not_on_cpu() const;
  /// Whether a launch can be told how many calls to make.
  bool takes_calls(const RowId& row) const;
  /// Whether the row itself states how many iterations it makes, each of which may be many calls.
  bool states_calls(const RowId& row) const;
  /// The command that runs one call of the row for a profiler, where its library has one; or empty.
  std::vector<std::string> run_once(const RowId& row) const;
  CheckOutcome check(const std::string&) const override { return check_.run(program_); }
  /// The launch has "units_per_second" and, where known, "units", as in ThirdPartyMeasurements; the
  /// outcome has the `basis`. A row with repetitions gives their medians.
  LaunchOutcome measure(const RowId& row, const LaunchRequest& request) const override {
    return measure_together({row}, request).at(row);
  }
  /// A process for each benchmark, which gives the figures of its metrics, too.
  std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& rows,
                                                  const LaunchRequest& request) const override;
  RowId process_of(const RowId& row) const override;
  /// The row that a metric's is of, or itself; of the program's size itself.
  RowId benchmark_of(const RowId& row) const;

 private:
  static constexpr double shortest_s = 0.002;  ///< of a launch that only tells what it states
  /// A benchmark's launch.
  struct Launched {
    LaunchOutcome outcome;
    Row repetitions;
    double peak_bytes = 0;
  };
  /// Of a metric's row; `row` is empty for the program's size.
  struct OfRow {
    RowId row;
    Metric metric;
    /// In launches of its own (instructions.h, energy.h); else stated by a launch of `row`, or of
    /// its process.
    bool counted = false;
  };
  std::string arguments() const;
  std::vector<std::string> command(const std::vector<std::string>& flags) const;
  void read_rows(const std::vector<std::string>& names);
  void find_metrics();
  void list_stored_metrics();
  std::optional<std::vector<RowId>> rows_to_ask(const std::vector<Metric>& named) const;
  void add_metric(const RowId& row, const Metric& metric, bool counted = false);
  void count_in(const RowId& row, const Metric& metric);
  Metric counted_metric(const RowId& row, Metric metric) const;
  double instructions_of_a_call(const OfRow& of, const LaunchRequest& request) const;
  LaunchOutcome count(const OfRow& of, const LaunchRequest& request) const;
  bool can_have_energy(const RowId& row, const Metric& metric);
  void say_rows_without_energy() const;
  double energy_of(const OfRow& of, const LaunchRequest& request) const;
  void read_launch(const std::filesystem::path& file, std::size_t benchmark,
                   const ProcessResult& process, Launched& launched) const;
  Launched launch(const RowId& row, const LaunchRequest& request) const;
  LaunchOutcome outcome_of(const OfRow& of, const Launched& launched) const;
  LaunchOutcome size_of_program(const Metric& metric) const;
  std::map<RowId, std::string> digests_of_benchmarks(
      const std::set<RowId>& rows, const std::function<void(const std::string&)>& say) const;

  ProgramOptions program_;
  bool nvbench_ = false;
  std::unique_ptr<ProgramFormat> format_;
  std::filesystem::path collector_;  ///< with `device_time`
  Listing listing_;
  /// A row's place in its library's list, and its name there, numbered_names().
  struct Benchmark {
    std::size_t index;
    std::string numbered;
  };
  std::map<RowId, Benchmark> benchmarks_;  ///< by row
  std::map<RowId, OfRow> metrics_;         ///< by their rows
  mutable bool said_callgrind_ = false;
  std::map<std::string, std::unique_ptr<timing::EnergyCounter>> energy_;  ///< by metric
  std::map<std::string, std::vector<RowId>> without_energy_;              ///< likewise
  mutable std::map<std::string, std::map<RowId, std::int64_t>> calls_for_energy_;
  CheckCommand check_;
};

/// MB of a process's peak memory (ProcessResult), 8 at least: the kernel counts that of this
/// process, which forks, too.
inline double peak_mb(double peak_bytes) { return std::max(least_memory_mb, peak_bytes / 1e6); }

/// Any command (ProgramOptions::command): a launch runs it by the shell, and its rows are the
/// figures that it prints (perf/gate/baseline/figure.h). Of one that prints none the rows are its
/// wall time, CPU time and peak memory. The constructor runs it once, to list the rows, and throws
/// `Error` where it fails or prints something malformed. A later launch that prints other rows,
/// units or directions fails.
/// With the metrics energy and device_energy of a launch, NAME/energy, whatever it prints.
class CommandProgram : public BenchProgram {
 public:
  explicit CommandProgram(ProgramOptions program);

  const std::filesystem::path& path() const override { return place_; }
  Listing list() const override { return listing_; }
  CodeIdentity code_identity() const override;  ///< the machine: of what it runs nothing is known
  Abilities abilities() const override {
    return {.checks = !program_.check_command.empty(), .one_process = true};
  }
  CheckOutcome check(const std::string&) const override { return check_.run(program_); }
  LaunchOutcome measure(const RowId& row, const LaunchRequest& request) const override;
  std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& rows,
                                                  const LaunchRequest& request) const override;

 private:
  struct Launched {
    ProcessResult process;
    std::map<RowId, Figure> figures;
    std::set<std::string> not_judged;       ///< read_figures()
    bool printed = false;                   ///< the figures, which are else of the process
    std::map<RowId, std::string> failures;  ///< of rows of energy
    std::set<std::string> printed_energy;   ///< metrics whose names it prints itself
  };
  RowId row_of(const std::string& figure) const {
    return storable_name(program_.name + "/" + figure);
  }
  void open_energy();
  void require_energy(const Launched& first);
  Launched launch() const;
  ProcessResult run(std::map<std::string, double>& joules) const;
  void add_energy(const std::map<std::string, double>& joules, Launched& launched) const;
  LaunchOutcome outcome_of(const RowId& row, const Launched& launched) const;

  ProgramOptions program_;
  std::filesystem::path place_;  ///< a name in its folder, which tells builds apart
  Listing listing_;
  std::map<RowId, std::string> kinds_;  ///< FigureKind::text()
  bool prints_ = false;
  std::map<std::string, std::unique_ptr<timing::EnergyCounter>> energy_;  ///< by metric
  CheckCommand check_;
};

/// Of a row of Google Benchmark's Threads(); else 1.
std::size_t threads_of(const RowId& row);

/// Whether a compiler made this program; a script is none.
bool is_machine_code(const std::filesystem::path& program);
/// Whether such a program has a section of CUDA device code. Its libraries are not asked.
bool has_device_code(const std::filesystem::path& program);

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

/// No row of the program can have a GPU time.
class NoCuda : public Error {
 public:
  using Error::Error;
};

/// After a launch that should have left `file`: throws `NoCuda` where it started no CUDA, and
/// neither the program nor any library that it can load has device code or is CUDA's. Other
/// programs, and scripts, may have CPU rows besides those of the GPU.
void require_cuda(const std::filesystem::path& program, const std::filesystem::path& file);

/// Replaces the times of a launch's rows (Google Benchmark's format) by the GPU time of one call.
/// Removes the rates, which are by the program's own clock. A row without a GPU time gets an
/// "error_message" (collected.h). So do rows of several threads, each of which has a timer, and
/// rows whose number of kernels is not a multiple of their calls.
void put_device_time(nlohmann::json& output, const std::filesystem::path& file);

}  // namespace ratchet::gate
