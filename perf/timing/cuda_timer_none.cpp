// make_cuda_timer() of a build without the CUDA toolkit.
#include "kernels/support/error.h"
#include "perf/timing/timer.h"

namespace ratchet::timing {

std::unique_ptr<Timer> make_cuda_timer(const TimerOptions&) {
  throw Error("CUDA stages cannot be timed: built without the CUDA toolkit", ExitCode::nothing_ran);
}

void forget_cuda_error() {}

}  // namespace ratchet::timing
