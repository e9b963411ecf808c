// The conversation of two interleaved processes, a line at a time:
// the gate (perf/gate/run/worker_launch.h) writes to the worker's stdin, the worker
// (perf/measure/bench/interleaving.h) to its stdout. The gate stops and continues the process
// meanwhile.
//
//   worker: "slices: ready SECONDS"    prepared; a run takes about so long, 0 where none was made
//   gate:   "go COUNT"                take so many samples
//   worker: "slices: done"
//   gate:   "go COUNT"                so many more, any number of times: what has threads is
//   stopped
//                                     between its runs
//   gate:   "pause BEGIN END"         any number: when the worker was paused, nanoseconds of the
//                                     steady clock
//   gate:   "end"                     write down what was measured
//
// Whatever else is on stdout is no part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace ratchet::timing {

/// A time that a process was paused, by the steady clock in nanoseconds, which all processes
/// share.
struct Pause {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool operator==(const Pause&) const = default;
};

// What the gate writes.
struct Go {
  std::size_t samples = 0;  ///< one at least
  bool operator==(const Go&) const = default;
};
struct End {
  bool operator==(const End&) const = default;
};
using SliceCommand = std::variant<Go, Pause, End>;

// What the worker writes.
struct Ready {
  double run_s = 0;
  bool operator==(const Ready&) const = default;
};
struct Done {
  bool operator==(const Done&) const = default;
};
using SliceAnswer = std::variant<Ready, Done>;

/// The line, without its end.
std::string to_line(const SliceCommand& command);
std::string to_line(const SliceAnswer& answer);

/// The command that a line is; nothing for any other line.
std::optional<SliceCommand> read_command(const std::string& line);

/// What stands behind the mark of a line that is part of the conversation; nothing for any other.
std::optional<std::string> read_slice_line(const std::string& line);

/// The answer that this is; nothing for anything else.
std::optional<SliceAnswer> read_answer(const std::string& said);

}  // namespace ratchet::timing
