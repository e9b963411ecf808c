#include "perf/gate/run/quiet_cpu.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace ratchet::gate {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// CPU time of the workers so far: of children that have ended and were waited for.
double children_seconds() {
  rusage usage{};
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The kernel counts in ticks of 10 ms: in less than this nothing can be told.
constexpr double shortest_s = 0.1;
constexpr double clearly = 0.1;

}  // namespace

std::map<int, double> busy_seconds(const std::string& proc_stat, double ticks_per_second) {
  std::map<int, double> busy;
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
    fields >> name >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal;
    if (!fields || name.size() < 4 || !name.starts_with("cpu")) continue;
    if (name.find_first_not_of("0123456789", 3) != std::string::npos) continue;
    busy[std::stoi(name.substr(3))] =
        (user + nice + system + irq + soft + steal) / ticks_per_second;
  }
  return busy;
}

QuietCpu::QuietCpu(std::vector<int> cpus) : cpus_(std::move(cpus)), picked_(cpus_.back()) {}

int QuietCpu::pick() {
  std::ifstream file("/proc/stat");
  std::ostringstream text;
  text << file.rdbuf();
  return pick(busy_seconds(text.str(), static_cast<double>(sysconf(_SC_CLK_TCK))),
              children_seconds(), now_s());
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
