// Owners of CUDA streams, events and pinned host memory.
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/support/cuda_check.h"

namespace ratchet {

/// Marks a point in a stream; never times.
class CudaEvent {
 public:
  CudaEvent() { RATCHET_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~CudaEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  void record(cudaStream_t stream) { RATCHET_CUDA(cudaEventRecord(event_, stream)); }
  /// Later work on `stream` starts after the last marked point (at once without one).
  void hold(cudaStream_t stream) const { RATCHET_CUDA(cudaStreamWaitEvent(stream, event_, 0)); }
  /// Whether that point is reached. Throws an earlier device fault.
  bool reached() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) return false;
    RATCHET_CUDA(status);
    return true;
  }
  /// Blocks the host until the last marked point is reached.
  void wait() const { RATCHET_CUDA(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A stream that does not wait for the default stream.
class CudaStream {
 public:
  CudaStream() { RATCHET_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// `count` uninitialized objects of trivially copyable T in host memory that the device accesses
/// directly. Throws Error.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t count) : count_(count) {
    if (count > 0) RATCHET_CUDA(cudaHostAlloc(&data_, count * sizeof(T), cudaHostAllocDefault));
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~PinnedBuffer() { cudaFreeHost(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace ratchet
