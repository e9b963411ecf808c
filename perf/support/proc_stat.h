// What the CPUs did since the machine started, as /proc/stat counts it.
#pragma once

#include <istream>
#include <map>
#include <optional>

namespace ratchet {

/// Seconds since boot.
struct CpuTimes {
  double busy_s = 0;   ///< user, nice, system, interrupts; a guest's time is part of user's
  double idle_s = 0;   ///< idle and waiting for disks
  double steal_s = 0;  ///< ready to run, but the hypervisor ran somebody else
};

struct ProcStat {
  std::optional<CpuTimes> all;   ///< summed over CPUs
  std::map<int, CpuTimes> each;  ///< by number of the CPU
};

/// From a stream in the form of /proc/stat with `ticks` a second; empty where it is in no such
/// form.
ProcStat read_proc_stat(std::istream& stat, double ticks);
ProcStat proc_stat();  ///< of this machine

}  // namespace ratchet
