// A typed array in device memory (plain cudaMalloc), freed on scope exit.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/support/cuda_check.h"

namespace ratchet {

/// `count` uninitialized objects of trivially copyable T on the current device. Throws Error (out
/// of memory, no device).
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    if (count > 0) RATCHET_CUDA(cudaMalloc(&data_, count * sizeof(T)));
  }
  explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size()) { upload(host); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }  // ignores errors, which a destructor cannot handle

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  void zero() { RATCHET_CUDA(cudaMemset(data_, 0, bytes())); }
  void upload(const std::vector<T>& host) {
    RATCHET_CUDA(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice));
  }
  /// Waits for earlier work on the default stream.
  std::vector<T> download() const {
    std::vector<T> host(count_);
    RATCHET_CUDA(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace ratchet
