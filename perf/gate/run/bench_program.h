// The benchmark program, seen from outside: started once per row and launch, controlled by flags,
// exit codes and JSON files only. `RatchetProgram` is one with ratchet's own flags;
// perf/gate/programs/third_party_program.h is any other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/clock.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/support/process.h"

namespace ratchet::gate {

/// The program to measure, and how to call it. open_program() refuses options that the program's
/// kind does not have.
struct ProgramOptions {
  std::filesystem::path program;
  double launch_limit_s = 60;  ///< timeout of a launch; a row whose launch takes longer fails
  double check_limit_s = 300;  ///< timeout of the check of a stage
  double list_limit_s = 60;    ///< timeout of listing; at least launch_limit_s is used
  /// Receives a line of progress where listing takes seconds; may be empty.
  std::function<void(const std::string&)> say = {};
  /// What is said of a program that is older than a source of its; empty where it is not.
  std::string stale = {};
  /// Words before the command of every launch: a profiler with its options.
  std::vector<std::string> under = {};

  // For a program with ratchet's flags.
  std::filesystem::path peaks_file = {};  ///< rows then show their share of the peak; may be empty
  std::vector<std::string> flags = {};    ///< additional flags of every launch

  // For a third-party program.
  std::vector<std::string> arguments = {};  ///< placed before the flags of its library
  std::string filter = {};         ///< the selected rows, passed on where possible; empty: all
  std::string name = {};           ///< the first part of its rows' names; may be empty
  std::string check_command = {};  ///< tests it before anything is timed; may be empty
  ClockChoice clock = ClockChoice::automatic;       ///< ThirdPartyOptions
  bool device_time = false;                         ///< Google Benchmark only: time the GPU's work
  std::vector<std::string> metrics = {};            ///< gated, too, for read_metric()
  std::map<RowId, FigureKind> stored_metrics = {};  ///< as a baseline has them, by their rows
  std::string rows = {};        ///< the filter of the run: which rows are asked for their metrics
  bool require_metrics = true;  ///< throw where no row states one of `metrics`
  std::filesystem::path powercap = "/sys/class/powercap";  ///< PackageEnergy

  // For a command that prints figures; `program` is then the folder that it runs in.
  std::string command = {};                        ///< for the shell; empty: a program
  std::optional<Better> direction = std::nullopt;  ///< of figures and metrics that tell none

  /// Of another revision's build: its results are not checked, and it is not asked for the share of
  /// a peak, since an older one may not know how. It may lack metrics.
  ProgramOptions of_base(const std::filesystem::path& built) const;
};

/// What a program can do in addition to listing and measuring its rows.
struct Abilities {
  bool checks = false;  ///< check() checks results; otherwise it passes with an empty line
  bool verifies_in_situ = false;  ///< verify_in_situ() checks the timed configuration
  bool tells_code = false;     ///< its build folder shows what its rows execute (identity/explain)
  bool slows_down = false;     ///< --ratchet_slowdown injects a slowdown (selftest)
  bool has_baselines = false;  ///< it is ratchet's own, which has a folder of baselines
  bool one_process = false;    ///< a process measures all rows, whichever are asked for
  bool recordable = false;     ///< a profiler of CPUs shows its loops: `explain` records rows
  bool other_layouts = false;  ///< a launch may be of LaunchRequest::program
};

/// The rows that the program can run here, and the stages that it cannot, with the reason.
struct Listing {
  std::vector<RowId> rows;
  std::map<RowId, std::string> unavailable = {};  ///< by stage
  /// The first part of all rows' names where a filter may leave it out.
  std::string name = "";
  std::string program = "the benchmark program";  ///< its path, for messages
  /// Of rows that are metrics, listed or lost, the row that each is of; empty: of the program. A
  /// filter that selects the row selects them.
  std::map<RowId, RowId> metrics = {};
  bool command = false;  ///< of a command, which cannot be asked for its rows
  std::string list_flag = "--benchmark_list_tests";  ///< with which the program prints its rows
};

/// What a program reports of itself without running a row.
struct CodeIdentity {
  std::map<RowId, std::string> digests;  ///< by row; equal digests, equal work
  std::map<RowId, std::string> units;    ///< of their throughput, as the program names them
  nlohmann::json context;                ///< machine and build, as in its launches; or null
};

struct CheckOutcome {
  bool passed = false;
  std::string detail;  ///< what failed, or what was checked
  std::string line;    ///< the program's own line, which launches get as proof
};

/// A launch, or why there is none.
struct LaunchOutcome {
  std::optional<Launch> launch;
  nlohmann::json context = nlohmann::json::object();
  std::string failure;
  bool unverified = false;  ///< the failure: the row's results were not checked
  bool skipped = false;     ///< the failure: the program skips the row on purpose
  // For third-party programs, as in Row:
  std::string basis;
  Clock clock = Clock::unknown;
  bool clock_named = false;
  double seconds = 0;  ///< wall time of the process
  /// The samples in order, seconds, where the launch writes them.
  std::vector<double> samples_s = {};
};

/// The CPUs of an interleaved row. SIGSTOP does not stop several threads at once. A thread that
/// waits for a CPU stops only when it gets one, and until then it runs concurrently with the other
/// process. Programs that support it therefore pause between runs. A row whose threads never run
/// concurrently is pinned to one CPU, where it stops at once.
enum class Cpus { one, one_for_all_threads, all, all_between_runs };

constexpr bool on_one_cpu(Cpus cpus) {
  return cpus == Cpus::one || cpus == Cpus::one_for_all_threads;
}

/// The parameters of one launch.
struct LaunchRequest {
  double budget_s = 0;                  ///< time for the samples
  std::filesystem::path verified_file;  ///< the lines of checks that passed
  std::filesystem::path scratch;        ///< the output file
  std::optional<int> cpu;               ///< for stages of one thread; otherwise the program chooses
  std::int64_t calls = 0;  ///< iterations, where the program can be told; 0: by `budget_s`
  std::string gpu = {};    ///< the only visible GPU; empty: those of this process
  /// Launched in the program's place: the same, linked otherwise (Abilities::other_layouts). Empty:
  /// itself.
  std::filesystem::path program = {};
  bool warm_up = true;    ///< interleaved: begin with a run that does not count
  Cpus cpus = Cpus::one;  ///< interleaved: on all CPUs, samples are written

