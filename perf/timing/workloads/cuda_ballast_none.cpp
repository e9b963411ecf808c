// make_cuda_ballast() of a build without the CUDA toolkit.
#include "kernels/support/error.h"
#include "perf/timing/workloads/slowed_instance.h"

namespace ratchet::timing {

std::unique_ptr<Ballast> make_cuda_ballast() {
  throw Error("CUDA stages cannot be slowed down: built without the CUDA toolkit",
              ExitCode::nothing_ran);
}

}  // namespace ratchet::timing
