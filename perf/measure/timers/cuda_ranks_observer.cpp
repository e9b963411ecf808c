#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "kernels/support/cuda_check.h"
#include "perf/measure/machine/sm_clock.h"
#include "perf/measure/timers/activity.h"
#include "perf/measure/timers/conditions.h"
#include "perf/measure/timers/cupti_session.h"
#include "perf/measure/timers/timer.h"
#include "perf/support/machine/nvml.h"

namespace ratchet::timing {
namespace {

class CuptiObserver final : public ranks::RunObserver {
 public:
  std::string objection() override {
    const std::optional<std::string> bus = cuda_bus_id();
    const std::optional<Nvml::Device> device = bus ? nvml_.device(*bus) : std::nullopt;
    // Counts this rank's own context, since a container may list it under another process id.
    const auto processes = device ? nvml_.compute_processes(*device) : std::nullopt;
    if (!processes || *processes < 2) return "";
    return "its GPU " + *bus + " is in use by " + std::to_string(*processes - 1) +
           " other process" + (*processes > 2 ? "es" : "") + "; wait for them, or use another GPU";
  }

  void prepare(const std::string&) override {
    if (!watching()) return;
    RATCHET_CUDA(cudaDeviceSynchronize());
    session_->collect();  // drops older records
    const CuptiSession::ExternalId ours(*session_, kHarnessId);
    clock_->begin();
    RATCHET_CUDA(cudaDeviceSynchronize());
  }
  void started() override {
    if (session_) started_ns_ = session_->now_ns();
  }
  ranks::DeviceSpan ended() override {
    if (!session_) return {};
    double sm_clock_mhz = 0;
    {
      const CuptiSession::ExternalId ours(*session_, kHarnessId);
      sm_clock_mhz = clock_->end_mhz();
    }
    RATCHET_CUDA(cudaDeviceSynchronize());
    ranks::DeviceSpan span = device_span(session_->collect(), started_ns_);
    span.sm_clock_mhz = sm_clock_mhz;
    return span;
  }

 private:
  /// Whether there is a session; the first call creates it.
  bool watching() {
    if (tried_) return session_.has_value();
    tried_ = true;
    try {
      RATCHET_CUDA(cudaFree(nullptr));  // a context first, as in cupti_timer.cpp
      session_.emplace(CuptiSession::Detail::device_and_calls);  // names, to know NCCL's kernels by
      clock_.emplace();
    } catch (const CuptiUnavailable& error) {
      std::fprintf(stderr, "ratchet: %s; ranks are timed by the clocks of their CPUs\n",
                   error.what());
    }
    return session_.has_value();
  }

  Nvml nvml_;
  bool tried_ = false;
  std::optional<CuptiSession> session_;
  std::optional<SmClock> clock_;
  std::uint64_t started_ns_ = 0;
};

}  // namespace

std::unique_ptr<ranks::RunObserver> make_ranks_observer() {
  return std::make_unique<CuptiObserver>();
}

}  // namespace ratchet::timing
