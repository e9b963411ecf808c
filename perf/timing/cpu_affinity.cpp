#include "perf/timing/cpu_affinity.h"

#include <fstream>
#include <string>

namespace ratchet::timing {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  if (cpus.empty()) cpus.push_back(0);  // more CPUs than cpu_set_t holds: one is certain
  return cpus;
}

CpuPin::CpuPin() {
  CPU_ZERO(&before_);
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const int last = allowed_cpus().back();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) cpu_ = last;
}

CpuPin::~CpuPin() {
  if (cpu_) sched_setaffinity(0, sizeof before_, &before_);
}

std::optional<double> cpu_clock_mhz(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                     "/cpufreq/scaling_cur_freq");
  double kilohertz = 0;
  if (!(file >> kilohertz) || kilohertz <= 0) return std::nullopt;
  return kilohertz / 1000;
}

}  // namespace ratchet::timing
