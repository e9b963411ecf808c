#include <algorithm>
#include <numeric>

#include "perf/measure/sampling/measure.h"
#include "perf/measure/timers/timer.h"
#include "perf/measure/workloads/control_workload.h"
#include "perf/stats/quantile.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::timing {
namespace {

/// Passes in one gap; more after a sample of seconds would only delay the next one.
constexpr int kMostPerGap = 20;

}  // namespace

Sample ControlWorkload::time() {
  const CpuPin pin;
  const std::uint64_t touched = std::accumulate(small_.begin(), small_.end(), std::uint64_t{0}) +
                                std::accumulate(large_.begin(), large_.end(), std::uint64_t{0});
  asm volatile("" : : "r"(touched));  // keeps the reads
  TimerOptions options;
  options.watched = Watched::thread;
  return make_timer(Backend::cpu, options)->time(*this);
}

void ReferenceMeter::after(double seconds) {
  owed_s_ += share_ * seconds;
  for (int pass = 0; owed_s_ > 0 && pass < kMostPerGap; ++pass) take();
  owed_s_ = std::min(owed_s_, 0.0);
}

void ReferenceMeter::finish(std::size_t least) {
  while (passes() < least) take();
}

void ReferenceMeter::take() {
  const Sample sample = pass_();
  owed_s_ -= sample.seconds;
  (sample.preemptions > 0 ? disturbed_ : clean_).push_back(sample);
}

double ReferenceMeter::per_second() const {
  const Settled settled = settle_preempted(clean_, disturbed_, {});
  std::vector<double> seconds;
  for (const Sample& sample : settled.samples) seconds.push_back(sample.seconds);
  const double time = seconds.empty() ? 0 : stats::quantile(std::move(seconds), kCpuQuantile);
  return time > 0 ? 1 / time : 0;
}

}  // namespace ratchet::timing
