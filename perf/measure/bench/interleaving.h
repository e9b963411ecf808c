// The worker's side of slices (perf/measure/interleaving_protocol.h).
#pragma once

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/measure.h"

namespace ratchet::bench {

struct SliceOptions {
  bool warm_up = true;  ///< make a run before the samples
  bool one_thread = false;
};

/// The conversation. Throws `Error` when the gate says what is not part of it, or leaves.
timing::Measurement measure_interleaved(Instance& instance, const SliceOptions& options);

}  // namespace ratchet::bench
