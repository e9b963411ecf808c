// The worker's side of interleaved execution (perf/measure/interleaving_protocol.h).
#pragma once

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/measure.h"

namespace ratchet::bench {

struct SliceOptions {
  bool warm_up = true;  ///< make a run before the samples
  bool one_thread = false;
};

/// Serves the gate's commands. Throws `Error` for an unknown command or a closed stdin.
timing::Measurement measure_interleaved(Instance& instance, const SliceOptions& options);

}  // namespace ratchet::bench
