// What a stage of each backend needs of a machine. Apart from the contract, which knows no device.
#include "kernels/contract/stage.h"
#include "kernels/support/cuda_device.h"
#include "kernels/support/opencl_device.h"
#include "kernels/support/ranks/part.h"

namespace ratchet {

Availability Stage::availability() const {
  if (info_.backend == Backend::cuda) return cuda_availability();
  if (info_.backend == Backend::opencl) return opencl_availability();
  if (info_.backend == Backend::mpi) return ranks::mpi_availability();
  return Availability::yes();
}

}  // namespace ratchet
