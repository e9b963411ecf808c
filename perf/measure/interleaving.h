// The time of runs of a process that is stopped and continued, interleaved with another process.
//
// Two processes that alternate every few milliseconds see the same conditions, however long their
// runs are. The time of a single-threaded run is its thread's CPU time, which excludes the other
// process and neighbours. The time of a run with several threads, or one that waits, is wall time
// less the paused time.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/interleaving_protocol.h"
#include "perf/measure/sampling/measure.h"

namespace ratchet::timing {

/// One run, as measured in the process.
struct Run {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double thread_s = 0;         ///< time of the calling thread on a CPU
  double cpu_s = 0;            ///< of all threads
  std::uint64_t waits = 0;     ///< voluntary context switches of the calling thread
  std::uint64_t switches = 0;  ///< involuntary context switches of all threads
};

/// reset(), then one timed run() and wait().
Run time_run(Instance& instance);

/// The samples of runs of a process that was paused between and within them. `one_thread`: the
/// stage is single-threaded. `pauses`: in order, not overlapping.
std::vector<Sample> samples_of_slices(const std::vector<Run>& runs,
                                      const std::vector<Pause>& pauses, bool one_thread);

/// The summary of an interleaved row: its times are the means of the samples. Both sides see the
/// same disturbances within milliseconds; these cancel only if every sample counts.
Summary summarize_slices(const std::vector<Sample>& samples);

}  // namespace ratchet::timing