  /// The request as environment variables, because an older base may not know a flag.
  Environment environment() const;
};

class SlicedLaunch;

/// A benchmark program as the run uses it.
class BenchProgram {
 public:
  virtual ~BenchProgram() = default;

  virtual const std::filesystem::path& path() const = 0;

  /// The rows, in the program's order. Throws `Error` when it cannot list them.
  virtual Listing list() const = 0;
  /// Digests of what its rows execute, and the machine, where the program reports them.
  virtual CodeIdentity code_identity() const { return {}; }
  /// Digests of what these rows execute where code_identity() knows the whole program alone; rows
  /// that cannot be followed are left out, and `say` gets a line with the reason.
  virtual std::map<RowId, std::string> row_digests(
      const std::set<RowId>& /*rows*/,
      const std::function<void(const std::string&)>& /*say*/) const {
    return {};
  }
  virtual Abilities abilities() const = 0;
  virtual CheckOutcome check(const std::string& stage) const = 0;
  /// Checks rows of one stage in their timed configuration, in about `seconds` for each row. A row
  /// passes unless it is wrong; its line says whether it was checked. Empty for a program without
  /// this ability.
  virtual std::map<RowId, CheckOutcome> verify_in_situ(const std::vector<RowId>& rows,
                                                       double seconds) const;
  /// Measures one row in one process. A failure of the program is an outcome, not an exception.
  virtual LaunchOutcome measure(const RowId& row, const LaunchRequest& request) const = 0;
  /// The same for several rows, in one process where the program can, otherwise in one process
  /// after the other. Returns an outcome for every row; a process that crashes fails all of its
  /// rows.
  virtual std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& rows,
                                                          const LaunchRequest& request) const;

  /// Rows of one answer are measured by one process in each launch, where they are asked for
  /// together: a row and its metrics.
  virtual RowId process_of(const RowId& row) const { return row; }

  /// The rows that can be interleaved with another process.
  virtual std::map<RowId, Cpus> interleaved_rows() const { return {}; }
  /// Starts a process that measures one of these rows in time slices. Throws `Error` when it cannot
  /// be started.
  virtual std::unique_ptr<SlicedLaunch> launch_interleaved(const RowId& row,
                                                           const LaunchRequest& request) const;
};

/// A program with the flags of ratchet-bench.
class RatchetProgram : public BenchProgram {
 public:
  /// Throws `Error` when the program is not there or cannot be executed.
  explicit RatchetProgram(ProgramOptions options);

  const std::filesystem::path& path() const override { return options_.program; }
  Listing list() const override { return list("."); }
  Listing list(const std::string& filter) const;  ///< of the rows that match
  CodeIdentity code_identity() const override;
  Abilities abilities() const override {
    return {true, true, true, true, path().filename() == "ratchet-bench"};
  }
  CheckOutcome check(const std::string& stage) const override;
  std::map<RowId, CheckOutcome> verify_in_situ(const std::vector<RowId>& rows,
                                               double seconds) const override;
  LaunchOutcome measure(const RowId& row, const LaunchRequest& request) const override;
  std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& rows,
                                                  const LaunchRequest& request) const override;
  std::map<RowId, Cpus> interleaved_rows() const override;
  std::unique_ptr<SlicedLaunch> launch_interleaved(const RowId& row,
                                                   const LaunchRequest& request) const override;

 private:
  /// The two functions above, for rows of `ranks` processes.
  std::map<RowId, CheckOutcome> verify_in_situ_on(std::uint64_t ranks,
                                                  const std::vector<RowId>& rows,
                                                  double seconds) const;
  std::map<RowId, LaunchOutcome> measure_on(std::uint64_t ranks, const std::vector<RowId>& rows,
                                            const LaunchRequest& request) const;
  std::vector<std::string> launch_command(const std::vector<RowId>& rows,
                                          const LaunchRequest& request) const;

  ProgramOptions options_;
};

/// The name of a command's rows: of its first word that is a file here, or else of its first word.
std::string name_of_command(const std::string& command);

/// The program's absolute path, which is not searched in PATH. Throws `Error` when it does not
/// exist or cannot be executed.
std::filesystem::path executable(const std::filesystem::path& program);

/// A filter that matches exactly this name: anchored, special characters escaped.
std::string exact_filter(const std::string& name);
/// A filter that matches exactly these names.
std::string exact_filter(const std::vector<RowId>& names);

}  // namespace ratchet::gate
