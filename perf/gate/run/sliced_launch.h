// A launch in time slices, interleaved with the launch of the other side.
#pragma once

#include <cstddef>
#include <random>

#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

/// The length of a slice.
struct Slice {
  double seconds = 0.005;
  /// Count CPU time of the process, so that both sides get the same even when other processes use
  /// the CPU; otherwise wall time.
  bool on_cpu = false;
  /// Number of runs, for a process that stops only between runs.
  std::size_t runs = 1;
};

/// A running process, seen from the gate. Each function throws `Error` when the process exits, does
/// not answer within its timeout, or prints something unexpected; run_interleaved() then calls
/// outcome().
class SlicedLaunch {
 public:
  /// Ends the process, if it still runs.
  virtual ~SlicedLaunch() = default;

  /// Waits until the process is prepared, and stops it. Returns the seconds of a run; 0 where
  /// unknown.
  virtual double prepared() = 0;
  /// Sets the number of samples.
  virtual void begin(std::size_t samples) = 0;
  /// Lets the process run for a slice, and stops it. True when it has taken all samples.
  virtual bool run(const Slice& slice) = 0;
  /// Lets the process write its results.
  virtual void conclude() = 0;
  /// Waits for its exit. A launch without conclude() has failed; the outcome has the reason. Never
  /// throws.
  virtual LaunchOutcome outcome() = 0;
};

struct SlicePlan {
  double seconds = 0.25;  ///< for the samples of each side
  /// At least so many samples, as far as they fit into `most_s`; always one.
  std::size_t samples = 1;
  double most_s = 1;
  Slice slice;
  double call_s = 0;  ///< seconds of a run in earlier launches; 0: unknown
  std::size_t most_samples = 5000;
};

/// The outcomes of the two sides. Where one side fails, the other is ended and has neither a launch
/// nor a failure.
struct PairOutcome {
  LaunchOutcome before, now;
};

/// Runs a pair. Both processes prepare concurrently; then they run interleaved until each has its
/// samples, both the same number, and a random side begins every two slices. Where both write their
/// samples, the launch of `now` gets the counter `counter::interleaved_ratio`. It excludes the
/// first of more than three samples: threads that start may share a CPU until the scheduler spreads
/// them.
PairOutcome run_interleaved(SlicedLaunch& before, SlicedLaunch& now, const SlicePlan& plan,
                            std::mt19937_64& generator);

}  // namespace ratchet::gate
