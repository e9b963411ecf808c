#include "perf/measure/peaks/limits.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "perf/measure/peaks/probes.h"
#include "perf/support/json_file.h"
#include "perf/support/json_node.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::limits {
namespace {

Ceiling measure(const Probe& probe) {
  static std::map<std::string, Ceiling> known;
  const auto [entry, added] = known.try_emplace(probe.resource);
  Ceiling& ceiling = entry->second;
  if (!added) return ceiling;
  ceiling = {probe.resource, probe.unit, probe.what, 0, ""};
  try {
    const double rate = probe.measure();
    if (std::isfinite(rate) && rate > 0) {
      ceiling.per_second = rate;
    } else {
      ceiling.unavailable = "the measured rate is not a positive number";
    }
  } catch (const std::exception& error) {
    ceiling.unavailable = error.what();
  }
  return ceiling;
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

std::vector<Ceiling> measure_all() {
  std::vector<Ceiling> all;
  for (const Probe& probe : probes()) all.push_back(measure(probe));
  return all;
}

std::string to_json(const std::vector<Ceiling>& ceilings, const std::string& measured_by) {
  nlohmann::json list = nlohmann::json::array();
  for (const Ceiling& each : ceilings)
    if (each.unavailable.empty())
      list.push_back({{"resource", each.resource},
                      {"per_second", each.per_second},
                      {"unit", each.unit},
                      {"what", each.what}});
  return pretty({{"measured_by", measured_by}, {"ceilings", list}}, 1) + "\n";
}

std::map<std::string, double> read_ceilings(const std::string& file) {
  const nlohmann::json root = read_json(file);
  std::map<std::string, double> ceilings;
  for (const Node& each : Node(root, file).at("ceilings").list()) {
    const Node resource = each.at("resource");
    if (!ceilings.emplace(resource.text(), each.at("per_second").positive()).second)
      resource.fail("the resource " + resource.text() + " appears twice");
  }
  return ceilings;
}

double shares(const StageInfo& info, const Parameters& parameters) {
  const std::string& resource = info.limit.resource;
  if (resource.rfind("cpu.", 0) != 0 || resource == "cpu.dram_bytes") return 1;
  const double cpus = static_cast<double>(timing::allowed_cpus().size());
  const double threads = static_cast<double>(threads_of(info, parameters));
  return threads == 0 ? cpus : std::min(threads, cpus);
}

}  // namespace ratchet::limits
