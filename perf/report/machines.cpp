#include "perf/report/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "kernels/support/error.h"
#include "perf/report/row_name.h"
#include "perf/stats/centre.h"

namespace ratchet::report {
namespace {

timing::TimeSink read_time_sink(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(file.string() + ": cannot be read");
  try {
    return timing::time_sink_from_json(text.str());
  } catch (const Error& error) {
    throw Error(file.string() + ": " + error.what());
  }
}

}  // namespace

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

std::string Machine::row_of(const std::string& stage) const {
  if (stage.empty() || throughput(stage)) return stage;
  const Row* most = nullptr;
  for (const auto& [name, row] : content.rows) {
    if (stage_of(name) != stage || row.launches.empty() || !settings_of(name)) continue;
    if (most == nullptr || row.units() > most->units()) most = &row;
  }
  return most == nullptr ? "" : most->name;
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
