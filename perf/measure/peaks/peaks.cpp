#include "perf/measure/peaks/peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "perf/measure/peaks/probes.h"
#include "perf/support/json_file.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::peaks {
namespace {

Peak measure(const Probe& probe) {
  static std::map<std::string, Peak> known;
  const auto [entry, added] = known.try_emplace(probe.resource);
  Peak& peak = entry->second;
  if (!added) return peak;
  peak = {probe.resource, probe.unit, probe.what, 0, ""};
  try {
    const double rate = probe.measure();
    if (std::isfinite(rate) && rate > 0) {
      peak.per_second = rate;
    } else {
      peak.unavailable = "the measured rate is not a positive number";
    }
  } catch (const std::exception& error) {
    peak.unavailable = error.what();
  }
  return peak;
}

}  // namespace

const std::vector<Probe>& probes() {
  static const std::vector<Probe> all = [] {
    std::vector<Probe> list = cuda_probes();
    for (Probe& probe : cpu_probes()) list.push_back(std::move(probe));
    return list;
  }();
  return all;
}

std::vector<Peak> measure_all(const std::function<void(const std::string&)>& progress) {
  std::vector<Peak> all;
  for (const Probe& probe : probes()) {
    progress(fmt::format("measuring peak {} of {}: {}", all.size() + 1, probes().size(),
                         probe.resource));
    all.push_back(measure(probe));
  }
  return all;
}

std::string to_json(const std::vector<Peak>& peaks, const std::string& measured_by) {
  nlohmann::json list = nlohmann::json::array();
  for (const Peak& each : peaks)
    if (each.unavailable.empty())
      list.push_back({{"resource", each.resource},
                      {"per_second", each.per_second},
                      {"unit", each.unit},
                      {"what", each.what}});
  return pretty({{"measured_by", measured_by}, {"peaks", list}}, 1) + "\n";
}

double shares(const StageInfo& info, const Parameters& parameters) {
  const std::string& resource = info.limit.resource;
  if (resource.rfind("cpu.", 0) != 0 || resource == "cpu.dram_bytes") return 1;
  const double cpus = static_cast<double>(timing::allowed_cpus().size());
  const double threads = static_cast<double>(threads_of(info, parameters));
  return threads == 0 ? cpus : std::min(threads, cpus);
}

}  // namespace ratchet::peaks
