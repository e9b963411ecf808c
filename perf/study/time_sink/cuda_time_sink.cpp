// measure_time_sink() of a build with CUDA.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "kernels/support/cuda_check.h"
#include "perf/measure/timers/cupti_session.h"
#include "perf/measure/timers/timer.h"
#include "perf/study/time_sink/time_sink.h"

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

/// What the first call would otherwise do on the way, and CUPTI records of no call.
void initialise_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return;  // whoever asks for a device tells that better
  using Init = int (*)(unsigned);
  if (const auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"))) init(0);
}

/// The parts of a program of one run; `ended` is told the name of each when it is over.
template <class Ended>
void run_parts(const Stage& stage, const Parameters& parameters, const std::string& first,
               const Ended& ended) {
  initialise_driver();
  ended("initialising the driver (cuInit)");
  // By default the plainest call there is goes first, and pays for starting the runtime, as the
  // text's cudaEventCreate did.
  call_first(first);
  ended("the first call");
  if (const Availability available = stage.availability(); !available.ok)
    throw Error(stage.info().name + ": " + available.reason, ExitCode::nothing_ran);
  ended("asking for the device");
  const std::unique_ptr<Instance> instance = stage.prepare(parameters);
  ended("preparing");
  instance->run();
  instance->wait();
  RATCHET_CUDA(cudaDeviceSynchronize());
  ended("the run");
}

void require_cuda(const Stage& stage) {
  if (stage.info().backend != Backend::cuda)
    throw Error(stage.info().name +
                " is not a CUDA stage; `ratchet timesink` shows CUDA stages only");
}

}  // namespace

TimeSink measure_time_sink(const Stage& stage, const Parameters& parameters,
                           const std::string& first) try {
  require_cuda(stage);
  // Recording starts before the first CUDA call: availability is asked for only afterwards.
  CuptiSession session(CuptiSession::Detail::device_and_calls);
  const double before_seconds = process_cpu_seconds();
  std::uint64_t begin = session.now_ns();
  const std::uint64_t start = begin;
  std::vector<TimeSinkPhase> phases;
  run_parts(stage, parameters, first, [&](const char* name) {
    const std::uint64_t end = session.now_ns();
    phases.push_back({name, begin, end});
    begin = end;
  });
  TimeSink sink = account(session.collect(), phases);
  sink.stage = stage.info().name;
  sink.first = first;
  sink.before_seconds = before_seconds;
  sink.wall_seconds = 1e-9 * static_cast<double>(begin - start);
  return sink;
} catch (const CuptiUnavailable& error) {
  // Without a GPU that is the reason to give, whatever CUPTI says.
  const Availability available = stage.availability();
  throw Error(available.ok ? error.what() : stage.info().name + ": " + available.reason,
              ExitCode::nothing_ran);
}

void run_time_sink_program(const Stage& stage, const Parameters& parameters,
                           const std::string& first) {
  require_cuda(stage);
  run_parts(stage, parameters, first, [](const char*) {});
}

}  // namespace ratchet::timing
