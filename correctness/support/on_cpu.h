// Where a stage computes.
#pragma once

#include "kernels/stage.h"

namespace ratchet {

/// Whether what a stage computes, a CPU computes, in this process or in those of its ranks, too.
inline bool computes_on_cpu(const Stage& stage) {
  return stage.info().backend == Backend::cpu || stage.info().backend == Backend::mpi;
}

}  // namespace ratchet
