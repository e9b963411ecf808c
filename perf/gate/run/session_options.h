// What the parts of a measuring session share: the builds, what is asked for, the time, and the
// lines for people.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perf/gate/run/bench_program.h"
#include "perf/gate/run/selection.h"
#include "perf/support/clock.h"

namespace ratchet::gate {

struct SessionOptions {
  SelectionOptions selection;
  std::size_t launches = 9;  ///< launches a row before the first analysis; one side only
  double budget_s = 240;     ///< wall time of the whole session, checks included
  /// Time for the samples of one launch of one row, seconds. 0: with one side as long as the budget
  /// allows; with two, short (many short pairs see more than few long ones), but long enough for
  /// eight samples: one or two cannot tell the stage from what disturbed it.
  double sample_s = 0;
  double verify_s = 1;     ///< for judging a row at its point (verify_in_situ), at most
  std::uint64_t seed = 0;  ///< of the order within pairs
  bool slices = true;      ///< two sides: both alive at once and interleaved, where both can
  /// Devices that the rows of a GPU are spread over, as CUDA_VISIBLE_DEVICES names them; with fewer
  /// than two they run where this process would.
  std::vector<std::string> gpus = {};
  std::optional<double> slice_s;  ///< how long a slice is; otherwise as the row's CPUs want it
  /// Rows of one thread whose pairs are interleaved that are measured at once, each on a CPU of its
  /// own; 0: one a CPU, eight at most.
  std::size_t slots = 0;
  /// Shows where things stand in place of the line before (LiveLine); else a line now and then.
  std::function<void(const std::string&)> show = {};
};

/// A build under measurement.
struct Side {
  std::string name;  ///< for people: "base", "new"; may be empty where there is only one
  const BenchProgram* program = nullptr;
};

/// Processes that may run at once where nothing is timed, and rows that are timed on a CPU each.
/// Not one a CPU where there are many: each has its own memory, and some have threads.
std::size_t most_at_once();

/// The wall time that a session may take.
class Budget {
 public:
  explicit Budget(double seconds) : seconds_(seconds) {}
  double seconds() const { return seconds_; }
  double spent() const { return seconds_now() - start_s_; }
  /// Less what is set aside.
  double left() const { return seconds_ - spent() - aside_s_; }
  /// From now on so many seconds are kept for what comes later.
  void set_aside(double seconds) { aside_s_ = seconds; }
  /// Of the time spent, how much the programs ran; the rest is the gate's own.
  double measuring() const { return measuring_s_; }
  void add_measuring(double seconds) { measuring_s_ += seconds; }

 private:
  double seconds_;
  double start_s_ = seconds_now();
  double aside_s_ = 0, measuring_s_ = 0;
};

/// Lines for people.
class Progress {
 public:
  using Line = std::function<void(const std::string&)>;
  /// `show` may be empty (SessionOptions::show).
  Progress(Line say, Line show) : say_(std::move(say)), show_(std::move(show)) {}

  void say(const std::string& line) const { say_(line); }
  /// Where things stand: at once where that is shown in place, else now and then.
  void tell(const std::string& line);
  /// What is being worked on, behind where things stand.
  void show(const std::string& what) const;

 private:
  Line say_, show_;
  std::string standing_;  ///< the last line told, where it is shown in place
  double told_s_ = seconds_now();
};

}  // namespace ratchet::gate
