// make_cuda_timer(): CUPTI if available, else CUDA events; and the event timer.
#include <cuda_runtime_api.h>

#include <cstdio>

#include "kernels/support/cuda_check.h"
#include "kernels/support/cuda_device.h"
#include "perf/measure/machine/sm_clock.h"
#include "perf/measure/timers/conditions.h"
#include "perf/measure/timers/cupti_library.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::timing {
namespace {

class CudaEvent {
 public:
  CudaEvent() { RATCHET_CUDA(cudaEventCreate(&event_)); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  ~CudaEvent() { cudaEventDestroy(event_); }
  /// On the legacy default stream, which synchronizes with every blocking stream of the stage.
  void record() { RATCHET_CUDA(cudaEventRecord(event_, cudaStreamLegacy)); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class EventTimer final : public Timer {
 public:
  explicit EventTimer(bool sm_clock) {
    if (sm_clock) clock_.emplace();
  }
  Sample time_run(Instance& instance) override {
    if (clock_) clock_->begin();
    const double cpu_before = process_cpu_seconds();
    begin_.record();
    instance.run();
    end_.record();  // before the wait, to exclude the host's wake-up
    instance.wait();
    RATCHET_CUDA(cudaEventSynchronize(end_.get()));
    Sample sample;
    sample.cpu_seconds = process_cpu_seconds() - cpu_before;
    float milliseconds = 0;
    RATCHET_CUDA(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
    sample.seconds = sample.span_seconds = 1e-3 * milliseconds;
    if (clock_) sample.sm_clock_mhz = clock_->end_mhz();
    return sample;
  }
  TimerKind kind() const override { return TimerKind::events; }

 private:
  CudaEvent begin_, end_;
  std::optional<SmClock> clock_;
};

void say_once(const std::string& line) {
  static bool said = false;
  if (!said) std::fprintf(stderr, "ratchet: %s\n", line.c_str());
  said = true;
}

}  // namespace

void forget_cuda_error() { cudaGetLastError(); }

std::optional<std::string> cuda_bus_id() {
  int device = 0;
  char bus[32] = "";
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetPCIBusId(bus, sizeof bus, device) == cudaSuccess)
    return bus;
  forget_cuda_error();
  return std::nullopt;
}

void require_cuda_device() {
  if (const Availability device = cuda_availability(); !device.ok) throw Error(device.reason);
}

void finish_cuda_work() {
  const cudaError_t launched = cudaGetLastError(), finished = cudaDeviceSynchronize();
  const cudaError_t failed = launched != cudaSuccess ? launched : finished;
  if (failed == cudaSuccess) return;
  forget_cuda_error();
  throw Error(std::string("a CUDA launch of this benchmark failed: ") + cudaGetErrorName(failed) +
              " (" + cudaGetErrorString(failed) + ")");
}

std::function<void()> make_l2_eviction() {
  require_cuda_device();
  int device = 0, l2_bytes = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  if (l2_bytes <= 0) throw Error("a cold row needs a GPU with an L2 cache; this one states none");
  const std::size_t bytes = 2 * static_cast<std::size_t>(l2_bytes);
  void* memory = nullptr;
  RATCHET_CUDA(cudaMalloc(&memory, bytes));
  const std::shared_ptr<void> buffer(memory, [](void* each) { cudaFree(each); });
  return [buffer, bytes] {
    RATCHET_CUDA(cudaMemsetAsync(buffer.get(), 0, bytes, cudaStreamLegacy));
    RATCHET_CUDA(cudaDeviceSynchronize());
  };
}

std::unique_ptr<Timer> make_cuda_timer(const TimerOptions& options) {
  require_cuda_device();  // stages are asked before; a program with ratchet::timing is not
  if (options.kind == TimerKind::events) return std::make_unique<EventTimer>(options.sm_clock);
  try {
    return make_cupti_timer(options.sm_clock);
  } catch (const CuptiUnavailable& error) {
    if (options.kind == TimerKind::cupti) throw;
    say_once(std::string(error.what()) + "; CUDA kernels are timed with CUDA events");
    return std::make_unique<EventTimer>(options.sm_clock);
  }
}

}  // namespace ratchet::timing
