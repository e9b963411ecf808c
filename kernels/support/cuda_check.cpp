#include "kernels/support/cuda_check.h"

#include <string>

namespace ratchet {

void cuda_failed(cudaError_t status, const char* call, const char* file) {
  throw Error(std::string("CUDA: ") + call + " failed with " + cudaGetErrorName(status) + " (" +
              cudaGetErrorString(status) + ") in " + file);
}

}  // namespace ratchet
