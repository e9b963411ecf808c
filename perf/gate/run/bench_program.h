// The program that measures, seen from outside: a Google Benchmark binary started once per row and
// launch, spoken to by flags, exit codes and JSON files only. `RatchetProgram` is one that knows
// ratchet's own flags; perf/gate/programs/third_party_program.h is any other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/support/process.h"

namespace ratchet::gate {

/// Which program is measured, and how it is called. What is of programs of one kind alone is
/// refused by open_program() for those of the other.
struct ProgramOptions {
  std::filesystem::path program;
  double launch_limit_s = 60;  ///< a launch that takes longer is killed, and its row failed
  double check_limit_s = 300;  ///< the same for the check of a stage
  double list_limit_s = 60;    ///< for all that is asked before anything is measured; at least as
                               ///< long as a launch may be
  /// Receives a line where that takes seconds; may be empty.
  std::function<void(const std::string&)> say = {};

  // Of a ratchet-bench.
  std::filesystem::path peaks_file = {};  ///< passed on, so that rows carry their share of the
                                          ///< limit; may be empty
  std::vector<std::string> flags = {};    ///< given to every launch besides

  // Of any other.
  std::vector<std::string> arguments = {};  ///< handed to it before its library's own
  std::string filter = {};         ///< the rows wanted, passed on where it can be; empty: all
  std::string name = {};           ///< the first part of its rows' names; may be empty
  std::string check_command = {};  ///< tests it, run before anything is timed; may be empty
  bool cpu_time = false;           ///< ThirdPartyOptions
  bool device_time = false;  ///< of Google Benchmark's: time what its GPU does (device_time.h)
};

/// What a program can do besides listing and measuring its rows.
struct Abilities {
  bool checks = false;            ///< check() looks at what it computes; else it passes, says that
                                  ///< nobody looked, and has an empty line
  bool verifies_in_situ = false;  ///< and verify_in_situ() at the very points that are timed
  bool tells_code = false;     ///< its build folder tells what its rows execute (identity/explain)
  bool slows_down = false;     ///< --ratchet_slowdown makes it do more (selftest)
  bool has_baselines = false;  ///< its project keeps baselines: there is a folder of them
};

/// What the worker can run here, and what it knows but cannot, with the reason.
struct Listing {
  std::vector<std::string> rows;
  std::map<std::string, std::string> unavailable = {};  ///< by stage
  /// The first part of all rows' names where a filter may leave it out.
  std::string name = "";
};

/// What a program says of itself without running anything.
struct Work {
  std::map<std::string, std::string> digests;  ///< by row; equal digests, equal work
  nlohmann::json context;                      ///< machine and build, as in its launches; or null
};

struct CheckOutcome {
  bool passed = false;
  std::string detail;  ///< what failed; what was checked when it passed
  std::string line;    ///< the worker's own line, to be handed back as proof
};

/// Either a launch, or why there is none.
struct LaunchOutcome {
  std::optional<Launch> launch;
  nlohmann::json context = nlohmann::json::object();
  std::string failure;
  bool unverified = false;  ///< the failure is that nobody checked the row
  bool skipped = false;     ///< the failure is that the program skips the row on purpose
  std::string basis;        ///< what the throughput was taken from, where it is not our counter
  double seconds = 0;       ///< wall time of the process
  /// Each sample, seconds, in order; of launches that were asked for them.
  std::vector<double> samples_s = {};
};

/// Where a row runs that is interleaved. Threads are not stopped at once: those that wait for a CPU
/// stop when they have one, and until then the other process is under way, too. So the programs
/// that know how are stopped between runs. A row that has several threads and no two of them at
/// work is put on one CPU by us: there it is stopped at once.
enum class Cpus { one, one_for_all_threads, all, all_between_runs };

constexpr bool on_one_cpu(Cpus cpus) {
  return cpus == Cpus::one || cpus == Cpus::one_for_all_threads;
}

/// What a session asks of one process.
struct LaunchRequest {
  double budget_s = 0;                  ///< time for the samples
  std::filesystem::path verified_file;  ///< the check lines so far
  std::filesystem::path scratch;        ///< a file to write to
  std::optional<int> cpu;               ///< for stages of one thread; else the program's choice
  std::string gpu = {};                 ///< the only one it sees; empty: those that this one sees
  bool warm_up = true;    ///< of an interleaved launch: make a run that does not count
  Cpus cpus = Cpus::one;  ///< of an interleaved launch; on all, each sample is wanted

