// Runs of a process that is stopped and continued, interleaved with another: how long each really
// took.
//
// Two processes that are stopped and continued every few milliseconds share their moment, however
// long a single run of theirs is. A run of one thread lasted as long as its thread was on the CPU:
// neither the other's slices nor a neighbour's are part of that. What has more threads, or waits
// for something, lasted as long as the clock says, less the time that it was paused.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/interleaving_protocol.h"
#include "perf/measure/sampling/measure.h"

namespace ratchet::timing {

/// One run, as the process itself saw it.
struct Run {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double thread_s = 0;         ///< time of the calling thread on a CPU
  double cpu_s = 0;            ///< of all threads
  std::uint64_t waits = 0;     ///< times that the calling thread left its CPU by itself
  std::uint64_t switches = 0;  ///< times that it was taken away, from it or another thread
};

/// reset(), then one timed run() and wait().
Run time_run(Instance& instance);

/// The samples of runs between which, and within which, the process was paused. `one_thread`: the
/// stage has no other. `pauses`: in order, none overlapping.
std::vector<Sample> samples_of_slices(const std::vector<Run>& runs,
                                      const std::vector<Pause>& pauses, bool one_thread);

/// What an interleaved row reports: times are the means of the samples. What disturbed one side's
/// samples disturbed the other's in the same milliseconds, and all of it cancels only where all
/// counts.
Summary summarize_slices(const std::vector<Sample>& samples);

}  // namespace ratchet::timing
