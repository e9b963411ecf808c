#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/measure/collector/collected.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char file_name[] = "libratchet_collector.so";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

double number(const json& row, const char* key) {
  const json value = row.value(key, json());
  return value.is_number() ? value.get<double>() : 0;
}

timing::Collected of_launch(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    return {0, 0, "the program started no CUDA, or did not end by exit()"};
  return timing::read_line(read_text(file));
}

/// Why the collected time is not that of this row; empty if it is.
std::string complaint_of(const json& row, const timing::Collected& found) {
  if (!found.failure.empty()) return found.failure;
  if (number(row, "threads") > 1) return "it runs in several threads, and each has its own timer";
  const auto calls = static_cast<std::uint64_t>(number(row, "iterations"));
  if (calls == 0 || found.kernels % calls != 0)
    return fmt::format(
        "{} in {}: the benchmark pauses its timer, or its calls launch different "
        "kernels",
        counted(found.kernels, "kernels"), counted(calls, "calls"));
  return "";
}

void put(json& row, const timing::Collected& found) {
  if (const std::string wrong = complaint_of(row, found); !wrong.empty()) {
    row["error_occurred"] = true;
    row["error_message"] = "no device time: " + wrong;
    return;
  }
  const double calls = number(row, "iterations");
  row["real_time"] = 1e9 * found.seconds / calls;
  row["time_unit"] = "ns";
  row["cpu_time"] = 0.0;
  row["time_basis"] = to_string(ThroughputBasis::device_time);
  row["kernels"] = static_cast<double>(found.kernels) / calls;
  if (found.peak_bytes >= 0) row[device_memory_metric] = static_cast<double>(found.peak_bytes);
  for (const char* of_their_clock : {"units_per_second", "items_per_second", "bytes_per_second"})
    row.erase(of_their_clock);
}

}  // namespace

fs::path find_collector() {
  for (const char* taken : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    if (!variable(taken).empty())
      throw Error(fmt::format("--device-time cannot run with another CUPTI tool; unset {}", taken));
  const fs::path own = own_executable().parent_path();
  const std::string named = variable("RATCHET_COLLECTOR");
  for (const fs::path& file :
       {fs::path(named), own / file_name, own.parent_path() / "libexec" / "ratchet" / file_name}) {
    std::error_code ignored;
    if (!file.empty() && fs::is_regular_file(file, ignored)) return fs::absolute(file);
    if (!named.empty())
      throw Error("--device-time: RATCHET_COLLECTOR names a file that does not exist: " + named);
  }
  throw Error(fmt::format(
      "--device-time needs {}, which is not in {}; build ratchet with the CUDA Toolkit (cupti.h)",
      file_name, own.string()));
}

Environment collecting(const fs::path& collector, const fs::path& file) {
  const std::string before = variable("LD_PRELOAD");
  return {{"LD_PRELOAD", collector.string() + (before.empty() ? "" : ":" + before)},
          {"CUDA_INJECTION64_PATH", collector.string()},
          {timing::kCollectedFile, fs::absolute(file).string()}};
}

void require_cuda(const fs::path& program, const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return;
  const auto own = counters::own_parts(program), libraries = counters::library_parts(program);
  if (!own || !libraries) return;  // not machine code, or it loads what is not known
  const std::string parts = *own + *libraries;
  if (parts.find(".nv_fatbin") != parts.npos || parts.find("\nlibcu") != parts.npos) return;
  throw NoCuda(fmt::format("{} uses no CUDA, so --device-time has nothing to time; leave it out",
                           program.string()));
}

void put_device_time(json& output, const fs::path& file) {
  if (!output.is_object() || !output.contains("benchmarks") || !output["benchmarks"].is_array())
    return;  // the reader says what is wrong with it
  const timing::Collected found = of_launch(file);
  for (json& row : output["benchmarks"])
    if (row.is_object() && row.value("run_type", json()) != "aggregate" &&
        row.value("error_occurred", json()) != true)
      put(row, found);
}

}  // namespace ratchet::gate
