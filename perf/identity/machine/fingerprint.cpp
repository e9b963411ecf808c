#include "perf/identity/machine/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

namespace ratchet {
namespace {

bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// `on_gpu`: the OpenCL device is a GPU.
bool compared(std::string_view field, Device device, bool on_gpu) {
  if (has_prefix(field, "machine.")) return true;
  if (device == Device::opencl) {
    if (has_prefix(field, "opencl.")) return true;
    device = on_gpu ? Device::gpu : Device::cpu;
  }
  if (has_prefix(field, "gpus.")) return device == Device::gpus;
  const bool of_cpu = has_prefix(field, "cpu.") || has_prefix(field, "build.");
  const bool of_gpu = has_prefix(field, "gpu.");
  return (of_cpu && device != Device::gpu && device != Device::gpus) ||
         (of_gpu && device != Device::cpu);
}

std::string value_of(const std::map<std::string, std::string>& fields, const std::string& key) {
  const auto found = fields.find(key);
  return found == fields.end() ? "absent" : found->second;
}

}  // namespace

std::map<std::string, std::string> fingerprint_fields() {
  std::map<std::string, std::string> fields = cpu_fields();
  fields.merge(gpu_fields());
  fields.merge(build_fields());
  return fields;
}

std::string slug(std::string_view model) {
  std::string text(model);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static const std::regex filler(
      R"(\((r|tm|c)\)|@.*$|\b(cpu|processor)\b|\b[0-9]+-core\b|\bwith radeon.*$)");
  text = std::regex_replace(text, filler, " ");
  std::string result;
  for (const unsigned char c : text) {
    if (std::isalnum(c)) {
      result += static_cast<char>(c);
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

std::string Fingerprint::machine_slug(Device device) const {
  const bool opencl = device == Device::opencl;
  const auto gpu = fields.find(opencl ? "opencl.device" : "gpu.model");
  if (device == Device::gpus) {
    const auto count = fields.find("gpus.count");
    return machine_slug(Device::gpu) + (count == fields.end() ? "" : "-x" + slug(count->second));
  }
  if (device == Device::gpu || (device == Device::both && gpu != fields.end()) ||
      (opencl && value_of(fields, "opencl.type") == "gpu")) {
    const std::string name = gpu == fields.end() ? "" : slug(gpu->second);
    return name.empty() ? "unknown-gpu" : name;
  }
  const auto cpu = fields.find("cpu.model");
  const std::string name = cpu == fields.end() ? "" : slug(cpu->second);
  const auto cores = fields.find("cpu.cores");
  const std::string suffix = cores == fields.end() ? "" : fmt::format("-{}c", slug(cores->second));
  return (name.empty() ? "unknown-cpu" : name) + suffix;
}

std::vector<FieldDifference> Fingerprint::differences(const Fingerprint& here,
                                                      Device device) const {
  std::set<std::string> keys;
  for (const auto& [key, value] : fields) keys.insert(key);
  for (const auto& [key, value] : here.fields) keys.insert(key);
  const bool on_gpu = value_of(fields, "opencl.type") == "gpu";
  std::vector<FieldDifference> found;
  for (const std::string& key : keys) {
    if (!compared(key, device, on_gpu)) continue;
    const std::string stored = value_of(fields, key);
    const std::string now = value_of(here.fields, key);
    if (stored != now) found.push_back({key, stored, now});
  }
  return found;
}

}  // namespace ratchet
