// What is written for people who look on: colours, and one line of progress that renews itself.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace ratchet {

enum class Colour { red, green, yellow, blue };

/// Whether what goes to this descriptor is to be coloured: never where NO_COLOR is set and not
/// empty; always where FORCE_COLOR or CLICOLOR_FORCE is, to anything but 0; else where it is a
/// terminal whose TERM is not "dumb".
bool wants_colour(int descriptor);

/// `text` in a bold colour.
std::string painted(const std::string& text, Colour colour);

/// Columns of the terminal that stdout goes to; 100 where it goes elsewhere.
std::size_t terminal_width();

/// A line on stderr that says where things stand. On a terminal each takes the place of the one
/// before, and whatever else is written by way of out() and err() takes its place, as does the end;
/// nothing stays. Elsewhere there is no such line.
class LiveLine {
 public:
  LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  ~LiveLine();

  /// Shows `line`, cut to the width of the terminal. Empty where stderr is no terminal, or where
  /// `quiet`: what has to be said is then to be said otherwise.
  std::function<void(const std::string&)> show(bool quiet = false);
  void clear();

  std::ostream& out();  ///< std::cout, after the line is gone
  std::ostream& err();  ///< std::cerr, likewise

 private:
  class Clearing;
  bool in_place_ = false;
  bool shown_ = false;
  std::unique_ptr<Clearing> out_buffer_, err_buffer_;
  std::ostream out_, err_;
};

/// A stream that swallows everything.
std::ostream& no_output();

/// How a run is shown in the terminal.
struct DisplayOptions {
  bool all_rows = false;  ///< rows of identical work and unavailable ones each by itself
  bool quiet = false;     ///< what is not the same, and the headline
  bool colour = false;    ///< verdicts and the headline's first words
};

}  // namespace ratchet
