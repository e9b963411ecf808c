#include "kernels/support/ranks/gpu.h"

#include <sched.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#ifdef RATCHET_HAVE_CUDA
#include <cuda_runtime_api.h>

#include "kernels/support/cuda_check.h"
#endif

namespace ratchet::ranks {

std::string visible_gpu(const std::string& visible, unsigned local_rank) {
  if (visible.empty()) return std::to_string(local_rank);
  std::vector<std::string> devices;
  std::istringstream list(visible);
  for (std::string device; std::getline(list, device, ',');) devices.push_back(device);
  if (devices.size() == 1) return visible;
  return local_rank < devices.size() ? devices[local_rank] : "-1";
}

void wait_for_stream(CUstream_st* stream) {
  while (!stream_is_idle(stream)) sched_yield();
}

#ifdef RATCHET_HAVE_CUDA

unsigned visible_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return static_cast<unsigned>(count);
  cudaGetLastError();  // clears the error for the caller's next CUDA call
  return 0;
}

std::string gpu_identity() {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess)
    return "";
  return {properties.uuid.bytes, sizeof properties.uuid.bytes};
}

bool stream_is_idle(CUstream_st* stream) {
  const cudaError_t status = cudaStreamQuery(stream);
  if (status == cudaErrorNotReady) return false;
  RATCHET_CUDA(status);
  return true;
}

#else

unsigned visible_gpus() { return 0; }
std::string gpu_identity() { return ""; }
bool stream_is_idle(CUstream_st*) { throw std::logic_error("built without the CUDA toolkit"); }

#endif

}  // namespace ratchet::ranks
