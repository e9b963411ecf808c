// Transfers between two GPUs of one machine: large copies in bytes per second, small sequential
// copies per second.
#include <cstddef>

#include "kernels/support/device_buffer.h"
#include "perf/measure/peaks/probes.h"
#include "perf/support/error.h"

namespace ratchet::peaks {
namespace {

constexpr std::size_t kLarge = std::size_t{256} << 20, kSmall = 8;

/// A buffer on another device, which copies read directly if the link allows it.
class Peer {
 public:
  explicit Peer(std::size_t bytes) {
    int devices = 0;
    RATCHET_CUDA(cudaGetDeviceCount(&devices));
    RATCHET_CUDA(cudaGetDevice(&here_));
    if (devices < 2) throw Error("it needs two GPUs, and this process sees one");
    there_ = (here_ + 1) % devices;
    int direct = 0;
    RATCHET_CUDA(cudaDeviceCanAccessPeer(&direct, here_, there_));
    if (direct && cudaDeviceEnablePeerAccess(there_, 0) != cudaSuccess)
      cudaGetLastError();  // it is on already
    RATCHET_CUDA(cudaSetDevice(there_));
    const cudaError_t allocated = cudaMalloc(&data_, bytes);
    RATCHET_CUDA(cudaSetDevice(here_));
    RATCHET_CUDA(allocated);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { cudaFree(data_); }

  void copy_to(void* here, std::size_t bytes) const {
    RATCHET_CUDA(cudaMemcpyPeerAsync(here, here_, data_, there_, bytes, cudaStreamLegacy));
  }

 private:
  int here_ = 0, there_ = 0;
  void* data_ = nullptr;
};

/// Copies of `bytes` bytes per second, times `counted`.
double copy_rate(std::size_t bytes, double counted) {
  const Peer peer(bytes);
  const DeviceBuffer<std::byte> here(bytes);
  const Launch launch = [&](int iterations) {
    for (int i = 0; i < iterations; ++i) peer.copy_to(here.data(), bytes);
  };
  return best_rate(launch, counted);
}

double bytes_rate() { return copy_rate(kLarge, static_cast<double>(kLarge)); }
double small_rate() { return copy_rate(kSmall, 1); }

}  // namespace

std::vector<Probe> cuda_peer_probes() {
  return {{"cuda.peer_bytes", "bytes", "copies of 256 MiB from another GPU", bytes_rate},
          {"cuda.peer_copies", "copies", "copies of 8 bytes from another GPU, one after the other",
           small_rate}};
}

}  // namespace ratchet::peaks
