// Where the time of a short CUDA program goes: the text's "secret time sink", seen from CUPTI's
// records of runtime and driver calls.
//
// Source: Barr, "The Secret Time Sink": of a 110 ms program the kernel takes 41 ms. 55 ms go to the
// first CUDA call, whichever it is, because it starts the runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/timers/activity.h"

namespace ratchet::timing {

struct TimeSinkRow {
  /// "GPU activities" or "API calls", as nvprof named them; "Outside calls": the host's own time in
  /// a phase, which nvprof did not show.
  std::string type;
  std::string name;
  std::size_t calls = 0;
  double seconds = 0;  ///< total
  double share = 0;    ///< of the total of its type, 0 to 1
};

/// A part of the program, on the clock of the records.
struct TimeSinkPhase {
  std::string name;
  std::uint64_t begin_ns = 0, end_ns = 0;
};

struct TimeSink {
  std::string stage;           ///< as its row is named: parameters off their defaults follow
  std::string first;           ///< the call asked to go first, of first_calls()
  std::string measured_by;     ///< the program, with its revision
  double program_seconds = 0;  ///< the whole process, unobserved, median of several; 0: not taken
  double before_seconds = 0;   ///< CPU time of the process before its first CUDA call
  double wall_seconds = 0;         ///< from just before the first CUDA call to the end of the run
  double start_up_seconds = 0;     ///< the longest API call before a launch: it creates the context
  std::string start_up_call;       ///< its name
  double launch_seconds = 0;       ///< all kernel launches, API side
  double synchronize_seconds = 0;  ///< all waiting calls
  double kernel_seconds = 0;       ///< kernels and transfers on the device
  double outside_seconds = 0;      ///< of wall_seconds, what no API call accounts for
  std::vector<TimeSinkRow> rows;   ///< per type by falling time
};

/// Pure accounting over records. Runtime calls count; driver calls count only where no runtime call
/// encloses them (the runtime is made of driver calls, which must not be counted twice). Of each
/// phase, in order of time, what lies outside of all calls is a line of its own.
TimeSink account(const std::vector<Activity>& activities,
                 const std::vector<TimeSinkPhase>& phases = {});

/// The calls of the CUDA runtime that can go first.
std::vector<std::string> first_calls();

/// Prepares and runs `stage` once at these parameters in this process, which must not have used
/// CUDA before, and accounts for it. `first`, one of first_calls(), is called before everything
/// else. Throws Error; with ExitCode::nothing_ran where there is no CUDA device, or no CUPTI, or
/// another profiler holds it.
TimeSink measure_time_sink(const Stage& stage, const Parameters& parameters,
                           const std::string& first);

/// The same, unobserved, for whoever times the process from outside. Throws like it.
void run_time_sink_program(const Stage& stage, const Parameters& parameters,
                           const std::string& first);

/// As the text prints it, in Markdown.
std::string to_markdown(const TimeSink& sink);
/// A file of several: a list.
std::string to_json(const std::vector<TimeSink>& sinks);
/// Throws Error naming `what` (usually the file) on anything but what to_json wrote.
std::vector<TimeSink> time_sinks_from_json(const std::string& text, const std::string& what);

}  // namespace ratchet::timing
