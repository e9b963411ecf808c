#include "perf/study/report/figures/gpu_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "perf/measure/peaks/peaks.h"
#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/plot_spec.h"

namespace ratchet::report {
namespace {

constexpr unsigned kGpus[] = {1, 2, 4, 8, 64, 1024};

Settings defaults_of(const StageInfo& info) {
  Settings settings;
  for (const Parameter& parameter : info.parameters) settings[parameter.name] = parameter.value;
  settings["ranks"] = 1;  // its default is that of this process
  return settings;
}

/// The row of a stage at these settings, where the machine has it.
RowId row_at(const Machine& machine, const StageInfo& info, const Settings& wanted) {
  for (const auto& [name, row] : machine.content.rows) {
    if (name.stage() != info.name) continue;
    const std::optional<Settings> set = name.settings();
    if (!set) continue;
    Settings all = defaults_of(info);
    for (const auto& [parameter, value] : *set) all[parameter] = value;
    if (all == wanted) return name;
  }
  return "";
}

/// By the number of GPUs: the settings of a stage's rows.
std::map<unsigned, Settings> settings_by_gpus(const StageInfo& info, bool weak) {
  std::map<unsigned, Settings> by_gpus;
  if (weak) {
    for (const ParameterPoint& point : info.survey) {
      Settings settings = defaults_of(info);
      for (const auto& [name, value] : point) settings[name] = value;
      by_gpus[static_cast<unsigned>(settings["ranks"])] = settings;
    }
    return by_gpus;
  }
  for (const unsigned gpus : kGpus) {
    by_gpus[gpus] = defaults_of(info);
    by_gpus[gpus]["ranks"] = gpus;
  }
  return by_gpus;
}

std::optional<GpuScaling> scaling_of(const Stage& stage, const Machine& machine, bool weak,
                                     double bytes_per_second) {
  const auto& ranked = dynamic_cast<const ranks::RankedStage&>(stage);
  const std::map<unsigned, Settings> settings = settings_by_gpus(stage.info(), weak);
  const auto rate = [&](unsigned gpus) -> std::optional<double> {
    const auto at = settings.find(gpus);
    const RowId row = at == settings.end() ? RowId() : row_at(machine, stage.info(), at->second);
    return row.empty() ? std::nullopt : machine.throughput(row);
  };
  const std::optional<double> one = rate(1), two = rate(2);
  if (!one || !two) return std::nullopt;
  const RowId of_one = row_at(machine, stage.info(), settings.at(1));
  const RowId of_two = row_at(machine, stage.info(), settings.at(2));
  Parameters parameters = stage.defaults();
  for (const auto& [name, value] : settings.at(1)) parameters.set(name, value);
  const std::optional<ranks::Traffic> traffic = ranked.traffic(parameters);
  if (!traffic) return std::nullopt;
  const Link link{
      message_seconds(*traffic, 1e-3 * machine.counter(of_two, "communication_ms").value_or(0),
                      bytes_per_second),
      bytes_per_second};
  GpuScaling scaling{stage.info().name, machine.name, weak, 0, {}};
  scaling.one_s = machine.counter(of_one, counter::units).value_or(0) / *one;
  for (const unsigned gpus : kGpus) {
    const double work_s = scaling.one_s * (weak ? 1 : largest_share(*traffic, gpus));
    const double run_s = work_s + talk_seconds(*traffic, gpus, work_s, link);
    ScalingPoint point{gpus, std::nullopt, (weak ? gpus : 1) * scaling.one_s / run_s};
    if (const std::optional<double> measured = rate(gpus)) point.measured = *measured / *one;
    scaling.points.push_back(point);
  }
  return scaling;
}

std::string times(double factor) { return fmt::format("{:.4g}", factor); }

}  // namespace

double talk_seconds(const ranks::Traffic& traffic, unsigned gpus, double work_s, const Link& link) {
  if (gpus < 2) return 0;
  const double bytes_s = traffic.bytes / link.bytes_per_second;
  const double steps = std::ceil(std::log2(gpus));
  switch (traffic.pattern) {
    case ranks::Traffic::Pattern::reduce:
      return traffic.times * (steps * link.message_s + 2.0 * (gpus - 1) / gpus * bytes_s);
    case ranks::Traffic::Pattern::gather:
      return traffic.times * (gpus - 1) * (link.message_s + bytes_s);
    case ranks::Traffic::Pattern::neighbours:
      break;
  }
  const double one_s = link.message_s + 2 * bytes_s;
  return traffic.times * (traffic.hidden ? std::max(0.0, one_s - work_s / traffic.times) : one_s);
}

double largest_share(const ranks::Traffic& traffic, unsigned gpus) {
  if (traffic.pieces == 0) return 1.0 / gpus;
  const auto pieces = static_cast<double>(traffic.pieces);
  return std::ceil(pieces / gpus) / pieces;
}

double message_seconds(const ranks::Traffic& traffic, double talked_s, double bytes_per_second) {
  // Of two ranks every pattern takes one message at a time.
  const double arrays = traffic.pattern == ranks::Traffic::Pattern::neighbours ? 2 : 1;
  return std::max(0.0, talked_s / traffic.times - arrays * traffic.bytes / bytes_per_second);
}

std::vector<GpuScaling> gpu_scalings(const std::string& family,
                                     const std::vector<Machine>& machines,
                                     const std::filesystem::path& baselines) {
  std::vector<GpuScaling> scalings;
  for (const Machine& machine : machines) {
    const auto limits = baselines / machine.name / "peaks.json";
    if (!std::filesystem::exists(limits)) continue;
    const auto peaks = peaks::read_peaks(limits.string());
    const auto link = peaks.find("cuda.peer_bytes");
    if (link == peaks.end()) continue;
    for (const Stage* stage : registry())
      for (const bool weak : {false, true})
        if (stage->info().family() == family && ranks::takes_gpus(*stage))
          if (auto scaling = scaling_of(*stage, machine, weak, link->second))
            scalings.push_back(std::move(*scaling));
  }
  return scalings;
}

std::string scaling_table(const std::vector<GpuScaling>& scalings) {
  if (scalings.empty()) return "";
  std::vector<std::string> header = {"stage", "machine", "work", "one GPU"};
  for (const unsigned gpus : kGpus)
    if (gpus > 1) header.push_back(fmt::format("{} GPUs", gpus));
  Table table(header);
  for (const GpuScaling& scaling : scalings) {
    std::vector<std::string> cells = {"`" + scaling.stage + "`", scaling.machine,
                                      scaling.weak ? "as much a GPU" : "shared",
                                      format_seconds(scaling.one_s)};
    for (const ScalingPoint& point : scaling.points) {
      if (point.gpus == 1) continue;
      cells.push_back(point.measured ? fmt::format("**{}** ({})", times(*point.measured),
                                                   times(point.predicted))
                                     : fmt::format("({})", times(point.predicted)));
    }
    table.add(cells);
  }
  return table.text();
}

}  // namespace ratchet::report
