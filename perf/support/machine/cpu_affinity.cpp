#include "perf/support/machine/cpu_affinity.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "perf/support/error.h"

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

namespace {

int preferred_cpu() {
  const std::vector<int> allowed = allowed_cpus();
  const char* wanted = std::getenv("RATCHET_CPU");
  if (!wanted || !*wanted) return allowed.back();
  int cpu = -1;
  const char* end = wanted + std::strlen(wanted);
  const auto [stop, status] = std::from_chars(wanted, end, cpu);
  if (status != std::errc() || stop != end)
    throw Error(std::string("RATCHET_CPU is '") + wanted +
                "', which is not the number of a CPU; give one, such as 0, or unset it");
  const bool usable = std::find(allowed.begin(), allowed.end(), cpu) != allowed.end();
  return usable ? cpu : allowed.back();
}

}  // namespace

CpuPin::CpuPin() {
  CPU_ZERO(&before_);
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const int cpu = preferred_cpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) cpu_ = cpu;
}

CpuPin::~CpuPin() {
  if (cpu_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace ratchet::timing
