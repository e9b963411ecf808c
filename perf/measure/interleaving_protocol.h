// The protocol of two interleaved processes, line by line. The gate (perf/gate/run/worker_launch.h)
// writes to the worker's stdin, the worker (perf/measure/bench/run_row.h) to its stdout.
// Meanwhile the gate stops and continues the worker.
//
//   worker: "slices: ready SECONDS"   prepared; SECONDS: time of one run, 0 without a warm-up run
//   gate:   "go COUNT"                take COUNT samples
//   worker: "slices: done"
//   gate:   "go COUNT"                repeated for programs with threads, which pause between runs
//   gate:   "pause BEGIN END"         repeated: the worker was paused, in ns of the steady clock
//   gate:   "end"                     write the results
//
// Other lines on stdout are not part of the protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace ratchet::timing {

/// A pause of a process, in nanoseconds of the steady clock, which all processes share.
struct Pause {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool operator==(const Pause&) const = default;
};

// The gate's lines.
struct Go {
  std::size_t samples = 0;  ///< at least 1
  bool operator==(const Go&) const = default;
};
struct End {
  bool operator==(const End&) const = default;
};
using SliceCommand = std::variant<Go, Pause, End>;

// The worker's lines.
struct Ready {
  double run_s = 0;
  bool operator==(const Ready&) const = default;
};
struct Done {
  bool operator==(const Done&) const = default;
};
using SliceAnswer = std::variant<Ready, Done>;

/// The line without its newline.
std::string to_line(const SliceCommand& command);
std::string to_line(const SliceAnswer& answer);

/// Parses a command; nothing for any other line.
std::optional<SliceCommand> read_command(const std::string& line);

/// The text after the mark of a protocol line; nothing for any other line.
std::optional<std::string> read_slice_line(const std::string& line);

/// Parses an answer; nothing for any other text.
std::optional<SliceAnswer> read_answer(const std::string& text);

}  // namespace ratchet::timing
