// CPU times since boot, from /proc/stat.
#pragma once

#include <istream>
#include <map>
#include <optional>

namespace ratchet {

/// Seconds since boot.
struct CpuTimes {
  double busy_s = 0;   ///< user (with guests), nice, system, interrupts
  double idle_s = 0;   ///< idle, and waiting for I/O
  double steal_s = 0;  ///< ready to run while the hypervisor ran another guest
};

struct ProcStat {
  std::optional<CpuTimes> all;   ///< sum over all CPUs
  std::map<int, CpuTimes> each;  ///< by CPU number
};

/// From a stream in the format of /proc/stat with `ticks` per second; empty for any other format.
ProcStat read_proc_stat(std::istream& stat, double ticks);
ProcStat proc_stat();  ///< this machine's

}  // namespace ratchet
