// Where the time of a short CUDA program goes: the text's "secret time sink", seen from CUPTI's
// records of runtime and driver calls.
//
// Source: documents 000, "The Secret Time Sink": of a 110 ms program the kernel takes 41 ms, and 55
// ms go to the first CUDA call, whichever it is, because it starts the runtime.
#pragma once

#include <string>
#include <vector>

#include "kernels/stage.h"
#include "perf/timing/timers/activity.h"

namespace ratchet::timing {

struct TimeSinkRow {
  std::string type;  ///< "GPU activities" or "API calls", as nvprof named them
  std::string name;
  std::size_t calls = 0;
  double seconds = 0;  ///< total
  double share = 0;    ///< of the total of its type, 0 to 1
};

struct TimeSink {
  std::string stage;
  double wall_seconds = 0;         ///< from just before the first CUDA call to the end of the run
  double start_up_seconds = 0;     ///< the first API call: it creates the context
  std::string start_up_call;       ///< its name
  double launch_seconds = 0;       ///< all kernel launches, API side
  double synchronize_seconds = 0;  ///< all waiting calls
  double kernel_seconds = 0;       ///< kernels and transfers on the device
  std::vector<TimeSinkRow> rows;   ///< per type by falling time
};

/// Pure accounting over records. Runtime calls count; driver calls count only where no runtime call
/// encloses them (the runtime is made of driver calls, which must not be counted twice).
TimeSink account(const std::vector<Activity>& activities);

/// The calls of the CUDA runtime that can go first.
std::vector<std::string> first_calls();

/// Prepares and runs `stage` once at these parameters in this process, which must not have used
/// CUDA before, and accounts for it. `first`, one of first_calls(), is called before everything
/// else. Throws Error; with ExitCode::nothing_ran where there is no CUDA device, or no CUPTI, or
/// another profiler holds it.
TimeSink measure_time_sink(const Stage& stage, const Parameters& parameters,
                           const std::string& first);

/// As the text prints it, in Markdown.
std::string to_markdown(const TimeSink& sink);
std::string to_json(const TimeSink& sink);
/// Throws Error naming `what` (usually the file) on anything but what to_json wrote.
TimeSink time_sink_from_json(const std::string& text, const std::string& what);

}  // namespace ratchet::timing
