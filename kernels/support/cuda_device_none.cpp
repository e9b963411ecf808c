// cuda_availability() of a build without the CUDA toolkit.
#include "kernels/support/cuda_device.h"

namespace ratchet {

Availability cuda_availability() { return Availability::no("built without the CUDA toolkit"); }

}  // namespace ratchet
