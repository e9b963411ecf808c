#include "perf/support/terminal.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <vector>

#include "perf/support/clock.h"
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

std::string time_left(double least_s, double most_s) {
  if (most_s < 1) return "about to end";
  const double least = std::min(least_s, most_s);
  const bool known = least >= 1 && least >= 0.05 * most_s && duration(least) != duration(most_s);
  return known ? fmt::format("{} to {} left", duration(least), duration(most_s))
               : fmt::format("at most {} left", duration(most_s));
}

namespace {

struct Shown {
  std::size_t id;
  std::string what;
  Standing standing;
  double since_s, text_since_s;
  bool printed = false;
};

/// All phases of the program, and what of them is on stderr.
class Board {
 public:
  void start(std::function<double()> seconds) {
    const std::lock_guard lock(mutex_);
    seconds_ = std::move(seconds);
    to_ = std::cerr.rdbuf();
    in_place_ = is_terminal(STDERR_FILENO);
    on_ = true, drawn_ = false;
    line_s_ = start_s_ = seconds_();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    erase();
    on_ = false;
  }

  std::size_t begin(const std::string& what) {
    const std::lock_guard lock(mutex_);
    phases_.push_back({++last_id_, what, {}, seconds_(), seconds_()});
    return last_id_;
  }
  void end(std::size_t id) {
    const std::lock_guard lock(mutex_);
    std::erase_if(phases_, [&](const Shown& each) { return each.id == id; });
    erase();
  }
  void change(std::size_t id, const std::string& what, const Standing& standing) {
    const std::lock_guard lock(mutex_);
    for (Shown& each : phases_)
      if (each.id == id) {
        const bool begins = each.what.empty() && each.standing.text.empty();
        each = {id, what, standing, begins ? seconds_() : each.since_s, seconds_(), each.printed};
      }
    const bool soon = seconds_() - line_s_ < 0.1 || seconds_() - start_s_ < slow_s;
    if (in_place_ && !soon) show();
  }
  void beat() {
    const std::lock_guard lock(mutex_);
    const Shown* const phase = newest();
    if (!phase) return;
    const double now_s = seconds_();
    if (in_place_ ? now_s - phase->since_s >= slow_s : is_due(*phase, now_s)) show();
  }
  /// Something else is written.
  void notice(bool ends_line) {
    const std::lock_guard lock(mutex_);
    erase();
    line_s_ = seconds_();
    inside_line_ = !ends_line;
  }

 private:
  static constexpr double slow_s = 2, again_s = 10;

  Shown* newest() {
    for (auto each = phases_.rbegin(); each != phases_.rend(); ++each)
      if (!each->what.empty() || !each->standing.text.empty()) return &*each;
    return nullptr;
  }
  bool is_due(const Shown& phase, double now_s) const {
    const double silent_s = now_s - line_s_;
    const bool first = !phase.printed && now_s - phase.since_s >= slow_s && silent_s >= slow_s;
    return first || silent_s >= again_s;
  }
  std::string text_of(const Shown& phase) const {
    const double now_s = seconds_();
    std::string text = phase.standing.text;
    if (const auto& left = phase.standing.left)
      text += ", " + time_left(left->least_s - now_s, left->most_s - now_s);
    if (!phase.what.empty()) text += (text.empty() ? "" : ": ") + phase.what;
    const double stood_s = now_s - phase.text_since_s;
    return "ratchet: " + text + (stood_s >= slow_s ? " (" + duration(stood_s) + ")" : "");
  }
  void show() {
    Shown* const phase = newest();
    if (!on_ || !phase || inside_line_) return;
    // A line that reaches the last column wraps, and only its end could be erased.
    write(in_place_ ? erase_line + printable(text_of(*phase), width_of(STDERR_FILENO) - 4)
                    : printable(text_of(*phase)) + "\n");
    phase->printed = true;
    drawn_ = in_place_;
    line_s_ = seconds_();
  }
  void erase() {
    if (drawn_) write(erase_line);
    drawn_ = false;
  }
  void write(const std::string& text) {
    to_->sputn(text.data(), static_cast<std::streamsize>(text.size()));
    to_->pubsync();
  }

  std::mutex mutex_;
  std::function<double()> seconds_ = seconds_now;
  std::streambuf* to_ = nullptr;
  bool on_ = false, in_place_ = false, drawn_ = false, inside_line_ = false;
  double start_s_ = 0, line_s_ = 0;
  std::size_t last_id_ = 0;
  std::vector<Shown> phases_;
};

/// Never destroyed: phases of static objects may outlast it.
Board& board() {
  static Board& only = *new Board;
  return only;
}

}  // namespace

Phase::Phase(const std::string& what) : id_(board().begin(what)) {}
Phase::~Phase() { board().end(id_); }
void Phase::now(const std::string& what, const Standing& standing) const {
  board().change(id_, what, standing);
}

/// Takes the place of a stream's buffer, and forwards all output.
class ProgressDisplay::Noticing : public std::streambuf {
 public:
  explicit Noticing(std::ostream& stream) : to_(*stream.rdbuf(this)) {}
  ~Noticing() override {
    for (std::ostream* each : {&std::cout, &std::cerr})  // under --json both write to stderr
      if (each->rdbuf() == this) each->rdbuf(&to_);
  }

 protected:
  int_type overflow(int_type c) override {
    board().notice(c == '\n');
    return to_.sputc(traits_type::to_char_type(c));
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (size > 0) board().notice(text[size - 1] == '\n');
    return to_.sputn(text, size);
  }
  int sync() override { return to_.pubsync(); }

 private:
  std::streambuf& to_;
};

ProgressDisplay::ProgressDisplay(std::function<double()> test_clock) {
  board().start(test_clock ? test_clock : seconds_now);
  out_ = std::make_unique<Noticing>(std::cout);
  err_ = std::make_unique<Noticing>(std::cerr);
  if (test_clock) return;
  // Signals are for the thread that works: they end what it waits for.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, std::chrono::seconds(1), [&] { return false; }) &&
           !stop.stop_requested())
      board().beat();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressDisplay::~ProgressDisplay() {
  thread_ = {};
  board().stop();
}

void ProgressDisplay::beat() { board().beat(); }

void hide_progress() { board().stop(); }

std::ostream& no_output() {
  static std::ostream nothing(nullptr);
  return nothing;
}

}  // namespace ratchet
