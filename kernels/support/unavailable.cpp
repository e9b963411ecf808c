// Replacements in a build without the CUDA toolkit or without OpenCL.
#include "kernels/support/cuda_device.h"
#include "kernels/support/opencl_device.h"

namespace ratchet {

#if !RATCHET_HAVE_CUDA
Availability cuda_availability() {
  return Availability::no("built without the CUDA toolkit; install it, and build again");
}
#endif

#if !RATCHET_HAVE_OPENCL
Availability opencl_availability() {
  return Availability::no("built without OpenCL; install ocl-icd-opencl-dev, and build again");
}

std::optional<OpenclDevice> opencl_device() { return std::nullopt; }
#endif

}  // namespace ratchet
