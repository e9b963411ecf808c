// make_cuda_timer() and its neighbours in a build without the CUDA toolkit.
#include "kernels/support/error.h"
#include "perf/timing/timers/conditions.h"
#include "perf/timing/timers/timer.h"

namespace ratchet::timing {

std::unique_ptr<Timer> make_cuda_timer(const TimerOptions&) {
  throw Error("CUDA stages cannot be timed: built without the CUDA toolkit", ExitCode::nothing_ran);
}

void forget_cuda_error() {}

std::optional<std::string> cuda_bus_id() { return std::nullopt; }

}  // namespace ratchet::timing
