// opencl_availability() of a build without OpenCL.
#include "kernels/support/opencl_device.h"

namespace ratchet {

Availability opencl_availability() { return Availability::no("built without OpenCL"); }

std::optional<OpenclDevice> opencl_device() { return std::nullopt; }

}  // namespace ratchet
