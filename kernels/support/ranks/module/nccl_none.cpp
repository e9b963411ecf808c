// Of a build without NCCL's header.
#include "kernels/support/error.h"
#include "nccl_communicator.h"

namespace ratchet::ranks {

std::unique_ptr<DeviceCommunicator> make_nccl_communicator(Communicator&, StreamIsIdle,
                                                           const BeginWait&) {
  throw Error(
      "GPUs of several ranks talk through NCCL, and this was built without: have nccl.h (of the "
      "package libnccl-dev, or of Python's nvidia-nccl-cu13) where CMake finds it");
}

}  // namespace ratchet::ranks
