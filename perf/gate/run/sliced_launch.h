// A launch that is stopped and continued, interleaved with that of the other side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

/// How long a slice is.
struct Slice {
  double seconds = 0.005;
  /// Of the process on a CPU, so that beside a neighbour both sides get as much of it; else by the
  /// clock.
  bool on_cpu = false;
  /// As many whole runs, of a process that stops between them alone.
  std::size_t runs = 1;
};

/// A process under way, seen from the gate. Each function throws `Error` when the process dies, is
/// silent beyond its limit or says what is not expected; run_interleaved() then asks for its
/// outcome.
class SlicedLaunch {
 public:
  /// Ends the process, if it is still there.
  virtual ~SlicedLaunch() = default;

  /// Waits until it is prepared, and stops it. Returns how long a run takes, seconds; 0 where that
  /// was not tried.
  virtual double prepared() = 0;
  /// How many samples it is to take, once it goes on.
  virtual void begin(std::size_t samples) = 0;
  /// Lets it run for a slice, and stops it. True when it has taken its samples, maybe earlier.
  virtual bool run(const Slice& slice) = 0;
  /// Lets it write down what it has measured.
  virtual void conclude() = 0;
  /// Waits for its end. A launch that did not conclude has failed, and says how. Never throws.
  virtual LaunchOutcome outcome() = 0;
};

struct SlicePlan {
  double seconds = 0.25;  ///< for the samples of each side
  /// At least so many, as far as they fit into `most_s`; one in any case.
  std::size_t samples = 1;
  double most_s = 1;
  Slice slice;
  double call_s = 0;  ///< what a run took in earlier launches; 0: unknown
  std::size_t most_samples = 5000;
};

/// What the two sides have to show; of the one that failed last, the other was ended without fault
/// and has neither a launch nor a failure.
struct PairOutcome {
  LaunchOutcome before, now;
};

/// A pair: both are prepared at once; then they are interleaved until each has its samples, and who
/// begins is drawn anew for every two slices. Both take as many. Where both leave every sample, the
/// launch of `now` has the counter `counter::interleaved_ratio` besides, of all but the first where
/// there are more than three: when threads begin, they may share a CPU until the scheduler parts
/// them.
PairOutcome run_interleaved(SlicedLaunch& before, SlicedLaunch& now, const SlicePlan& plan,
                            std::mt19937_64& generator);

}  // namespace ratchet::gate
