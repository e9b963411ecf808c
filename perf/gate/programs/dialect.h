// How programs of one library are spoken to: how they tell of their benchmarks, which flags make
// them measure one of these, and how what they wrote is read. Everything else about a program that
// is not ratchet's is the same for all (third_party_program.h).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

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

}  // namespace ratchet::gate
