// The fingerprint for third-party programs.

#include <fmt/format.h>

#include "kernels/support/opencl_device.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/support/machine/nvml.h"

namespace ratchet {
namespace {

/// Every GPU that the driver reports, since it is unknown which of them the program uses.
std::string all_gpus() {
  const timing::Nvml nvml;
  std::string gpus;
  for (const timing::Nvml::Device device : nvml.devices()) {
    const auto power = nvml.power(device);
    const auto ecc = nvml.ecc(device), mig = nvml.mig(device);
    const auto mode = [](const std::optional<bool>& on) {
      return !on ? "unknown" : *on ? "on" : "off";
    };
    gpus += fmt::format("{}{}, driver {}, {:.0f} W, ECC {}, MIG {}", gpus.empty() ? "" : "; ",
                        nvml.name(device).value_or("unknown"), nvml.driver().value_or("unknown"),
                        power ? power->enforced_w : 0.0, mode(ecc), mode(mig));
  }
  return gpus;
}

}  // namespace

std::map<std::string, std::string> machine_fields() {
  std::map<std::string, std::string> fields = fingerprint_fields();
  std::erase_if(fields, [](const auto& field) {
    return field.first.starts_with("build.") || field.first == "gpu.toolkit" ||
           field.first == "gpu.flags";
  });
  if (const std::string gpus = all_gpus(); !gpus.empty()) fields["machine.gpus"] = gpus;
  return fields;
}

std::map<std::string, std::string> opencl_fields() {
  const auto device = opencl_device();
  if (!device) return {};
  return {{"opencl.platform", device->platform},
          {"opencl.device", device->name},
          {"opencl.type", device->type},
          {"opencl.driver", device->driver},
          {"opencl.version", device->version}};
}

}  // namespace ratchet
