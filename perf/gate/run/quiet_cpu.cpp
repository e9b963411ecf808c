#include "perf/gate/run/quiet_cpu.h"

#include <sys/resource.h>

#include "perf/support/clock.h"
#include "perf/support/proc_stat.h"

namespace ratchet::gate {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// CPU time of all children that have exited and were waited for.
double children_seconds() {
  rusage usage{};
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The kernel counts in ticks of 10 ms, so that shorter intervals are too coarse.
constexpr double shortest_s = 0.1;
constexpr double clearly = 0.1;

}  // namespace

QuietCpu::QuietCpu(std::vector<int> cpus) : cpus_(std::move(cpus)), picked_(cpus_.back()) {}

int QuietCpu::pick() {
  if (then_s_ >= 0 && seconds_now() - then_s_ < shortest_s) return picked_;
  std::map<int, double> busy;
  for (const auto& [cpu, times] : proc_stat().each) busy[cpu] = times.busy_s + times.steal_s;
  return pick(busy, children_seconds(), seconds_now());
}

int QuietCpu::pick(const std::map<int, double>& busy, double own_s, double now_s) {
  const double passed = now_s - then_s_;
  if (then_s_ >= 0 && passed < shortest_s) return picked_;
  if (then_s_ >= 0) {
    const auto load = [&](int cpu) {
      const auto now = busy.find(cpu);
      const auto then = busy_.find(cpu);
      if (now == busy.end() || then == busy_.end()) return 1.0;
      const double own = cpu == picked_ ? own_s - own_s_ : 0;
      return (now->second - then->second - own) / passed;
    };
    int best = picked_;
    for (const int cpu : cpus_) {
      if (load(cpu) < load(best)) best = cpu;
    }
    if (load(best) < load(picked_) - clearly) picked_ = best;
  }
  busy_ = busy;
  own_s_ = own_s;
  then_s_ = now_s;
  return picked_;
}

}  // namespace ratchet::gate
