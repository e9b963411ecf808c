#include "perf/measure/workloads/slowed_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "perf/measure/sampling/measure.h"
#include "perf/stats/quantile.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

/// Long compared with a kernel launch or a clock reading, so that it can be timed well.
constexpr double kShortestProbe = 20e-6;
constexpr double kWarmSeconds = 0.03;

class CpuSlowdown final : public InjectedSlowdown {
 public:
  void set_iterations(std::uint64_t iterations) override { iterations_ = iterations; }
  void run() override {
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t x = seed_;
    for (std::uint64_t i = 0; i < iterations_; ++i) {
      x = x * 0x9e3779b97f4a7c15u + i;
      asm volatile("" : "+r"(x));  // keeps every step, in order
    }
    seed_ = x;
    elapsed_ = std::chrono::steady_clock::now() - begin;
  }
  std::optional<DeviceTime> device_time() override {
    return DeviceTime{elapsed_.count(), elapsed_.count(), 0};
  }

 private:
  std::uint64_t iterations_ = 0;
  std::uint64_t seed_ = 1;
  std::chrono::duration<double> elapsed_{};
};

class SlowedInstance final : public Instance {
 public:
  SlowedInstance(std::unique_ptr<Instance> stage, std::unique_ptr<InjectedSlowdown> slowdown,
                 bool on_gpu)
      : stage_(std::move(stage)), slowdown_(std::move(slowdown)), on_gpu_(on_gpu) {}

  void run() override {
    stage_->run();
    // On a GPU the slowdown is queued after the stage; on a CPU it must wait for it.
    if (!on_gpu_) stage_->wait();
    slowdown_->run();
  }
  void wait() override {
    if (on_gpu_) stage_->wait();
    slowdown_->wait();
  }
  std::uint64_t units() const override { return stage_->units(); }
  void reset() override { stage_->reset(); }
  // A stage's own timing does not include the slowdown.
  std::optional<DeviceTime> device_time() override {
    const std::optional<DeviceTime> stage = stage_->device_time(),
                                    slowdown = slowdown_->device_time();
    if (!stage || !slowdown) return std::nullopt;
    return DeviceTime{stage->seconds + slowdown->seconds, stage->span_seconds + slowdown->seconds,
                      stage->kernels};
  }

 private:
  std::unique_ptr<Instance> stage_;
  std::unique_ptr<InjectedSlowdown> slowdown_;
  bool on_gpu_;
};

/// Doubles the slowdown until it takes `seconds`, and returns its iterations. One disturbed run
/// must not end the search, since the time of a few iterations is meaningless.
std::uint64_t probe_length(Timer& timer, InjectedSlowdown& slowdown, double seconds) {
  std::uint64_t iterations = 64;
  for (; iterations < (std::uint64_t{1} << 40); iterations *= 2) {
    slowdown.set_iterations(iterations);
    double fastest = timer.time(slowdown).seconds;
    for (int again = 0; again < 2 && fastest >= seconds; ++again)
      fastest = std::min(fastest, timer.time(slowdown).seconds);
    if (fastest >= seconds) break;
  }
  return iterations;
}

Sample time_of(Timer& timer, InjectedSlowdown& slowdown, std::uint64_t iterations) {
  slowdown.set_iterations(iterations);
  return timer.time(slowdown);
}

/// The median of the runs without preemption; if there are hardly any, the fastest run.
double undisturbed(const std::vector<Sample>& runs) {
  std::vector<Sample> clean, disturbed;
  for (const Sample& run : runs) (run.preemptions > 0 ? disturbed : clean).push_back(run);
  const Settled settled = settle_preempted(std::move(clean), disturbed, {});
  std::vector<double> seconds;
  for (const Sample& run : settled.samples) seconds.push_back(run.seconds);
  return stats::quantile(seconds, settled.kept_disturbed ? 0 : 0.5);
}

}  // namespace

std::unique_ptr<InjectedSlowdown> make_cpu_slowdown() { return std::make_unique<CpuSlowdown>(); }

std::uint64_t calibrate(Timer& timer, Instance& stage, InjectedSlowdown& slowdown, double share,
                        bool fixed, const Calibration& calibration) {
  const double begin_warm = seconds_now();  // the first runs include page faults and low clocks
  do timer.time(stage);
  while (seconds_now() - begin_warm < kWarmSeconds);
  const double wanted = share * timer.time(stage).seconds;
  const std::uint64_t probe = probe_length(timer, slowdown, std::max(wanted, kShortestProbe));
  std::vector<Sample> stage_runs, probe_runs, empty_runs;
  const double begin = seconds_now();
  for (int round = 0; round < calibration.rounds; ++round) {
    stage_runs.push_back(timer.time(stage));
    probe_runs.push_back(time_of(timer, slowdown, probe));
    empty_runs.push_back(time_of(timer, slowdown, 0));
    if (round >= 2 && seconds_now() - begin > calibration.seconds) break;
  }
  const double stage_s = undisturbed(stage_runs), empty = undisturbed(empty_runs);
  const double target = share * stage_s;
  if (fixed && target < empty)
    throw Error(
        fmt::format("--ratchet_slowdown={:g}: this share of a run of {:.4g} us is {:.3g} us, less "
                    "than an empty "
                    "kernel's {:.3g} us; use a larger share, or give the stage more work",
                    share, 1e6 * stage_s, 1e6 * target, 1e6 * empty));
  const double per_iteration = (undisturbed(probe_runs) - empty) / static_cast<double>(probe);
  if (!(per_iteration > 0))
    throw Error("--ratchet_slowdown: calibration failed: the time of the extra work does not grow");
  return static_cast<std::uint64_t>(std::llround((target - (fixed ? empty : 0)) / per_iteration));
}

std::unique_ptr<Instance> slow_down(const std::function<std::unique_ptr<Instance>()>& prepare,
                                    Backend backend, double share, Timer& timer) {
  const bool on_gpu = backend == Backend::cuda;
  auto slowdown = on_gpu ? make_cuda_slowdown() : make_cpu_slowdown();
  slowdown->set_iterations(calibrate(timer, *prepare(), *slowdown, share, on_gpu));
  return std::make_unique<SlowedInstance>(prepare(), std::move(slowdown), on_gpu);
}

}  // namespace ratchet::timing
