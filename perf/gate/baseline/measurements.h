// Measurements in the format of Google Benchmark's JSON output, one row per process launch.
//
// `repetition_index` numbers the launches of a name; counters are flat numbers next to Google
// Benchmark's own keys. Everything else that ratchet needs is in the object `ratchet` of the
// context, which other readers ignore.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/row_filter.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/identity/row_id.h"
#include "perf/measure/counter_keys.h"

namespace ratchet {

/// One row of one process launch.
struct Launch {
  int index = 0;       ///< `repetition_index`
  double real_ms = 0;  ///< time of one call, milliseconds; positive
  double cpu_ms = 0;   ///< CPU time of one call, milliseconds; 0 where not measured
  std::int64_t iterations = 1;
  /// The flat numeric keys without Google Benchmark's own: those of perf/measure/counter_keys.h,
  /// and those of a third-party program.
  std::map<std::string, double> counters;
  /// Of repetitions in a file of another library: which process measured this one, where the file
  /// tells it (converted.h).
  std::string process = {};

  std::optional<double> counter(const std::string& name) const;
  /// Whether other processes used the CPU of a row of one CPU: its CPU time is more than 5 % below
  /// its time, or more than 1 % where it kept preempted samples; or a third-party program waited
  /// for a CPU during more than 5 % of its time. Such a launch decides nothing.
  bool contended() const;
  bool operator==(const Launch&) const = default;
};

/// By which time a row's throughput is measured (clock.h).
enum class Clock {
  unknown,
  cpu,
  wall,
  waits,  ///< wall time, because the row mainly waits
  gpu,
  manual  ///< the program's own
};

/// All launches of one row: of a stage at one configuration.
struct Row {
  RowId name;
  std::vector<Launch> launches;          ///< by index
  std::optional<double> tolerance;       ///< relative; overrides the default of the row's backend
  std::vector<std::string> limits = {};  ///< absolute, "< 5 ms" (stated_limit.h); sorted
  /// For a row of a third-party program, the counter that its throughput is taken from
  /// ("items_per_second", "1/real_time"); such a row may lack "units" and "verified". Empty for
  /// rows of ratchet's own.
  std::string basis = "";
  /// For such a row; unknown in older files, and for rows of ratchet's own: clock_of().
  Clock clock = Clock::unknown;
  bool clock_named = false;  ///< by the user; not stored

  /// Throughput of each launch in units per second.
  std::vector<double> throughputs() const;
  /// Work of one call, which is the same in all launches.
  double units() const;
  /// Whether ratchet::timing evicted the GPU's L2 cache before each sample.
  bool cold() const;
};

struct Measurements {
  nlohmann::json context = nlohmann::json::object();
  std::map<RowId, Row> rows;

  /// The fields of the context that perf/identity/machine/fingerprint.h describes.
  Fingerprint fingerprint() const;
};

/// Copies the OpenCL device (opencl.*) where `into` lacks it: a launch without OpenCL rows does not
/// query it.
void take_opencl(nlohmann::json& into, const nlohmann::json& from);

/// A row's name without the suffixes of Google Benchmark's timing options
/// ("/manual_time", "/real_time", "/process_time", "/iterations:N", "/repeats:N", "/min_time:T").
std::string plain_name(std::string_view benchmark_name);

/// Reads one element of "benchmarks" into a launch. Throws `Error` beginning with `where` for a key
/// that is missing or of the wrong type. Also for a number that is not finite, a time that is not
/// positive, or an unknown unit of time. Throws the row's own message when the row is an error or
/// skipped.
Launch parse_launch(const nlohmann::json& row, const std::string& where);

/// Checks what the gate compares: `units` and `units_per_second` positive, `verified` 1, and the
/// three figures in agreement (units / time within a factor of two of units_per_second; otherwise
/// some unit is wrong). Returns the first complaint, or nothing.
std::optional<std::string> complaint(const Launch& launch);

/// The same for a launch of a third-party program, where the counters "units" and "verified" may be
/// missing.
std::optional<std::string> complaint_of_third_party(const Launch& launch);

/// Why a file of ratchet cannot have a row of this name: it has no family before the first "/", is
/// not printable, or is longer than 1024 bytes. Nothing where it can.
std::optional<std::string> complaint_of_name(const RowId& name);

/// Whether the row's results were checked in every launch.
bool is_verified(const Row& row);

/// Reads a file that ratchet wrote: a baseline or the results of a gate run. Throws `Error` naming
/// file and row for:
/// - a third-party file (no context.ratchet.format 1);
/// - a row that parse_launch or complaint refuses, or a name that complaint_of_name refuses;
/// - times not in ms, or a tolerance outside (0, 1);
/// - a launch that appears twice, or a row without launches;
/// - launches of one row with different `units`.
Measurements read_measurements(const std::filesystem::path& file);

/// The same from text; `what` names its origin in errors.
Measurements parse_measurements(std::string_view text, const std::string& what);

/// The text of a file for read_measurements: sorted keys, one line per launch, rows by name, then
/// by launch. Launches are numbered from 0; `repetitions` is their number.
std::string to_text(const Measurements& measurements);

}  // namespace ratchet
