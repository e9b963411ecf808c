// JSON of any Google Benchmark program, as it really is: aggregates among the rows, failed rows
// with a time of zero, bare NaN, keys that old versions lack, a machine known by its name only.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "perf/gate/baseline/measurements.h"

namespace ratchet {

/// What a row's throughput was taken from. In this order: the first that the row has.
enum class ThroughputBasis {
  units,        ///< "units_per_second", as ratchet-bench writes it
  items,        ///< "items_per_second" (SetItemsProcessed)
  bytes,        ///< "bytes_per_second" (SetBytesProcessed)
  real_time,    ///< calls per second of real time
  cpu_time,     ///< calls per second of CPU time
  gpu_samples,  ///< of nvbench's: calls per second of GPU time, by central_mean() of all samples
  gpu_mean,     ///< the same by the mean that it gives, where the samples are not to be had
  device_time   ///< calls per second of GPU time, collected by CUPTI (--device-time)
};

/// The counter's name, or "1/real_time", "1/cpu_time".
std::string to_string(ThroughputBasis basis);
/// The way back; of an empty or unknown text, `units`.
ThroughputBasis basis_of(const std::string& text);

struct ThirdPartyOptions {
  bool cpu_time = false;  ///< rows without a counter for throughput: by CPU time, not real time
};

/// The names of benchmarks in their program's order, those that were there before numbered.
std::vector<std::string> numbered_names(const std::vector<std::string>& names);

/// `name` where files of ratchet's can hold it. Else its printable front, "~" and eight digits of
/// its hash: a name that is too long or unprintable costs no row.
std::string storable_name(const std::string& name);

/// The rows of one file. Every launch carries the counter "units_per_second", whatever it was taken
/// from, and "units" where the work of one call is known: 1 for calls, and rate times time where
/// that is a whole number.
struct ThirdPartyMeasurements {
  Measurements measured;  ///< by plain_name(); repetitions stand as launches, by repetition_index
  std::map<std::string, ThroughputBasis> basis;  ///< by row
  std::map<std::string, std::string> failures;   ///< rows without figures, with the reason
  std::set<std::string> skipped;  ///< those of them that the program skipped on purpose
};

/// Names that differ only in what plain_name() leaves out stay whole; of several benchmarks of one
/// name the second is "name#2", the third "name#3", as numbered_names() has them. Rows of one name
/// are repetitions of one benchmark only where the file says so. A row fails alone, by name, when
/// it or one of its repetitions reports an error, was skipped, or is refused by parse_launch, when
/// the counter of its throughput is not finite and positive, or when only its aggregates are there;
/// a row without a name by its place, "benchmarks[3]". NaN and Infinity, which Google Benchmark
/// prints bare, are passed over in counters. Throws `Error` naming `what` for what is no output of
/// Google Benchmark, and for a file of aggregates alone.
ThirdPartyMeasurements parse_third_party(const nlohmann::json& root, const std::string& what,
                                         const ThirdPartyOptions& options = {});

/// The runs in a file into which several were merged: rows of one benchmark (by family_index and
/// per_family_instance_index) and one repetition are of different runs. `root` itself where they
/// are of one, or do not tell.
std::vector<nlohmann::json> merged_runs(const nlohmann::json& root);

/// As above, from a file. Throws `Error` naming it also when it cannot be read or is no JSON.
ThirdPartyMeasurements read_third_party(const std::filesystem::path& file,
                                        const ThirdPartyOptions& options = {});

/// One launch from the repetitions of one process: the medians of its times and throughputs.
Launch median_launch(const Row& repetitions);

/// JSON as other programs write it: strict (parse_json), but for bare NaN, a key that is there twice
/// (the first counts), and texts of rows that are no UTF-8.
nlohmann::json parse_their_json(std::string_view text, const std::string& what);

/// The same of a file. Files of nvbench and cargo-criterion are brought into Google Benchmark's
/// form (other_formats.h).
nlohmann::json read_third_party_json(const std::filesystem::path& file);

/// `text` with bare NaN, Infinity, nan and inf, signed or not, replaced by null outside of strings.
std::string without_bare_nan(std::string_view text);

}  // namespace ratchet
