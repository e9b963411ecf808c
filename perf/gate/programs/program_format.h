// The interface to programs of one benchmark library: how to list their benchmarks, which flags
// measure one of them, and how to read their output. All else that concerns third-party programs is
// in third_party_program.h.
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

class ProgramFormat {
 public:
  virtual ~ProgramFormat() = default;

  /// The names of the benchmarks that the filter selects (empty: all), in the program's order.
  /// Throws `Error` if the program cannot list them. Call this once, before the others.
  virtual std::vector<std::string> list(const Ask& ask, const std::string& filter) = 0;
  /// Flags that measure only the benchmark at this index of the list, in about the requested time,
  /// and write JSON to the scratch file. Throws `Error` if no flags select it.
  virtual std::vector<std::string> launch_flags(std::size_t benchmark,
                                                const LaunchRequest& request) const = 0;
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

}  // namespace ratchet::gate
