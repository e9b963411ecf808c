// The GPUs of a communicator's ranks, through NCCL.
#pragma once

#include <functional>
#include <memory>

#include "kernels/support/ranks/communicator.h"
#include "kernels/support/ranks/device_communicator.h"

namespace ratchet::ranks {

/// A wait that begins: what to call in every turn of it, which does not return where other ranks
/// are silent for too long.
using BeginWait = std::function<std::function<void()>()>;

using StreamIsIdle = bool (*)(CUstream_st*);

/// Collective over `ranks`, each with a GPU of its own as the current device. Throws `Error` where
/// the library cannot be had ("NCCL cannot be had: ...") and for what NCCL itself says.
/// `stream_is_idle` asks the program's CUDA runtime.
std::unique_ptr<DeviceCommunicator> make_nccl_communicator(Communicator& ranks,
                                                           StreamIsIdle stream_is_idle,
                                                           const BeginWait& begin_wait);

}  // namespace ratchet::ranks
