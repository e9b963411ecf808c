// A program that runs beside this one and can be spoken to, line by line.
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
  open  ///< for say()
};

/// A child in a process group of its own, which ends with this process, and with
/// this object.
class ChildProcess {
 public:
  /// `command`, `environment`: as of run_process(). Throws `Error` when there is no process to be
  /// had; that the program cannot be executed shows when it ends.
  ChildProcess(const std::vector<std::string>& command, const Environment& environment,
               Stdin input = Stdin::empty);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  /// Writes a line to its stdin, which must be open. A child that is gone is told in vain.
  void say(const std::string& line);
  /// The next line of its stdout, without its end; nothing when it closed its stdout, ended or did
  /// not finish the line within `limit_s`.
  std::optional<std::string> hear(double limit_s);
  /// Whether hear() may still bring something, had it the time.
  bool speaks() const { return out_ >= 0; }
  /// CPU time of all its threads so far, seconds; 0 when it is gone.
  double cpu_seconds() const;
  /// Gives the threads that it has each a CPU of `cpus`, in turn: those that a scheduler finds on
  /// one CPU stay there for milliseconds. The first thread keeps all CPUs, for it may start others,
  /// which inherit what it has; where `cpus` is one, that is its, too.
  void spread_threads(const std::vector<int>& cpus);
  /// Stops all that it runs, until resume().
  void pause();
  void resume();
  /// Waits for its end, `limit_s` at most, then asks it to end (end_group), or after its own end
  /// kills what is left of its group. The result's
  /// output is what hear() left. Throws `Error` when the program could not be executed.
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
