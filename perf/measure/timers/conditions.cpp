#include "perf/measure/timers/conditions.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "perf/measure/timers/timer.h"
#include "perf/support/machine/nvml.h"

namespace ratchet::timing {
namespace {

using Steady = std::chrono::steady_clock;
constexpr auto kLookEvery = std::chrono::milliseconds(50);

/// Duration of `count` dependent additions, in nanoseconds.
double addition_chain_ns(int count) {
  std::uint64_t x = 1, step = 3;
  asm volatile("" : "+r"(step));
  const auto begin = Steady::now();
  for (int i = 0; i < count; i += 16) {
    // Register operands: some processors eliminate additions of constants at renaming.
    for (int unrolled = 0; unrolled < 16; ++unrolled) {
      x += step;
      asm volatile("" : "+r"(x));
    }
  }
  return std::chrono::duration<double, std::nano>(Steady::now() - begin).count();
}

}  // namespace

Conditions between(const CpuTimes& before, const CpuTimes& after, double own_s) {
  const double busy = after.busy_s - before.busy_s, steal = after.steal_s - before.steal_s;
  const double all = busy + steal + after.idle_s - before.idle_s;
  Conditions conditions;
  if (!(all > 0)) return conditions;  // shorter than the kernel's tick
  const double cpus = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  conditions.load = std::max(0.0, busy - own_s) / all * cpus;
  conditions.steal_percent = 100 * steal / all;
  return conditions;
}

double estimate_cpu_mhz() {
  constexpr int kAdditions = 160'000;
  double best = addition_chain_ns(kAdditions);
  for (int i = 0; i < 4; ++i) best = std::min(best, addition_chain_ns(kAdditions));
  return 1e3 * kAdditions / best;
}

struct ConditionsWatch::Gpu {
  Nvml nvml;
  std::optional<Nvml::Device> device;
  Steady::time_point last{};
  std::optional<std::uint64_t> reasons;

  void look(Steady::time_point now) {
    last = now;
    if (const auto seen = nvml.throttle_reasons(*device)) reasons = reasons.value_or(0) | *seen;
  }
};

ConditionsWatch::ConditionsWatch(Backend backend)
    : before_(proc_stat().all),
      own_before_s_(process_cpu_seconds()),
      on_cpu_(backend != Backend::cuda) {
  const auto bus = on_cpu_ ? std::nullopt : cuda_bus_id();
  if (!bus) return;
  gpu_ = std::make_unique<Gpu>();
  gpu_->device = gpu_->nvml.device(*bus);
  if (!gpu_->device) gpu_.reset();
}

ConditionsWatch::~ConditionsWatch() = default;

void ConditionsWatch::look() {
  if (!gpu_) return;
  const auto now = Steady::now();
  if (now - gpu_->last >= kLookEvery) gpu_->look(now);
}

Conditions ConditionsWatch::end() {
  Conditions conditions;
  const auto after = proc_stat().all;
  if (before_ && after)
    conditions = between(*before_, *after, process_cpu_seconds() - own_before_s_);
  if (on_cpu_) conditions.cpu_mhz = estimate_cpu_mhz();
  if (!gpu_) return conditions;
  conditions.gpu_throttle_reasons = gpu_->reasons;
  // Counts this process's own context, since a container may list it under another process id.
  if (const auto all = gpu_->nvml.compute_processes(*gpu_->device))
    conditions.gpu_others = *all > 0 ? *all - 1 : 0;
  return conditions;
}

}  // namespace ratchet::timing
