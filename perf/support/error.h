// Errors, printed as one line on stderr with a documented exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace ratchet {

/// Exit codes of every ratchet program (DESIGN: the decision).
enum class ExitCode : int {
  pass = 0,
  regression = 1,
  failed = 2,       ///< bad input, or the harness itself failed
  undecided = 3,    ///< with --strict also: nothing to compare with
  nothing_ran = 77  ///< nothing that was selected can run on this machine
};

/// The exit code of a run that could not write all of its results: 1 stays 1, all others become 2.
constexpr ExitCode after_loss(ExitCode code) {
  return code == ExitCode::regression ? code : ExitCode::failed;
}

/// One line for the user: what went wrong, where, and what to do, without a full stop. main()
/// prints "ratchet: <message>" and exits with `code`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::failed)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace ratchet
