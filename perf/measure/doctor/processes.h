// Other processes that use the CPUs, from two snapshots of /proc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/measure/doctor/system_files.h"
#include "perf/support/proc_stat.h"

namespace ratchet::doctor {

/// One snapshot.
struct Snapshot {
  struct Process {
    std::string name;
    double cpu_s = 0;  ///< user and system time so far
  };
  std::map<int, Process> processes;  ///< by process id; empty if /proc does not list them
  std::optional<CpuTimes> times;     ///< of all CPUs
  double cpus = 1;
};
/// `ticks`: per second (sysconf(_SC_CLK_TCK)); `own`: process id to leave out.
Snapshot snapshot(const SystemFiles& files, double ticks, int own);

struct BusyProcess {
  int id = 0;
  std::string name;
  double cpu_percent = 0;  ///< of one CPU
};
/// The busiest processes between two snapshots `seconds` apart: at most `most`, none below 1 %.
std::vector<BusyProcess> busiest(const Snapshot& before, const Snapshot& after, double seconds,
                                 std::size_t most = 3);

}  // namespace ratchet::doctor
