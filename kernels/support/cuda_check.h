// Checked CUDA calls: every return code becomes an Error that names the call and the file.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "perf/support/error.h"

namespace ratchet {

inline void cuda_check(cudaError_t status, const char* call, const char* file) {
  if (status == cudaSuccess) return;
  throw Error(std::string("CUDA: ") + call + " failed with " + cudaGetErrorName(status) + " (" +
              cudaGetErrorString(status) + ") in " + file);
}

}  // namespace ratchet

// Without a line: rule D16 of perf/identity/digests/README.md. The call's text locates it.
#define RATCHET_CUDA(call) ::ratchet::cuda_check((call), #call, __FILE_NAME__)
/// After a kernel launch: reports a bad configuration at once, a fault at the next wait.
#define RATCHET_CUDA_LAUNCHED() RATCHET_CUDA(cudaGetLastError())
