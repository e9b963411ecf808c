// Ctrl-C (SIGINT) and SIGTERM: a command that measures stops within a second or two, and keeps what
// it measured.
#pragma once

#include <exception>
#include <filesystem>

#include "perf/support/error.h"

namespace ratchet {

/// From now on SIGINT and SIGTERM end this program, as they do anyway, without its unfinished files
/// and folders (remove_at_end).
void end_cleanly();

/// From now on the first SIGINT or SIGTERM is only remembered; the second ends this program at
/// once.
void catch_interruption();

/// A signal that ends this program removes this file, or this new folder if it is empty then; the
/// folders inside it come first. A folder `with_content` goes whatever is in it. Returns its number
/// for keep_at_end; -1 where there is no room for it.
int remove_at_end(const std::filesystem::path& path, bool with_content = false);
void keep_at_end(int number);

/// The signal that came; 0 without one.
int interruption();

/// "SIGINT" or "SIGTERM".
const char* name_of_interruption();

/// Thrown where a child process was stopped by an interruption. Not an `Error`, because no row and
/// no build has failed.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// As a shell reports a program that ended by this signal: 130 or 143.
constexpr ExitCode after_interruption(int signal) { return static_cast<ExitCode>(128 + signal); }

/// Throws `Interrupted` after a signal, until keep_results() was called.
void check_interruption();

/// From now on an interruption stops no child process: what was measured is being kept, which needs
/// git and a disassembler.
void keep_results();

}  // namespace ratchet
