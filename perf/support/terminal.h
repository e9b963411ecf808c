// Terminal output: colours, and the progress of what takes long.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

namespace ratchet {

enum class Colour { red, green, yellow, blue };

/// Whether output to this descriptor is coloured. Never where NO_COLOR is set and not empty; always
/// where FORCE_COLOR or CLICOLOR_FORCE is set and not 0. Otherwise where the descriptor is a
/// terminal and TERM is not "dumb".
bool wants_colour(int descriptor);

/// Whether a person can be asked: stdin and stdout are terminals.
bool can_ask();

/// `text` in a bold colour.
std::string painted(const std::string& text, Colour colour);

/// Columns of the terminal on stdout; 100 where stdout is not a terminal.
std::size_t terminal_width();
/// Rows of the terminal on stdout; 0 where stdout is not a terminal.
std::size_t terminal_height();

/// When something ends, on the clock of seconds_now(): not before `least_s`, as estimated from what
/// was measured; not after `most_s`, a bound.
struct Forecast {
  double least_s, most_s;
};

/// "20 s to 3 min 05 s left"; "at most 3 min 05 s left" where no more than the bound is known.
std::string time_left(double least_s, double most_s);

/// Where a program stands in a phase: "3 of 7 rows launched once", and when the rest is done.
struct Standing {
  std::string text = {};
  std::optional<Forecast> left = {};
};

/// What the program does, as long as the object lives. A ProgressDisplay shows the newest phase
/// that has a text. Threads may have phases of their own.
class Phase {
 public:
  explicit Phase(const std::string& what = "");
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  ~Phase();
  /// It does something else now. On a terminal that is shown at once.
  void now(const std::string& what, const Standing& standing = {}) const;

 private:
  std::size_t id_;
};

/// Shows on stderr what takes long, by one rule for all commands: nothing of the first two seconds
/// of a phase. Then, on a terminal, one line in place, each second anew; any other output erases
/// it. Elsewhere a line for the phase, and one whenever nothing was printed for ten seconds. A line
/// ends with the time that its text has stood. main() has the one display; without it phases show
/// nothing.
class ProgressDisplay {
 public:
  /// By the clock of a test nothing is shown but by beat().
  explicit ProgressDisplay(std::function<double()> test_clock = {});
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay();
  void beat();

 private:
  class Noticing;
  std::unique_ptr<Noticing> out_, err_;
  std::jthread thread_;
};

/// From here on nothing is shown: of --quiet, or before a question.
void hide_progress();

/// A stream that discards everything.
std::ostream& no_output();

/// How a run is printed.
struct DisplayOptions {
  bool all_rows = false;  ///< a line for each row of identical work and each unavailable row
  bool quiet = false;     ///< only the headline and the rows that are not the same
  bool colour = false;    ///< of verdicts and the first words of the headline
  bool json = false;      ///< the verdict, too, by print_document()
};

}  // namespace ratchet
