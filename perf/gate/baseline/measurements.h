// Measurements in the form of Google Benchmark's JSON output, one row per process launch.
//
// Every row of a name is one launch, told apart by `repetition_index`; the counters are flat
// numbers beside Google Benchmark's own keys. What ratchet needs to know besides stands in the
// object `ratchet` of the context, which other readers ignore.
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

/// What one process launch measured of one row.
struct Launch {
  int index = 0;       ///< `repetition_index`
  double real_ms = 0;  ///< time of one call, milliseconds; positive
  double cpu_ms = 0;   ///< CPU time of one call, milliseconds; 0 where nobody measured it
  std::int64_t iterations = 1;
  /// The flat numeric keys, Google Benchmark's own left out: perf/measure/counter_keys.h, and
  /// those of another program.
  std::map<std::string, double> counters;

  std::optional<double> counter(const std::string& name) const;
  /// Whether others held the CPU of a row that has one: its time on the CPU is clearly below its
  /// time, more than 1 % where it had to keep samples during which the CPU was taken away, else
  /// more than 5 %. Such a launch does not count.
  bool contended() const;
};

/// All launches of one row: a stage, or a stage at one point of its sweep.
struct Row {
  RowId name;
  std::vector<Launch> launches;     ///< by index
  std::optional<double> tolerance;  ///< relative; overrides the default of the row's backend
  /// Of a row of somebody else's program, what its throughput was taken from ("items_per_second",
  /// "1/real_time"); empty for rows of ratchet's own. Such a row may lack "units" and "verified".
  std::string basis = "";

  /// Throughput of each launch in units per second.
  std::vector<double> throughputs() const;
  /// Work of one call; of the first launch, as all are the same.
  double units() const;
};

struct Measurements {
  nlohmann::json context = nlohmann::json::object();
  std::map<RowId, Row> rows;

  /// The fields of the context that perf/identity/machine/fingerprint.h describes.
  Fingerprint fingerprint() const;
};

/// Copies what `from` knows of the OpenCL device (opencl.*) where `into` knows nothing of it: a
/// launch without OpenCL rows does not ask.
void take_opencl(nlohmann::json& into, const nlohmann::json& from);

/// A row's name without what Google Benchmark appends for its own ways of timing
/// ("/manual_time", "/real_time", "/process_time", "/iterations:N", "/repeats:N", "/min_time:T").
std::string plain_name(std::string_view benchmark_name);

/// Reads one element of "benchmarks" into a launch. Throws `Error` beginning with `where` when a
/// key is missing or of the wrong type, a number is not finite, the time is not positive, the unit
/// of time is unknown, or the row is an error or skipped (then with the row's own message).
Launch parse_launch(const nlohmann::json& row, const std::string& where);

/// Checks what the gate compares: `units` and `units_per_second` positive, `verified` 1, and the
/// three figures in agreement (units / time within a factor of two of units_per_second; otherwise
/// some unit is wrong). Returns the first complaint, or nothing.
std::optional<std::string> complaint(const Launch& launch);

/// The same of a launch of somebody else's program: what it states must be right, but the work of a
/// call may be unknown, and that anybody checked it.
std::optional<std::string> complaint_of_third_party(const Launch& launch);

/// Why files of ratchet's cannot have a row of this name: it is empty or has no family before the
/// first "/", is unprintable, or longer than 1024 bytes. Nothing where they can.
std::optional<std::string> complaint_of_name(const std::string& name);

/// Whether somebody checked what the row computes, in every launch.
bool is_verified(const Row& row);

/// Reads a file that ratchet wrote: a baseline or the results of a gate run. Strict: throws `Error`
/// naming file and row for a third-party file (no context.ratchet.format 1), any row that
/// parse_launch or complaint refuse, times not in ms, a launch given twice, a row without launches,
/// launches of one row with different `units`, a tolerance outside (0, 1), a name that is empty,
/// unprintable or longer than 1024 bytes.
Measurements read_measurements(const std::filesystem::path& file);

/// The same from text that came from `what` (usually a file).
Measurements parse_measurements(std::string_view text, const std::string& what);

/// The text that read_measurements reads back: sorted keys, one line per launch, rows by name, then
/// by launch; launches numbered anew from 0, `repetitions` set to their number.
std::string to_text(const Measurements& measurements);

}  // namespace ratchet
