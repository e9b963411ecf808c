// The files under /proc and /sys, or copies of them in another folder, with which tests simulate
// other machines.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/support/proc_stat.h"

namespace ratchet::doctor {

class SystemFiles {
 public:
  explicit SystemFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// The whole file without trailing white space; nothing if it cannot be read. `path` is relative
  /// to the root: "proc/stat". At most 1 MiB.
  std::optional<std::string> text(const std::filesystem::path& path) const;
  /// The first number of the file.
  std::optional<double> number(const std::filesystem::path& path) const;
  /// The number after `key` at the beginning of a line, as in "SwapFree:  12 kB" or "pswpin 0".
  std::optional<double> field(const std::filesystem::path& path, const std::string& key) const;
  /// Names of the form `prefix` and digits in a folder, by number: cpu0, cpu1, ...; prefix may be
  /// "".
  std::vector<std::string> numbered(const std::filesystem::path& folder,
                                    const std::string& prefix) const;

 private:
  std::filesystem::path root_;
};

// Other processes that use the CPUs, from two snapshots of /proc.

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
