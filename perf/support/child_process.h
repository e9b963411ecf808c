// A concurrent program that reads and writes lines.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "perf/support/child_reaper.h"
#include "perf/support/process.h"

namespace ratchet {

enum class Stdin {
  empty,
  open  ///< for write_line()
};

/// A child in a process group of its own, which ends with this process (child_reaper.h), and with
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
  /// Throws `Error` if the program could not be executed.
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
