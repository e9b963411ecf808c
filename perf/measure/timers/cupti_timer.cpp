#include <cuda_runtime_api.h>

#include <optional>

#include "kernels/support/cuda_check.h"
#include "perf/measure/machine/sm_clock.h"
#include "perf/measure/timers/cupti_library.h"
#include "perf/measure/timers/cupti_session.h"

namespace ratchet::timing {
namespace {

/// Never ends, and all timers of the process use it. By the release notes of CUDA 13.1 update 1,
/// CUPTI before it gives graph launches and their kernels wrong correlation ids in sessions after
/// the first.
CuptiSession& process_session() {
  static CuptiSession* const session = new CuptiSession(CuptiSession::Detail::device);
  return *session;
}

class CuptiTimer final : public Timer {
 public:
  explicit CuptiTimer(bool sm_clock) : session_(process_session()) {
    if (sm_clock) clock_.emplace();
  }

  Sample time_run(Instance& instance) override {
    // Work left by prepare() or the previous run must not overlap this run.
    RATCHET_CUDA(cudaDeviceSynchronize());
    const std::uint64_t since_ns = session_.now_ns();
    if (clock_) {
      const CuptiSession::ExternalId ours(session_, kHarnessId);
      clock_->begin();
    }
    const std::uint64_t id = ++last_id_;
    const double cpu_before = process_cpu_seconds();
    {
      const CuptiSession::ExternalId of_the_run(session_, id);
      instance.run();
      instance.wait();
    }
    const double cpu_seconds = process_cpu_seconds() - cpu_before;
    double sm_clock_mhz = 0;
    if (clock_) {
      const CuptiSession::ExternalId ours(session_, kHarnessId);
      sm_clock_mhz = clock_->end_mhz();
    }
    RATCHET_CUDA(cudaDeviceSynchronize());
    const DeviceSample sample =
        attribute(session_.collect(), {id, since_ns, cpu_seconds, sm_clock_mhz});
    overlap_seconds_ = sample.overlap_seconds;
    return sample;
  }
  TimerKind kind() const override { return TimerKind::cupti; }
  double overlap_seconds() const override { return overlap_seconds_; }

 private:
  CuptiSession& session_;
  std::optional<SmClock> clock_;
  double overlap_seconds_ = 0;
  static inline std::uint64_t last_id_ = kHarnessId;  ///< of all timers' runs
};

}  // namespace

std::unique_ptr<Timer> make_cupti_timer(bool sm_clock) {
  // A context first: without one, CUPTI may be refused only at the first launch.
  RATCHET_CUDA(cudaFree(nullptr));
  return std::make_unique<CuptiTimer>(sm_clock);
}

}  // namespace ratchet::timing
