// Runs another program with a timeout; and the path and the arguments of this one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ratchet {

/// What the kernel counted of a program's main thread.
struct Scheduled {
  double queued_s = 0;       ///< ready to run, without a CPU
  std::uint64_t sleeps = 0;  ///< voluntary context switches
};

struct ProcessResult {
  int exit_code = 0;        ///< valid where no signal ended it and it did not time out
  int signal = 0;           ///< the signal that ended it, 0 if none
  bool timed_out = false;   ///< its process group was killed
  double limit_s = 0;       ///< where it timed out: after how long
  std::string output;       ///< stdout, at most 64 MiB
  bool output_cut = false;  ///< there was more of it
  std::string errors;       ///< the end of stderr, at most 64 KiB
  double seconds = 0;       ///< wall time
  double cpu_s = 0;         ///< CPU time, with that of the processes that it waited for
  double peak_bytes = 0;  ///< peak memory of the largest of them, and of this process at the start
  std::optional<Scheduled> scheduled = {};  ///< nothing where the kernel does not count it

  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
  /// "killed by signal 11 (Segmentation fault)", "timed out after 60 s and was killed", "exit code
  /// 1: <last line of stderr>"; "exit code 0" when ok.
  std::string describe() const;
  /// The last line of stderr that is not empty, without what Google Benchmark says of every run.
  std::string last_error() const;
};

/// Environment variables by name.
using Environment = std::map<std::string, std::string>;

/// Runs `command` (program and arguments, no shell) in its own process group with empty stdin, and
/// waits for `limit_s` at most. After the timeout, and when this process ends, even when it is
/// killed, the group gets SIGTERM, and SIGKILL three seconds later. `environment`: variables added
/// to those of this process, or replacing them. Throws `Error` when the program cannot be started,
/// and `Interrupted` (interruption.h).
ProcessResult run_process(const std::vector<std::string>& command, double limit_s,
                          const Environment& environment = {});

/// The path of this program. Throws `Error` where /proc does not provide it.
std::filesystem::path own_executable();

/// Throws Error for an option with an empty value, or an empty argument: an unset variable of a
/// script must not act as a missing option. `words` are without the program's name.
void refuse_empty_values(const std::vector<std::string>& words);

}  // namespace ratchet
