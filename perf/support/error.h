// Errors that end up as one line on stderr and a documented exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace ratchet {

/// Exit codes of every ratchet program (DESIGN: the decision).
enum class ExitCode : int {
  pass = 0,
  regression = 1,
  failed = 2,       ///< bad input, or the harness itself failed
  undecided = 3,    ///< also: nothing to compare with, under --strict
  nothing_ran = 77  ///< nothing that was asked for can run on this machine
};

/// The exit code of a run that could not keep some of its results: a regression stays one, and what
/// passed does not pass.
constexpr ExitCode after_loss(ExitCode code) {
  return code == ExitCode::regression ? code : ExitCode::failed;
}

/// One line for the user: what went wrong, where, and what to do. No trailing newline or full stop
/// is needed; main() prints "ratchet: <message>" and exits with `code`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::failed)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace ratchet
