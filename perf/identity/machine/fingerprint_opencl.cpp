#include "kernels/support/opencl_device.h"
#include "perf/identity/machine/fingerprint.h"

namespace ratchet {

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
