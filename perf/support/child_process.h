// A concurrent program that reads and writes lines.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "perf/support/process.h"

namespace ratchet {

// Ends a process group when this process ends, even when it is killed.

/// Sends SIGTERM to a process group, and SIGKILL after three seconds. SIGTERM comes first because a
/// build tool starts its compilers in other groups, which only the tool can end. `status`: not null
/// where the group's leader is a child of this process; it is waited for and its status stored.
void end_group(pid_t group, int* status);

/// A process that ends the group when this process ends before this object does. Where it cannot be
/// started, the group is not guarded.
class ChildReaper {
 public:
  explicit ChildReaper(pid_t group);
  ChildReaper(const ChildReaper&) = delete;
  ChildReaper& operator=(const ChildReaper&) = delete;
  ~ChildReaper();

 private:
  int alive_ = -1;  ///< a pipe without data; it closes when this process ends
  pid_t reaper_ = -1;
};

enum class Stdin {
  empty,
  open  ///< for write_line()
};

/// A child in a process group of its own, which ends with this process, and with
/// this object.
class ChildProcess {
 public:
  /// `command`, `environment`: as of run_process(). Throws `Error` if no process can be
  /// started. That a program cannot be executed is reported when it ends.
  ChildProcess(const std::vector<std::string>& command, const Environment& environment,
               Stdin input = Stdin::empty);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  /// Writes a line to its stdin, which must be open. Writing to an exited child is ignored.
  void write_line(const std::string& line);
  /// The next line of its stdout, without its end; nothing when it closed its stdout, ended or did
  /// not finish the line within `limit_s`.
  std::optional<std::string> read_line(double limit_s);
  /// Whether its stdout is open, so that read_line() may still return a line.
  bool has_output() const { return out_ >= 0; }
  /// CPU time of all its threads so far, seconds; 0 when it is gone.
  double cpu_seconds() const;
  /// Pins each of its current threads to one of `cpus`, in turn: a scheduler leaves threads that
  /// share a CPU there for milliseconds. The first thread keeps all CPUs, because threads that it
  /// starts inherit them; if `cpus` has one CPU, the first thread is pinned to it, too.
  void spread_threads(const std::vector<int>& cpus);
  /// Stops all that it runs, until resume().
  void pause();
  void resume();
  /// Waits until it exits, `limit_s` at most, then asks it to exit (end_group). If it exits by
  /// itself, the rest of its group is killed. The result's output is what read_line() has not read.
  /// Throws `Error` if the program could not be executed, and like read_line() `Interrupted`.
  ProcessResult finish(double limit_s);

 private:
  bool listen(double deadline, bool until_line);
  void reap(int wait_options);

  std::string program_;
  double start_s_;
  pid_t child_ = -1;
  std::optional<ChildReaper> reaper_;
  int in_ = -1, out_ = -1, err_ = -1;
  bool ended_ = false;
  int status_ = -1;
  ProcessResult result_;
};

}  // namespace ratchet
