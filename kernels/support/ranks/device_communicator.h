// How the GPUs of a row's ranks talk to each other: NCCL (module/nccl_communicator.cpp), or nobody
// where there is one rank (alone.cpp).
//
// Calls are enqueued on a stream and return; wait() says when they have ended. All data lies in
// device memory. What must be on its way together goes into one exchange(): NCCL may wait inside
// of a call for the other side of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct CUstream_st;  // a cudaStream_t, for those who are not compiled with CUDA

namespace ratchet::ranks {

enum class Fold;

/// Bytes in device memory that go to, or come from, another rank.
struct Transfer {
  std::uint32_t other = 0;
  const void* send = nullptr;  ///< one of the two is set
  void* receive = nullptr;
  std::size_t bytes = 0;
};

/// One rank's end, as Communicator.
class DeviceCommunicator {
 public:
  using Stream = CUstream_st*;  ///< nullptr: the legacy default stream
  virtual ~DeviceCommunicator() = default;

  /// Collective: folds the arrays of all ranks in place, value by value; every rank gets the
  /// result.
  virtual void all_reduce(std::uint64_t* values, std::size_t count, Fold fold, Stream stream) = 0;
  /// The same of 32-bit values; sums are modulo 2^32.
  virtual void all_reduce(std::uint32_t* values, std::size_t count, Fold fold, Stream stream) = 0;
  /// Collective: `bytes` bytes at `data`, rank `from`'s to all others.
  virtual void broadcast(void* data, std::size_t bytes, std::uint32_t from, Stream stream) = 0;
  /// All of them together. Those from one rank to another arrive in their order.
  virtual void exchange(const std::vector<Transfer>& transfers, Stream stream) = 0;

  /// Returns when everything enqueued on `stream` has ended, and lets others use the CPU meanwhile.
  /// Throws `Error` on a device fault. Where other ranks are silent for too long it does not
  /// return, as the calls of Communicator do not.
  virtual void wait(Stream stream) = 0;
};

}  // namespace ratchet::ranks
