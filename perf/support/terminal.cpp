#include "perf/support/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <streambuf>

#include "perf/support/printable.h"

namespace ratchet {
namespace {

constexpr const char* erase_line = "\r\x1b[K";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_terminal(int descriptor) { return isatty(descriptor) != 0 && variable("TERM") != "dumb"; }

std::size_t width_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

}  // namespace

bool wants_colour(int descriptor) {
  if (!variable("NO_COLOR").empty()) return false;
  for (const char* name : {"FORCE_COLOR", "CLICOLOR_FORCE"})
    if (!variable(name).empty() && variable(name) != "0") return true;
  return is_terminal(descriptor);
}

bool can_ask() { return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0; }

std::string painted(const std::string& text, Colour colour) {
  const int code = colour == Colour::red      ? 31
                   : colour == Colour::green  ? 32
                   : colour == Colour::yellow ? 33
                                              : 34;
  return fmt::format("\x1b[1;{}m{}\x1b[0m", code, text);
}

std::size_t terminal_width() { return width_of(STDOUT_FILENO); }

std::size_t terminal_height() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/// Forwards all output, and erases the line first.
class LiveLine::Clearing : public std::streambuf {
 public:
  Clearing(LiveLine& line, std::ostream& to) : line_(line), to_(*to.rdbuf()) {}

 protected:
  int_type overflow(int_type c) override {
    line_.clear();
    return to_.sputc(traits_type::to_char_type(c));
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    line_.clear();
    return to_.sputn(text, size);
  }
  int sync() override { return to_.pubsync(); }

 private:
  LiveLine& line_;
  std::streambuf& to_;
};

LiveLine::LiveLine()
    : in_place_(is_terminal(STDERR_FILENO)),
      out_buffer_(std::make_unique<Clearing>(*this, std::cout)),
      err_buffer_(std::make_unique<Clearing>(*this, std::cerr)),
      out_(out_buffer_.get()),
      err_(err_buffer_.get()) {}

LiveLine::~LiveLine() { clear(); }

std::function<void(const std::string&)> LiveLine::show(bool quiet) {
  if (!in_place_ || quiet) return {};
  return [this](const std::string& line) {
    // A line that reaches the last column wraps, and only its end could be erased.
    std::cerr << erase_line << printable(line, width_of(STDERR_FILENO) - 4) << std::flush;
    shown_ = true;
  };
}

void LiveLine::clear() {
  if (shown_) std::cerr << erase_line << std::flush;
  shown_ = false;
}

std::ostream& LiveLine::out() { return out_; }
std::ostream& LiveLine::err() { return err_; }

SlowSteps::SlowSteps(std::function<double()> seconds)
    : seconds_(std::move(seconds)), next_s_(seconds_() + 2) {}

void SlowSteps::show(const std::string& line) {
  const double now_s = seconds_();
  if (now_s < next_s_) return;
  next_s_ = now_s + (in_place_ ? 0.1 : 10);
  if (in_place_)
    in_place_("ratchet: " + line);
  else
    live_.err() << "ratchet: " << line << std::endl;
}

std::ostream& no_output() {
  static std::ostream nothing(nullptr);
  return nothing;
}

}  // namespace ratchet
