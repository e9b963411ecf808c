// The CUDA device of the program, for callers without CUDA.
#pragma once

#include "kernels/contract/stage.h"

namespace ratchet {

/// Whether a CUDA stage can run: built with CUDA, a new enough driver, a device for whose
/// architecture the program has code. Computed once. Never throws.
Availability cuda_availability();

}  // namespace ratchet
