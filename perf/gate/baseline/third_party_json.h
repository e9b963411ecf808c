// Reads the JSON of any Google Benchmark program. Such files have aggregates among the rows, failed
// rows with a time of zero, bare NaN, and a machine known by its name only; old versions lack keys.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "perf/gate/baseline/clock.h"
#include "perf/gate/baseline/measurements.h"

namespace ratchet {

/// The counter or time that a row's throughput is taken from: the first in this order that the row
/// has.
enum class ThroughputBasis {
  units,        ///< "units_per_second", as ratchet-bench writes it
  items,        ///< "items_per_second" (SetItemsProcessed)
  bytes,        ///< "bytes_per_second" (SetBytesProcessed)
  real_time,    ///< calls per second of real time
  cpu_time,     ///< calls per second of CPU time
  gpu_samples,  ///< nvbench: calls per second of GPU time, by central_mean() of all samples
  gpu_mean,     ///< the same by nvbench's mean, where the samples are missing
  device_time   ///< calls per second of GPU time, collected by CUPTI (--device-time)
};

/// The counter's name, or "1/real_time", "1/cpu_time".
std::string to_string(ThroughputBasis basis);
/// The inverse; `units` for an empty or unknown text.
ThroughputBasis basis_of(const std::string& text);
/// A row's basis as text, also of a figure that a command prints (figure.h).
std::string basis_text(const std::string& basis);

struct ThirdPartyOptions {
  ClockChoice clock = ClockChoice::automatic;
};

/// The names of benchmarks in their program's order; repeated names are numbered ("name#2").
std::vector<std::string> numbered_names(const std::vector<std::string>& names);

/// `name` where a file of ratchet can have it; otherwise its printable front, "~" and eight digits
/// of its hash.
std::string storable_name(const std::string& name);

/// The rows of one file. Every launch has the counter "units_per_second", whatever it was taken
/// from, and "units" where the work of one call is known: 1 for calls, and rate times time where
/// that is a whole number.
struct ThirdPartyMeasurements {
  Measurements measured;  ///< by plain_name(); repetitions stand as launches, by repetition_index
  std::map<RowId, std::string> failures;  ///< rows without figures, with the reason
  std::set<RowId> skipped;                ///< failures that the program skipped on purpose
};

/// Each row states its clock. Google Benchmark divides rates by the time that the benchmark chose:
/// real time with UseRealTime(), its own with UseManualTime(), otherwise CPU time. So do calls per
/// second here, and rates are kept, with these exceptions. Several threads, whose CPU times Google
/// Benchmark adds up, are judged by wall time, as is a row without CPU time. A clock that the user
/// names decides instead, except for rows whose wall time is not in the file: those that time
/// themselves or a GPU. Rates are then rescaled by the two times of the row.
///
/// Rows are named by plain_name(); names that would then be equal stay whole. Of several benchmarks
/// of one name the second is "name#2", the third "name#3" (numbered_names()). Rows of one name are
/// repetitions of one benchmark only where the file says so.
///
/// A row fails alone when it or one of its repetitions reports an error, was skipped, or is refused
/// by parse_launch. It also fails when the counter of its throughput is not finite and positive, or
/// when the file has only its aggregates. A row without a name fails as "benchmarks[3]". NaN and
/// Infinity in counters, which Google Benchmark prints bare, are ignored. Throws `Error` naming
/// `what` for anything that is not Google Benchmark's output, and for a file of aggregates only.
ThirdPartyMeasurements parse_third_party(const nlohmann::json& root, const std::string& what,
                                         const ThirdPartyOptions& options = {});

/// The runs in a file into which several runs were merged: two rows of the same benchmark (by
/// family_index and per_family_instance_index) and repetition are of different runs. Only `root`
/// where there is one run, or the rows lack these keys.
std::vector<nlohmann::json> merged_runs(const nlohmann::json& root);

/// As above, from a file. Also throws `Error` naming it when it cannot be read or is not JSON.
ThirdPartyMeasurements read_third_party(const std::filesystem::path& file,
                                        const ThirdPartyOptions& options = {});

/// One launch from the repetitions of one process: the medians of its times and throughputs.
Launch median_launch(const Row& repetitions);

/// JSON of other programs: strict (parse_json), except for bare NaN, repeated keys (the first
/// counts), and texts of rows that are not UTF-8.
nlohmann::json parse_their_json(std::string_view text, const std::string& what);

/// The same from a file. Files of nvbench and cargo-criterion are converted to Google Benchmark's
/// format (other_formats.h).
nlohmann::json read_third_party_json(const std::filesystem::path& file);

/// `text` with bare NaN, Infinity, nan and inf, signed or not, replaced by null outside of strings.
std::string without_bare_nan(std::string_view text);

}  // namespace ratchet
