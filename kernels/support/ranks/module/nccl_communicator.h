// The GPUs of a communicator's ranks, through NCCL.
#pragma once

#include <functional>
#include <memory>

#include "kernels/support/ranks/communicator.h"
#include "kernels/support/ranks/device_communicator.h"

namespace ratchet::ranks {

/// Begins a wait; returns the function to call in every iteration, which does not return if another
/// rank is unresponsive.
using BeginWait = std::function<std::function<void()>()>;

using StreamIsIdle = bool (*)(CUstream_st*);

/// Collective over `ranks`, each with its own GPU as the current device. Throws `Error` without the
/// library ("cannot load NCCL: ...") and for NCCL's errors. `stream_is_idle` queries the
/// program's CUDA runtime.
std::unique_ptr<DeviceCommunicator> make_nccl_communicator(Communicator& ranks,
                                                           StreamIsIdle stream_is_idle,
                                                           const BeginWait& begin_wait);

}  // namespace ratchet::ranks
