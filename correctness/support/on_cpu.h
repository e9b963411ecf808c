// Where a stage computes.
#pragma once

#include "kernels/contract/stage.h"
#include "kernels/support/ranks/part.h"

namespace ratchet {

/// Whether what a stage computes, a CPU computes, in this process or in those of its ranks, too.
/// (Stages of ranks that take GPUs are unavailable without one.)
inline bool computes_on_cpu(const Stage& stage) {
  return stage.info().backend == Backend::cpu ||
         (stage.info().backend == Backend::mpi && !ranks::takes_gpus(stage));
}
/// Whether a GPU of CUDA's does, or those of its ranks.
inline bool computes_with_cuda(const Stage& stage) {
  return stage.info().backend == Backend::cuda || ranks::takes_gpus(stage);
}

}  // namespace ratchet
