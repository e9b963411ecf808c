// Communication between the GPUs of a row's ranks: by NCCL (module/nccl_communicator.cpp), or none
// for a single rank (alone.cpp).
//
// Calls are enqueued on a stream and return; wait() returns when they have ended. All data is in
// device memory. Concurrent transfers must be in one exchange(), since NCCL may block inside a call
// until the other side calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct CUstream_st;  // a cudaStream_t, for code that is not compiled with CUDA

namespace ratchet::ranks {

enum class Fold;

/// A transfer of bytes in device memory to or from another rank.
struct Transfer {
  std::uint32_t other = 0;
  const void* send = nullptr;  ///< one of the two is set
  void* receive = nullptr;
  std::size_t bytes = 0;
};

/// One rank's handle, like Communicator.
class DeviceCommunicator {
 public:
  using Stream = CUstream_st*;  ///< nullptr: the legacy default stream
  virtual ~DeviceCommunicator() = default;

  /// Collective: reduces the arrays of all ranks in place, elementwise; every rank gets the result.
  virtual void all_reduce(std::uint64_t* values, std::size_t count, Fold fold, Stream stream) = 0;
  /// The same for 32-bit values; sums are modulo 2^32.
  virtual void all_reduce(std::uint32_t* values, std::size_t count, Fold fold, Stream stream) = 0;
  /// Collective: `bytes` bytes at `data`, rank `from`'s to all others.
  virtual void broadcast(void* data, std::size_t bytes, std::uint32_t from, Stream stream) = 0;
  /// All transfers concurrently. Those between two ranks arrive in order.
  virtual void exchange(const std::vector<Transfer>& transfers, Stream stream) = 0;

  /// Returns when all work on `stream` has ended; yields the CPU meanwhile. Throws `Error` on a
  /// device fault. Like the calls of Communicator, it does not return if another rank is
  /// unresponsive.
  virtual void wait(Stream stream) = 0;
};

}  // namespace ratchet::ranks
