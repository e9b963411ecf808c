// measure_time_sink() of a build with CUDA.
#include <cuda_runtime_api.h>

#include "kernels/support/cuda_check.h"
#include "perf/support/clock.h"
#include "perf/timing/time_sink/time_sink.h"
#include "perf/timing/timers/cupti_session.h"

namespace ratchet::timing {

namespace {

/// Without a device they fail, which whoever asks for one tells better.
void call_first(const std::string& name) {
  if (name == "cudaEventCreate") {
    cudaEvent_t event = nullptr;
    if (cudaEventCreate(&event) == cudaSuccess) cudaEventDestroy(event);
  } else if (name == "cudaMalloc") {
    void* memory = nullptr;
    if (cudaMalloc(&memory, 1) == cudaSuccess) cudaFree(memory);
  } else {
    cudaFree(nullptr);
  }
}

}  // namespace

TimeSink measure_time_sink(const Stage& stage, const Parameters& parameters,
                           const std::string& first) try {
  if (stage.info().backend != Backend::cuda)
    throw Error(stage.info().name + " is not a CUDA stage; the time sink is CUDA's");
  // Recording starts before the first CUDA call: availability is asked for only afterwards.
  CuptiSession session(CuptiSession::Detail::device_and_calls);
  const double begin = seconds_now();
  // By default the plainest call there is goes first, and pays for starting the runtime, as the
  // text's cudaEventCreate did.
  call_first(first);
  if (const Availability available = stage.availability(); !available.ok)
    throw Error(stage.info().name + ": " + available.reason, ExitCode::nothing_ran);
  const std::unique_ptr<Instance> instance = stage.prepare(parameters);
  instance->run();
  instance->wait();
  RATCHET_CUDA(cudaDeviceSynchronize());
  const double wall_seconds = seconds_now() - begin;
  TimeSink sink = account(session.collect());
  sink.stage = stage.info().name;
  sink.wall_seconds = wall_seconds;
  return sink;
} catch (const CuptiUnavailable& error) {
  // Without a GPU that is the reason to give, whatever CUPTI says.
  const Availability available = stage.availability();
  throw Error(available.ok ? error.what() : stage.info().name + ": " + available.reason,
              ExitCode::nothing_ran);
}

}  // namespace ratchet::timing
