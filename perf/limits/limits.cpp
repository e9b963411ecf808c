#include "perf/limits/limits.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/support/error.h"
#include "perf/limits/probes.h"
#include "perf/support/json_file.h"
#include "perf/timing/cpu_affinity.h"

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

std::optional<double> ceiling(const std::string& resource) {
  for (const Probe& probe : probes()) {
    if (probe.resource != resource) continue;
    const Ceiling measured = measure(probe);
    if (measured.unavailable.empty()) return measured.per_second;
  }
  return std::nullopt;
}

std::vector<Ceiling> measure_all() {
  std::vector<Ceiling> all;
  for (const Probe& probe : probes()) all.push_back(measure(probe));
  return all;
}

std::string to_json(const std::vector<Ceiling>& ceilings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Ceiling& each : ceilings)
    if (each.unavailable.empty())
      list.push_back({{"resource", each.resource},
                      {"per_second", each.per_second},
                      {"unit", each.unit},
                      {"what", each.what}});
  return nlohmann::ordered_json{{"ceilings", list}}.dump(2) + "\n";
}

std::map<std::string, double> read_ceilings(const std::string& file) {
  const auto root = read_json(file);
  if (!root.is_object() || !root.contains("ceilings") || !root["ceilings"].is_array())
    throw Error(file + " is not the output of 'ratchet limits --json'");
  std::map<std::string, double> ceilings;
  for (const auto& each : root["ceilings"]) {
    const bool complete = each.is_object() && each.contains("resource") &&
                          each["resource"].is_string() && each.contains("per_second") &&
                          each["per_second"].is_number();
    const double rate = complete ? each["per_second"].get<double>() : 0;
    if (!(std::isfinite(rate) && rate > 0))
      throw Error(file + ": ceiling " + std::to_string(ceilings.size() + 1) +
                  " has no resource name or no positive rate");
    if (!ceilings.emplace(each["resource"], rate).second)
      throw Error(file + ": resource " + each["resource"].get<std::string>() + " appears twice");
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
