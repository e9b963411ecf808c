#include "perf/baseline/other_formats.h"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <vector>

#include "kernels/support/error.h"
#include "perf/stats/quantile.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using nlohmann::json;

/// A member of an object, or null.
json member(const json& object, const char* key) {
  return object.is_object() ? object.value(key, json()) : json();
}

/// nvbench gives numbers as such, or as text.
std::optional<double> number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  std::istringstream stream(value.get<std::string>());
  double parsed = 0;
  return stream >> parsed && stream.eof() ? std::optional(parsed) : std::nullopt;
}

std::optional<double> summary(const json& state, const std::string& tag) {
  for (const json& one : member(state, "summaries")) {
    if (member(one, "tag") != tag) continue;
    for (const json& datum : member(one, "data"))
      if (member(datum, "name") == "value") return number(member(datum, "value"));
  }
  return std::nullopt;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

json states_of(const json& benchmark, const std::string& what) {
  json states = member(benchmark, "states");
  if (!states.is_array()) throw Error(what + ": a benchmark of nvbench's has no list of states");
  return states;
}

std::string state_name(const json& benchmark, const json& state, bool several_devices,
                       const std::string& what) {
  const json name = member(benchmark, "name");
  if (!name.is_string()) throw Error(what + ": a benchmark of nvbench's has no name");
  std::string full = name.get<std::string>();
  for (const json& axis : member(state, "axis_values"))
    full += "/" + text_of(member(axis, "name")) + ":" + text_of(member(axis, "value"));
  if (several_devices) full += "/device:" + text_of(member(state, "device"));
  return full;
}

json state_row(const std::string& name, const json& state, const std::string& what) {
  json row = {{"name", name}, {"run_name", name}, {"run_type", "iteration"}, {"time_unit", "s"}};
  if (member(state, "is_skipped") == true) {
    row["error_occurred"] = true;
    row["error_message"] = text_of(member(state, "skip_reason"));
    return row;
  }
  for (const char* tag : {"nv/cold/time/gpu/mean", "nv/batch/time/gpu/mean",
                          "nv/cpu_only/time/cpu/mean", "nv/cold/time/cpu/mean"}) {
    const auto seconds = summary(state, tag);
    if (!seconds) continue;
    row["real_time"] = *seconds;
    row["cpu_time"] = summary(state, "nv/cold/time/cpu/mean").value_or(*seconds);
    row["iterations"] = summary(state, "nv/cold/sample_size").value_or(1);
    row["repetition_index"] = 0;
    return row;
  }
  throw Error(fmt::format("{}, row {}: nvbench gives no mean time", what, name));
}

/// The median over samples of time a turn, in the unit of the line.
double median_turn(const json& line, const std::string& where) {
  const json turns = member(line, "iteration_count"), times = member(line, "measured_values");
  if (!turns.is_array() || turns.empty() || !times.is_array() || turns.size() != times.size())
    throw Error(where + ": criterion gives no samples");
  std::vector<double> each;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto time = number(times[i]), count = number(turns[i]);
    if (!time || !count || !(*count > 0))
      throw Error(where + ": a sample of criterion's is no time");
    each.push_back(*time / *count);
  }
  return stats::median(each);
}

}  // namespace

std::optional<json> from_nvbench(const json& root, const std::string& what) {
  const json benchmarks = member(root, "benchmarks"), devices = member(root, "devices");
  const bool its = benchmarks.is_array() && !benchmarks.empty() && !root.contains("context") &&
                   benchmarks[0].is_object() && benchmarks[0].contains("states");
  if (!its) return std::nullopt;
  std::set<std::string> used;
  for (const json& benchmark : benchmarks)
    for (const json& state : states_of(benchmark, what))
      used.insert(member(state, "device").dump());
  json rows = json::array();
  for (const json& benchmark : benchmarks)
    for (const json& state : states_of(benchmark, what))
      rows.push_back(state_row(state_name(benchmark, state, used.size() > 1, what), state, what));
  if (rows.empty()) throw Error(what + ": no state of nvbench's benchmarks was run");
  json context = json::object();
  for (const json& device : devices)
    if (used.count(member(device, "id").dump()) && !context.contains("gpu.model"))
      context["gpu.model"] = text_of(member(device, "name"));
  return json{{"context", context}, {"benchmarks", rows}};
}

std::optional<json> from_criterion(std::string_view text, const std::string& what) {
  const std::string first(text.substr(0, text.find('\n')));
  if (!member(json::parse(first, nullptr, false), "reason").is_string()) return std::nullopt;
  json rows = json::array();
  std::istringstream lines{std::string(text)};
  int at = 0;
  for (std::string line; std::getline(lines, line);) {
    ++at;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const json parsed = parse_json(line, fmt::format("{}, line {}", what, at));
    if (member(parsed, "reason") != "benchmark-complete") continue;
    const std::string name = text_of(member(parsed, "id"));
    const double time = median_turn(parsed, fmt::format("{}, row {}", what, name));
    rows.push_back({{"name", name},
                    {"run_name", name},
                    {"run_type", "iteration"},
                    {"time_unit", text_of(member(parsed, "unit"))},
                    {"real_time", time},
                    {"cpu_time", time},
                    {"iterations", parsed["iteration_count"].size()}});
  }
  return json{{"context", json::object()}, {"benchmarks", rows}};
}

}  // namespace ratchet
