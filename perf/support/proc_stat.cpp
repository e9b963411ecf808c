#include "perf/support/proc_stat.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace ratchet {

ProcStat read_proc_stat(std::istream& stat, double ticks) {
  ProcStat read;
  if (!(ticks > 0)) return read;
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    std::istringstream fields(line.substr(3));
    int number = -1;
    if (line[3] != ' ') fields >> number;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0;
    if (!(fields >> user >> nice >> system >> idle)) break;
    fields >> wait >> irq >> softirq >> steal;  // of kernels since 2.6.11; else 0
    const CpuTimes times = {(user + nice + system + irq + softirq) / ticks, (idle + wait) / ticks,
                            steal / ticks};
    if (number < 0) {
      read.all = times;
    } else {
      read.each[number] = times;
    }
  }
  return read;
}

ProcStat proc_stat() {
  std::ifstream stat("/proc/stat");
  return read_proc_stat(stat, static_cast<double>(sysconf(_SC_CLK_TCK)));
}

}  // namespace ratchet
