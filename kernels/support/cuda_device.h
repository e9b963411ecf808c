// Which CUDA device the program uses, without needing CUDA to ask.
#pragma once

#include "kernels/contract/stage.h"

namespace ratchet {

/// Whether a CUDA stage can run: built with CUDA, a driver new enough, a device whose architecture
/// the program holds code for. Asked once, then remembered. Never throws.
Availability cuda_availability();

}  // namespace ratchet