  /// Variables of the process: the base of a comparison may not know a flag yet.
  Environment environment() const;
};

class SlicedLaunch;

/// What a session needs of a program, whoever wrote it.
class BenchProgram {
 public:
  virtual ~BenchProgram() = default;

  virtual const std::filesystem::path& path() const = 0;

  /// The rows, in the program's order. Throws `Error` when it cannot even list them.
  virtual Listing list() const = 0;
  /// What its rows would execute, and on what, where the program knows.
  virtual Work work() const { return {}; }
  virtual Abilities abilities() const = 0;
  virtual CheckOutcome check(const std::string& stage) const = 0;
  /// What some rows of one stage compute at the very points that are timed, in about so many
  /// seconds a row. Passed is what is not wrong; its line says whether it was checked at all. Rows
  /// of a program without that ability are left out.
  virtual std::map<std::string, CheckOutcome> verify_in_situ(const std::vector<std::string>& rows,
                                                             double seconds) const;
  /// One process that measures one row. Never throws for what the program does.
  virtual LaunchOutcome measure(const std::string& row, const LaunchRequest& request) const = 0;
  /// The same for several rows; in one process where the program can, otherwise one after another.
  /// An outcome for every row asked for; a process that dies fails all of them.
  virtual std::map<std::string, LaunchOutcome> measure_together(
      const std::vector<std::string>& rows, const LaunchRequest& request) const;

  /// The rows that can be interleaved with another process.
  virtual std::map<std::string, Cpus> interleaved_rows() const { return {}; }
  /// Starts a process that measures one of them in slices. Throws `Error` when there is none to be
  /// had.
  virtual std::unique_ptr<SlicedLaunch> launch_interleaved(const std::string& row,
                                                           const LaunchRequest& request) const;
};

/// A program that knows the flags of ratchet-bench.
class RatchetProgram : public BenchProgram {
 public:
  /// Throws `Error` when the program is not there or cannot be executed.
  explicit RatchetProgram(ProgramOptions options);

  const std::filesystem::path& path() const override { return options_.program; }
  Listing list() const override;
  Work work() const override;
  Abilities abilities() const override { return {true, true, true, true, true}; }
  CheckOutcome check(const std::string& stage) const override;
  std::map<std::string, CheckOutcome> verify_in_situ(const std::vector<std::string>& rows,
                                                     double seconds) const override;
  LaunchOutcome measure(const std::string& row, const LaunchRequest& request) const override;
  std::map<std::string, LaunchOutcome> measure_together(
      const std::vector<std::string>& rows, const LaunchRequest& request) const override;
  std::map<std::string, Cpus> interleaved_rows() const override;
  std::unique_ptr<SlicedLaunch> launch_interleaved(const std::string& row,
                                                   const LaunchRequest& request) const override;

 private:
  /// As the two without a number, for rows of so many ranks.
  std::map<std::string, CheckOutcome> verify_in_situ_on(std::uint64_t ranks,
                                                        const std::vector<std::string>& rows,
                                                        double seconds) const;
  std::map<std::string, LaunchOutcome> measure_on(std::uint64_t ranks,
                                                  const std::vector<std::string>& rows,
                                                  const LaunchRequest& request) const;
  std::vector<std::string> launch_command(const std::vector<std::string>& rows,
                                          const LaunchRequest& request) const;

  ProgramOptions options_;
};

/// The program as an absolute path, so that it is not searched in PATH. Throws `Error` when it is
/// not there or cannot be executed.
std::filesystem::path executable(const std::filesystem::path& program);

/// A filter that matches this name and no other: anchored, special characters escaped.
std::string exact_filter(const std::string& name);
/// The same for several names.
std::string exact_filter(const std::vector<std::string>& names);

}  // namespace ratchet::gate
