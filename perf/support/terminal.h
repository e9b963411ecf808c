// Terminal output: colours, and a line of progress that is updated in place.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "perf/support/clock.h"

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

/// A line of progress on stderr. On a terminal each line replaces the previous one; output through
/// out() and err(), and the destructor, erase it. Without a terminal there is no such line.
class LiveLine {
 public:
  LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  ~LiveLine();

  /// A function that shows a line, cut to the terminal's width. Empty where stderr is not a
  /// terminal or `quiet` is set; callers then print progress as plain lines.
  std::function<void(const std::string&)> show(bool quiet = false);
  void clear();

  std::ostream& out();  ///< std::cout, with the line erased first
  std::ostream& err();  ///< std::cerr, likewise

 private:
  class Clearing;
  bool in_place_ = false;
  bool shown_ = false;
  std::unique_ptr<Clearing> out_buffer_, err_buffer_;
  std::ostream out_, err_;
};

/// What a command is doing that prints nothing before its end: nothing of the first two seconds;
/// then the latest line in place on a terminal, else one every ten seconds. On stderr.
class SlowSteps {
 public:
  explicit SlowSteps(std::function<double()> seconds = seconds_now);
  void show(const std::string& line);

 private:
  std::function<double()> seconds_;
  LiveLine live_;
  std::function<void(const std::string&)> in_place_ = live_.show();
  double next_s_;
};

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
