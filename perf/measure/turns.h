// Runs of a process that is stopped and continued, by turns with another: how long each really
// took.
//
// Two processes that are stopped and continued every few milliseconds share their moment, however
// long a single run of theirs is. A run of one thread lasted as long as its thread was on the CPU:
// neither the other's turns nor a neighbour's are part of that. What has more threads, or waits for
// something, lasted as long as the clock says, less the time that it stood still.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/turns_protocol.h"

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

/// The samples of runs between which, and within which, the process stood still. `one_thread`: the
/// stage has no other. `pauses`: in order, none overlapping.
std::vector<Sample> samples_of_turns(const std::vector<Run>& runs, const std::vector<Pause>& pauses,
                                     bool one_thread);

/// What a row in turns reports: times are the means of the samples. What disturbed one side's
/// samples disturbed the other's in the same milliseconds, and all of it cancels only where all
/// counts.
Summary summarize_turns(const std::vector<Sample>& samples);

}  // namespace ratchet::timing
