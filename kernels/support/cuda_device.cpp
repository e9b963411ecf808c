// cuda_availability() in a build with the CUDA toolkit.
#include "kernels/support/cuda_device.h"

#include <cuda_runtime_api.h>

#include <string>

namespace ratchet {
namespace {

/// "13.0" from 13000.
std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

Availability ask() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return Availability::no("no NVIDIA driver; install one, or run on a machine with a GPU");
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver)
    return Availability::no("the NVIDIA driver is too old: it supports CUDA " + version(driver) +
                            ", this build needs " + version(CUDART_VERSION) +
                            "; update the driver");
  if (status != cudaSuccess || devices == 0)
    return Availability::no(std::string("no CUDA device: ") + cudaGetErrorString(status));
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return Availability::no("the CUDA device does not answer");
  const int architecture = properties.major * 10 + properties.minor;
  if (architecture < RATCHET_CUDA_MIN_ARCH)
    return Availability::no(std::string(properties.name) + " has compute capability " +
                            std::to_string(properties.major) + "." +
                            std::to_string(properties.minor) + "; this build starts at " +
                            std::to_string(RATCHET_CUDA_MIN_ARCH / 10) + "." +
                            std::to_string(RATCHET_CUDA_MIN_ARCH % 10) +
                            ", reconfigure with -DCMAKE_CUDA_ARCHITECTURES");
  return Availability::yes();
}

}  // namespace

Availability cuda_availability() {
  static const Availability answer = ask();
  return answer;
}

}  // namespace ratchet
