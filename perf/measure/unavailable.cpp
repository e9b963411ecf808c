// Replacements for the CUDA parts in a build without the CUDA toolkit.
#include "perf/identity/code/disassembler.h"
#include "perf/measure/peaks/probes.h"
#include "perf/measure/ranges/cupti_range.h"
#include "perf/measure/timers/conditions.h"
#include "perf/measure/timers/timer.h"
#include "perf/measure/workloads/slowed_instance.h"
#include "perf/support/error.h"

namespace ratchet::timing {

void require_cuda_device() {
  throw Error("CUDA stages cannot be timed: built without the CUDA toolkit", ExitCode::nothing_ran);
}

void finish_cuda_work() {}

std::function<void()> make_l2_eviction() {
  require_cuda_device();
  return {};
}

std::unique_ptr<Timer> make_cuda_timer(const TimerOptions&) {
  require_cuda_device();
  return nullptr;
}

void forget_cuda_error() {}

std::optional<std::string> cuda_bus_id() { return std::nullopt; }

}  // namespace ratchet::timing

namespace ratchet::timing {

std::unique_ptr<ranks::RunObserver> make_ranks_observer() { return nullptr; }

}  // namespace ratchet::timing

namespace ratchet::timing {

std::unique_ptr<InjectedSlowdown> make_cuda_slowdown() {
  throw Error("CUDA stages cannot be slowed down: built without the CUDA toolkit",
              ExitCode::nothing_ran);
}

}  // namespace ratchet::timing

namespace ratchet::peaks {

std::vector<Probe> cuda_probes() { return {}; }

}  // namespace ratchet::peaks

namespace ratchet::counters {

std::vector<StaticMetrics> counter_metrics(const std::function<bool(const std::string&)>&,
                                           const std::set<RowId>&) {
  throw NoMetrics("built without the CUDA toolkit, so there is no CUPTI");
}

}  // namespace ratchet::counters
