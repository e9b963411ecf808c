// nvbench: --json, and the samples that --jsonbin leaves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "perf/gate/baseline/converted.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using converted::failed_row;
using converted::member;
using converted::number;
using converted::text_of;
using nlohmann::json;

/// A datum of a summary, by the summary's tag; or null.
json summary(const json& state, const std::string& tag, const char* name) {
  for (const json& one : member(state, "summaries")) {
    if (member(one, "tag") != tag) continue;
    for (const json& datum : member(one, "data"))
      if (member(datum, "name") == name) return member(datum, "value");
  }
  return json();
}

std::optional<double> figure(const json& state, const std::string& tag) {
  return number(summary(state, tag, "value"));
}

/// nvbench writes null for an empty list.
json states_of(const json& benchmark, const std::string& what) {
  json states = member(benchmark, "states");
  if (!states.is_array() && !states.is_null())
    throw Error(what + ": an nvbench benchmark has no list of states");
  return states;
}

std::string state_name(const json& benchmark, const json& state, bool several_devices,
                       const std::string& what) {
  const json name = member(benchmark, "name");
  if (!name.is_string()) throw Error(what + ": an nvbench benchmark has no name");
  std::vector<std::pair<std::string, std::string>> axes;
  for (const json& axis : member(state, "axis_values"))
    axes.emplace_back(text_of(member(axis, "name")), text_of(member(axis, "value")));
  if (several_devices) axes.emplace_back("device", text_of(member(state, "device")));
  return nvbench_row(name.get<std::string>(), axes);
}

/// The seconds that a file holds as little-endian float32. Throws `Error` when they are not `count`
/// times.
std::vector<double> read_samples(const fs::path& file, double count) {
  const std::string bytes = read_text(file);
  std::vector<float> samples(bytes.size() / sizeof(float));
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  const bool times = std::all_of(samples.begin(), samples.end(),
                                 [](float time) { return std::isfinite(time) && time >= 0; });
  if (bytes.size() % sizeof(float) != 0 || static_cast<double>(samples.size()) != count || !times)
    throw Error(
        fmt::format("{} does not hold the {} sample times that the JSON file names; measure again, "
                    "or copy the folder together with the JSON file",
                    file.string(), count));
  return {samples.begin(), samples.end()};
}

/// What --jsonbin left of a state; nothing where it did not, or the files stayed elsewhere. Their
/// names are relative to the JSON's folder, in older versions to that of the run.
std::vector<double> samples_of(const json& state, const std::string& kind, const fs::path& folder) {
  const std::string tag = "nv/json/bin:nv/" + kind + "/sample_times";
  const json name = summary(state, tag, "filename");
  if (!name.is_string()) return {};
  const fs::path file = name.get<std::string>();
  for (const fs::path& place :
       {folder / file, folder / file.parent_path().filename() / file.filename()})
    if (fs::is_regular_file(place))
      return read_samples(place, number(summary(state, tag, "size")).value_or(-1));
  return {};
}

struct Time {
  double seconds = 0;
  ThroughputBasis basis = ThroughputBasis::real_time;
};

/// The first that a state has of the times that nvbench measures.
std::optional<Time> time_of(const json& state, const fs::path& folder) {
  for (const auto& [kind, sampled, mean] :
       {std::tuple("cold", ThroughputBasis::gpu_samples, ThroughputBasis::gpu_mean),
        std::tuple("batch", ThroughputBasis::gpu_mean, ThroughputBasis::gpu_mean),
        std::tuple("cpu_only", ThroughputBasis::real_time, ThroughputBasis::real_time)}) {
    const std::string clock = kind == std::string("cpu_only") ? "cpu" : "gpu";
    const std::vector<double> samples = samples_of(state, kind, folder);
    if (!samples.empty()) return Time{central_mean(samples), sampled};
    if (const auto seconds = figure(state, fmt::format("nv/{}/time/{}/mean", kind, clock)))
      return Time{*seconds, mean};
  }
  const auto seconds = figure(state, "nv/cold/time/cpu/mean");
  return seconds ? std::optional(Time{*seconds, ThroughputBasis::real_time}) : std::nullopt;
}

json state_row(const std::string& name, const json& state, const fs::path& folder) {
  json row = {{"name", name}, {"run_name", name}, {"run_type", "iteration"}, {"time_unit", "s"}};
  row["repetition_index"] = 0;
  if (member(state, "is_skipped") == true) {
    // An exception of the benchmark is a skip to nvbench; one that it asked for is on purpose.
    const std::string reason = text_of(member(state, "skip_reason"));
    if (reason.starts_with("Unexpected error")) return failed_row(row, reason);
    row["skipped"] = true;
    row["skip_message"] = reason;
    return row;
  }
  try {
    const auto time = time_of(state, folder);
    const bool discarded = figure(state, "nv/cold/sample_size") == 0.0;
    if (discarded && (!time || time->basis != ThroughputBasis::real_time))
      return failed_row(
          row, "nvbench discarded all cold samples, because the GPU was throttled; measure again");
    if (!time) return failed_row(row, "nvbench reports no time");
    if (!(time->seconds > 0))
      return failed_row(row, "nvbench reports a time that is not a positive number");
    row["real_time"] = time->seconds;
    row["cpu_time"] = figure(state, "nv/cold/time/cpu/mean").value_or(time->seconds);
    row["iterations"] = figure(state, "nv/cold/sample_size").value_or(1);
    row["time_basis"] = to_string(time->basis);
  } catch (const Error& error) {
    return failed_row(row, error.what());
  }
  return row;
}

}  // namespace

std::string nvbench_row(std::string benchmark,
                        const std::vector<std::pair<std::string, std::string>>& axes) {
  for (const auto& [axis, value] : axes) benchmark += "/" + axis + ":" + value;
  return benchmark;
}

double central_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(values.size() / 20);
  const double sum = std::accumulate(values.begin() + cut, values.end() - cut, 0.0);
  return sum / static_cast<double>(values.size() - 2 * static_cast<std::size_t>(cut));
}

std::optional<json> from_nvbench(const json& root, const std::string& what,
                                 const fs::path& folder) {
  const json benchmarks = member(root, "benchmarks"), devices = member(root, "devices");
  const bool its = benchmarks.is_array() && !benchmarks.empty() && !root.contains("context") &&
                   std::any_of(benchmarks.begin(), benchmarks.end(), [](const json& benchmark) {
                     return benchmark.is_object() && benchmark.contains("states");
                   });
  if (!its) return std::nullopt;
  std::set<std::string> used;
  for (const json& benchmark : benchmarks)
    for (const json& state : states_of(benchmark, what))
      used.insert(member(state, "device").dump());
  json rows = json::array();
  for (const json& benchmark : benchmarks)
    for (const json& state : states_of(benchmark, what))
      rows.push_back(state_row(state_name(benchmark, state, used.size() > 1, what), state, folder));
  if (rows.empty()) throw Error(what + ": nvbench ran no state of any benchmark");
  json context = json::object();
  for (const json& device : devices)
    if (used.count(member(device, "id").dump()) && !context.contains("gpu.model"))
      context["gpu.model"] = text_of(member(device, "name"));
  return json{{"context", context}, {"benchmarks", rows}};
}

}  // namespace ratchet
