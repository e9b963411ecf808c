// Running another program with a time limit; and which program this one is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ratchet {

struct ProcessResult {
  int exit_code = 0;       ///< meaningful when neither of the next two
  int signal = 0;          ///< the signal that ended it, 0 if none
  bool timed_out = false;  ///< it was killed, with everything it had started
  std::string output;      ///< stdout, at most 4 MiB
  std::string errors;      ///< the end of stderr, at most 64 KiB
  double seconds = 0;      ///< wall time

  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
  /// "killed by signal 11 (Segmentation fault)", "no end within 60 s", "exit code 1: <last line of
  /// stderr>"; "ended well" when ok.
  std::string describe() const;
  /// The last line of stderr that is not empty.
  std::string last_error() const;
};

/// Variables by name.
using Environment = std::map<std::string, std::string>;

/// Runs `command` (program and arguments, no shell) in its own process group, stdin empty, and
/// waits for it, but no longer than `limit_s`. When the time is over, and when this process ends,
/// however it does, the group is asked to end (SIGTERM), and three seconds later ended.
/// `environment`: variables that it has besides, or other than, those of this process. Throws
/// `Error` when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command, double limit_s,
                          const Environment& environment = {});

/// The file of this program. Throws `Error` where /proc does not tell.
std::filesystem::path own_executable();

}  // namespace ratchet
