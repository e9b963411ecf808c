// Converts the output of other benchmark libraries to Google Benchmark's format.
//
//   nvbench          --json: one row per state, "<benchmark>/<axis>:<value>/..." ("/device:1" where
//                    a file has several devices), with its cold GPU time, or else its batch or CPU
//                    time; the device's name becomes gpu.model. --jsonbin also writes the samples
//                    of a state to a file; then the time is central_mean() of the samples,
//                    otherwise the mean that nvbench gives
//   cargo-criterion  --message-format=json: lines; every benchmark-complete is a row, with the
//                    median over its samples of time per iteration
//   pytest-benchmark, hyperfine, JMH, BenchmarkDotNet, vitest, pyperf, nanobench
//                    their JSON (from_sampled_json())
//   go test -bench   its text, and the events of -json
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratchet {

/// nvbench's output in Google Benchmark's format, with the key "time_basis" (a ThroughputBasis) in
/// each row; nothing where `root` is not nvbench's. A state that was skipped, has no time, or whose
/// file of samples contradicts the JSON becomes a row with an error. `folder`: that of the JSON;
/// where the files of samples are missing, the mean is used. Throws `Error` beginning with `what`
/// for a file without states, and for a benchmark without a name.
std::optional<nlohmann::json> from_nvbench(const nlohmann::json& root, const std::string& what,
                                           const std::filesystem::path& folder);

/// The row name of an nvbench benchmark at values of its axes.
std::string nvbench_row(std::string benchmark,
                        const std::vector<std::pair<std::string, std::string>>& axes);

/// The mean of the middle nine tenths. The clock of GPU events has steps of up to a microsecond, so
/// short kernels show two or three different times. A slowdown of a tenth can leave their median
/// unchanged, but not their mean. The trimmed tenth removes single outliers.
double central_mean(std::vector<double> values);

/// The same for the lines of cargo-criterion. Throws `Error` for a line that is not JSON, and for a
/// benchmark without samples.
std::optional<nlohmann::json> from_criterion(std::string_view text, const std::string& what);

/// The rows of the other libraries, by content. Each sample is a repetition; the text
/// "launch_index" tells which process measured it, since these libraries start processes for each
/// row. The names of metrics besides times stand in the context as "not_judged".
///
///   pytest-benchmark  --benchmark-json: the file is a process; the median of its rounds
///   hyperfine         --export-json: every time is a process
///   JMH               -rf json: a fork is a process, an iteration a sample; parameters, the mode
///                     and several threads belong to the name
///   BenchmarkDotNet   report-full.json: a launch is a process, a workload's result a sample; the
///                     job belongs to a name that the file repeats
///   vitest            --outputJson: the file is a process, and states medians
///   pyperf            -o: a run with values is a process, a value a sample
///   nanobench         templates::json(): the file is a process, an epoch a sample
///
/// A row without samples, with a time that is not a positive number, or of a process that failed
/// becomes a row with an error. Throws `Error` beginning with `what` for a file without rows, and
/// for a name that is missing or repeated.
std::optional<nlohmann::json> from_sampled_json(const nlohmann::json& root,
                                                const std::string& what);

/// The same for Go: `go test -bench`, or its events with -json. Lines of one name are samples of a
/// process, which PASS or FAIL ends; the package begins the name. A benchmark or package that
/// failed becomes a row with an error. Throws `Error` for a line that is cut or malformed.
std::optional<nlohmann::json> from_go(std::string_view text, const std::string& what);

// The results that criterion writes to target/criterion: for each benchmark a folder, with a folder
// for each run ("new" for the last one, and those that --save-baseline names). A run has
// benchmark.json with the benchmark's name, and sample.json with the iterations and nanoseconds of
// every sample.

struct CriterionFolder {
  std::filesystem::path folder;
  std::string run = "new";
};

/// Parses "target/criterion" or, for a run, "target/criterion@before". Nothing where the folder has
/// *.json files itself, or no samples of criterion below it.
std::optional<CriterionFolder> criterion_folder(const std::string& argument);

/// The benchmarks of a run in Google Benchmark's format, one row each (see from_criterion()).
/// Throws `Error` naming a malformed file, or, where there is no such run, the existing runs.
nlohmann::json from_criterion_folder(const CriterionFolder& of);

}  // namespace ratchet
