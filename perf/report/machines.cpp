#include "perf/report/machines.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/support/error.h"
#include "perf/baseline/json_file.h"
#include "perf/stats/centre.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

double non_negative(const json& object, const char* key, const std::string& where) {
  if (!object.contains(key)) throw Error(fmt::format("{}: \"{}\" is missing", where, key));
  if (!object[key].is_number() || object[key].get<double>() < 0)
    throw Error(fmt::format("{}: \"{}\" is no number of 0 or more", where, key));
  return object[key].get<double>();
}

TimeSinkRow read_row(const json& row, const std::string& where) {
  if (!row.is_object() || !row.contains("name") || !row["name"].is_string())
    throw Error(where + ": \"name\" is missing or no text");
  TimeSinkRow result;
  result.name = row["name"].get<std::string>();
  result.total_ms = non_negative(row, "total_ms", where);
  if (row.contains("count")) result.count = non_negative(row, "count", where);
  if (row.contains("share")) result.share = non_negative(row, "share", where);
  return result;
}

}  // namespace

TimeSink read_time_sink(const std::filesystem::path& file) {
  const json root = read_json(file);
  const std::string name = file.string();
  if (!root.is_object() || !root.contains("rows") || !root["rows"].is_array())
    throw Error(name + ": there is no list \"rows\"");
  TimeSink sink;
  for (std::size_t i = 0; i < root["rows"].size(); ++i)
    sink.rows.push_back(read_row(root["rows"][i], fmt::format("{}, rows[{}]", name, i)));
  for (const auto& [key, value] : root.items()) {
    if (key.ends_with("_ms") && value.is_number())
      sink.totals_ms.emplace_back(key.substr(0, key.size() - 3),
                                  non_negative(root, key.c_str(), name));
  }
  return sink;
}

std::optional<double> Machine::throughput(const std::string& row) const {
  const auto found = content.rows.find(row);
  if (found == content.rows.end() || found->second.launches.empty()) return std::nullopt;
  return stats::median(found->second.throughputs());
}

std::optional<double> Machine::counter(const std::string& row, const std::string& name) const {
  const auto found = content.rows.find(row);
  if (found == content.rows.end()) return std::nullopt;
  std::vector<double> values;
  for (const Launch& launch : found->second.launches) {
    if (const auto value = launch.counter(name)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

int Machine::cores() const {
  const Fingerprint here = content.fingerprint();
  const auto field = here.fields.find("cpu.cores");
  return field == here.fields.end() ? 0 : std::atoi(field->second.c_str());
}

std::string Machine::row_with_threads(const std::string& stage, int threads) const {
  const std::string point = fmt::format("{}/threads:{}", stage, threads);
  if (content.rows.count(point)) return point;
  return threads == cores() ? stage : point;
}

std::vector<Machine> machines_with(const std::string& family, const std::filesystem::path& folder,
                                   const std::vector<std::filesystem::path>& measured) {
  std::vector<Machine> machines;
  const Store store(folder);
  for (const StoredFile& file : store.files()) {
    if (file.family != family) continue;
    Machine machine{file.machine, file.content, std::nullopt};
    const auto sink = file.path.parent_path() / (family + "_timesink.json");
    if (std::filesystem::exists(sink)) machine.time_sink = read_time_sink(sink);
    machines.push_back(std::move(machine));
  }
  for (const auto& file : measured) {
    const std::string name = measured.size() == 1 ? "here" : "here: " + file.stem().string();
    machines.push_back({name, read_measurements(file), std::nullopt});
  }
  return machines;
}

}  // namespace ratchet::report
