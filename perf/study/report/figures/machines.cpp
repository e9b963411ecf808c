#include "perf/study/report/figures/machines.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/contract/stage.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/identity/static_metrics/metrics.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/output/history/keep.h"
#include "perf/stats/quantile.h"
#include "perf/study/report/figures/plot_spec.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

/// On a machine of that many processors: threads_parameter() stands for all of them, other defaults
/// for themselves.
int threads_by_default(const StageInfo& info, int processors) {
  for (const Parameter& parameter : info.parameters)
    if (parameter.name == info.threads && parameter.help != threads_parameter().help)
      return static_cast<int>(parameter.value);
  return processors;
}

}  // namespace

std::optional<double> Machine::throughput(const RowId& row) const {
  const auto found = content.rows.find(row);
  if (found == content.rows.end() || found->second.launches.empty()) return std::nullopt;
  return stats::median(found->second.throughputs());
}

std::optional<double> Machine::counter(const RowId& row, const std::string& name) const {
  const auto found = content.rows.find(row);
  if (found == content.rows.end()) return std::nullopt;
  std::vector<double> values;
  for (const Launch& launch : found->second.launches) {
    if (const auto value = launch.counter(name)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

int Machine::cores_of(const Stage& stage, const RowId& row) const {
  return stage.info().threaded() ? std::max(1, std::min(threads_of(row), cores())) : 1;
}

std::optional<double> Machine::limit_percent(const RowId& row) const {
  const Stage* const stage = find_stage(row.stage());
  const auto reached = throughput(row);
  const auto peak = stage == nullptr ? peaks.end() : peaks.find(stage->info().limit.resource);
  // What the machine is known to do now; a row keeps the share of the peak that its run knew.
  if (!reached || peak == peaks.end() || peak->second <= 0) return counter(row, "limit_percent");
  const Limit& limit = stage->info().limit;
  const bool of_a_core = limit.resource.starts_with("cpu.") && limit.resource != "cpu.dram_bytes";
  return 100 * *reached * limit.per_unit / (peak->second * (of_a_core ? cores_of(*stage, row) : 1));
}

bool Machine::disturbed(const RowId& row) const {
  const auto found = content.rows.find(row);
  if (found == content.rows.end() || found->second.launches.empty()) return false;
  const auto& launches = found->second.launches;
  return std::all_of(launches.begin(), launches.end(), [](const Launch& launch) {
    return launch.counter(counter::preempted_kept) == 1.0;
  });
}

std::optional<double> Machine::busiest(const RowId& row,
                                       const std::vector<std::string>& figures) const {
  std::optional<double> most;
  const auto of_stage = counters.find(row.stage());
  if (of_stage == counters.end()) return most;
  const auto item = of_stage->second.find(counters::counted_name(row));
  if (item == of_stage->second.end()) return most;
  for (const std::string& figure : figures) {
    const auto value = item->second.figures.find(figure);
    if (value != item->second.figures.end()) most = std::max(most.value_or(0), value->second);
  }
  return most;
}

RowId Machine::row_of(const std::string& stage) const {
  if (stage.empty() || throughput(stage)) return stage;
  const Stage* const known = find_stage(stage);
  const Row* most = nullptr;
  for (const auto& [name, row] : content.rows) {
    if (name.stage() != stage || row.launches.empty()) continue;
    const auto settings = name.settings();
    // A number of threads has tables of its own, and beside one thread it is no rung of a ladder.
    if (!settings || (known != nullptr && settings->contains(known->info().threads))) continue;
    if (most == nullptr || row.units() > most->units()) most = &row;
  }
  return most == nullptr ? RowId() : most->name;
}

bool Machine::opencl_on_cpu() const {
  const auto type = content.context.find("opencl.type");
  return type != content.context.end() && *type == "cpu";
}

int Machine::cores() const {
  const Fingerprint here = content.fingerprint();
  const auto field = here.fields.find("cpu.cores");
  return field == here.fields.end() ? 0 : std::atoi(field->second.c_str());
}

int Machine::threads_of(const RowId& row) const {
  const Stage* const stage = find_stage(row.stage());
  if (stage == nullptr || !stage->info().threaded()) return 1;
  const Settings settings = row.settings().value_or(Settings{});
  const auto named = settings.find(stage->info().threads);
  return named != settings.end() ? static_cast<int>(named->second)
                                 : threads_by_default(stage->info(), cores());
}

int Machine::default_threads(const std::string& stage) const {
  const Stage* const known = find_stage(stage);
  if (known == nullptr || !known->info().threaded()) return 0;
  return threads_by_default(known->info(), cores());
}

RowId Machine::row_with_threads(const std::string& stage, int threads) const {
  const Stage* const known = find_stage(stage);
  if (known == nullptr || !known->info().threaded()) return threads == 1 && known ? stage : "";
  const std::string point = fmt::format("{}/{}:{}", stage, known->info().threads, threads);
  if (content.rows.count(point)) return point;
  return threads == threads_by_default(known->info(), cores()) ? stage : point;
}

namespace {

/// The survey of a family in a machine's folder, then its sweep files.
std::vector<std::filesystem::path> survey_files(const std::filesystem::path& folder,
                                                const std::string& family) {
  std::vector<std::filesystem::path> files;
  if (const auto survey = folder / (family + "_survey.json"); std::filesystem::exists(survey))
    files.push_back(survey);
  for (const auto& path : sorted_entries(folder)) {
    const std::string stem = path.stem().string();
    if (path.extension() == ".json" &&
        (stem == family + "_sweep" || stem.starts_with(family + "_sweep_")))
      files.push_back(path);
  }
  return files;
}

/// A file of ratchet-bench, all of whose rows have figures that were checked.
Measurements checked_survey(const std::filesystem::path& path) {
  ThirdPartyMeasurements file = read_third_party(path);
  for (const auto& [name, reason] : file.failures)
    throw Error(fmt::format("{}, row {}: {}", path.string(), name, reason));
  for (const auto& [name, row] : file.measured.rows)
    for (const Launch& launch : row.launches)
      if (const auto wrong = complaint(launch))
        throw Error(fmt::format("{}, row {}: {}", path.string(), name, *wrong));
  return std::move(file.measured);
}

/// The rows of a machine's survey and sweep files; its fingerprint too where it has no baseline.
Measurements read_surveys(const std::filesystem::path& folder, const std::string& family) {
  Measurements all;
  std::set<std::string> surveyed;
  for (const auto& path : survey_files(folder, family)) {
    const bool survey = path.stem() == family + "_survey";
    Measurements file = checked_survey(path);
    for (auto& [name, row] : file.rows) {
      const std::string where = fmt::format("{}, row {}", path.string(), name);
      if (name.family() != family)
        throw Error(where + ": it belongs to another family than the file");
      if (survey) surveyed.insert(name);
      if (!survey && surveyed.count(name)) continue;
      if (!all.rows.emplace(name, std::move(row)).second)
        throw Error(where + ": another file of the same sweep has it, too");
    }
    if (all.context.empty()) all.context = file.context;
  }
  return all;
}

std::map<RowId, history::RowRecord> read_builds(const std::filesystem::path& file,
                                                const std::string& family) {
  std::map<RowId, history::RowRecord> builds;
  for (history::RowRecord& row : history::run_from_file(file).rows) {
    const RowId name = row.name;
    const std::string where = fmt::format("{}, row {}", file.string(), name);
    if (name.family() != family)
      throw Error(where + ": it belongs to another family than the file");
    if (!row.ratio || !row.low || !row.high)
      throw Error(
          where +
          ": it has no ratio with an interval; measure it with python3 ci/lab build-settings");
    builds.emplace(name, std::move(row));
  }
  return builds;
}

std::vector<Machine> stored_machines(const std::string& family,
                                     const std::filesystem::path& folder) {
  std::vector<Machine> machines;
  const BaselineStore store(folder);
  for (const std::filesystem::path& place : sorted_entries(folder)) {
    if (!std::filesystem::is_directory(place)) continue;
    const std::string name = place.filename().string();
    Measurements content = read_surveys(place, family);
    const StoredFile* const file = store.at(name, family);
    std::set<RowId> only_swept;
    for (const auto& [row, measured] : content.rows) {
      if (file == nullptr || !file->content.rows.count(row)) only_swept.insert(row);
    }
    if (file != nullptr) {
      content.context = file->content.context;
      for (const auto& [row, measured] : file->content.rows) content.rows[row] = measured;
    }
    if (content.rows.empty()) continue;
    Machine machine{name, std::move(content), {}, std::move(only_swept), {}};
    const auto sink = place / (family + "_timesink.json");
    if (std::filesystem::exists(sink))
      machine.time_sinks = timing::time_sinks_from_json(read_text(sink), sink.string());
    const auto counted = folder / "metrics" / (name + "-counters") / (family + ".json");
    if (std::filesystem::exists(counted))
      machine.counters = counters::parse_metrics(read_text(counted), counted.string()).stages;
    if (const auto limits = place / "peaks.json"; std::filesystem::exists(limits))
      machine.peaks = peaks::read_peaks(limits);
    if (const auto file = place / (family + "_build_settings.json"); std::filesystem::exists(file))
      machine.builds = read_builds(file, family);
    machines.push_back(std::move(machine));
  }
  return machines;
}

/// Results of a gate run, or output of ratchet-bench, as a survey is.
Measurements read_run(const std::filesystem::path& file) {
  const nlohmann::json root = read_json(file);
  const nlohmann::json context = root.is_object() ? root.value("context", nlohmann::json()) : root;
  const bool survey =
      context.is_object() && context.contains("ratchet.revision") && !context.contains("ratchet");
  if (!survey) return read_measurements(file);  // which says what is wrong with other files
  return checked_survey(file);
}

}  // namespace

std::vector<Machine> machines_with(const std::string& family, const std::filesystem::path& folder,
                                   const std::vector<std::filesystem::path>& measured) {
  std::vector<Machine> machines = stored_machines(family, folder);
  for (const auto& file : measured) {
    const std::string name = measured.size() == 1 ? "here" : "here: " + file.stem().string();
    Measurements content = read_run(file);  // maybe of all families
    std::erase_if(content.rows, [&](const auto& row) { return row.first.family() != family; });
    machines.push_back({name, std::move(content), {}, {}, {}});
  }
  return machines;
}

}  // namespace ratchet::report
