// The worker's side of turns: the gate says when to begin and when it stood still, and stops and
// continues the process meanwhile (perf/gate/run/turn_launch.h has the other side).
//
//   worker: "turns: ready SECONDS"    prepared; a run takes about so long, 0 where none was made
//   gate:   "go COUNT"                take so many samples
//   worker: "turns: done"
//   gate:   "go COUNT"                so many more, any number of times: what has threads is stopped
//                                     between its runs
//   gate:   "pause BEGIN END"         any number: when the worker stood still, nanoseconds of the
//                                     steady clock
//   gate:   "end"
//
// Whatever else is on stdout is no part of it.
#pragma once

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/measure.h"

namespace ratchet::bench {

struct TurnOptions {
  bool warm_up = true;  ///< make a run before the samples
  bool one_thread = false;
};

/// The conversation. Throws `Error` when the gate says what is not part of it, or leaves.
timing::Measurement measure_in_turns(Instance& instance, const TurnOptions& options);

}  // namespace ratchet::bench
