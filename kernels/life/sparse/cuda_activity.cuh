// How active a universe on the device is, told to the host without stopping for it.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

#include "kernels/support/cuda_stream.h"
#include "kernels/support/device_buffer.h"

namespace ratchet::life {

/// A warp looks at a region of 32 words x 32 rows of two grids: how many of its 32 columns of bits
/// differ anywhere. The regions looked at, one a block, are spread evenly.
template <class = void>
__global__ void count_changes(const std::uint32_t* a, const std::uint32_t* b, std::uint64_t pitch,
                              unsigned words, unsigned rows, unsigned* changed) {
  const unsigned columns = (words + 31) / 32, regions = columns * ((rows + 31) / 32);
  // One region further each time, so that the samples do not all fall into the same columns.
  const auto region = static_cast<unsigned>(
      (std::uint64_t{blockIdx.x} * regions / gridDim.x + blockIdx.x) % regions);
  const unsigned word = region % columns * 32 + threadIdx.x, row = region / columns * 32;
  const unsigned n = word < words ? min(32u, rows - row) : 0;
  std::uint32_t difference = 0;
  for (unsigned r = 0; r < n; ++r) {
    const std::uint64_t at = std::uint64_t{row + r} * pitch + word;
    difference |= a[at] ^ b[at];
  }
  difference = __reduce_or_sync(~0u, difference);
  if (threadIdx.x == 0) changed[blockIdx.x] = static_cast<unsigned>(__popc(difference));
}

/// Looks are enqueued on the default stream; the host reads one when its counts have arrived.
class Activity {
 public:
  /// The share of regions that differ between two grids: `rows` rows of `words` words, `pitch`
  /// apart.
  void look_at_change(const std::uint32_t* a, const std::uint32_t* b, std::uint64_t pitch,
                      std::uint64_t words, std::uint64_t rows) {
    const std::uint64_t regions = (words + 31) / 32 * ((rows + 31) / 32);
    const auto samples = static_cast<unsigned>(regions < kSamples ? regions : kSamples);
    count_changes<><<<samples, 32>>>(a, b, pitch, static_cast<unsigned>(words),
                                     static_cast<unsigned>(rows), changed_.data());
    RATCHET_CUDA_LAUNCHED();
    take(changed_.data(), samples, samples * std::uint64_t{32});
  }
  /// The share that a count in device memory is of `of`.
  void look_at_count(const unsigned* count, std::uint64_t of) { take(count, 1, of); }

  /// The universe is another now; what was seen of it no longer counts.
  void forget() {
    looks_[0].valid = looks_[1].valid = false;
    last_.reset();
  }

  /// What the newest look saw of those whose counts have arrived.
  std::optional<double> share() const {
    for (const Look* look : {&looks_[1 - next_], &looks_[next_]})
      if (look->valid && look->taken.reached()) return look->share();
    return last_;
  }

 private:
  static constexpr unsigned kSamples = 1024;

  struct Look {
    PinnedBuffer<unsigned> counts{kSamples};
    CudaEvent taken;
    std::uint64_t size = 0;  // how many counts
    std::uint64_t of = 0;    // what their sum is a share of
    bool valid = false;

    double share() const {
      const unsigned* first = counts.data();
      return static_cast<double>(std::accumulate(first, first + size, std::uint64_t{0})) /
             static_cast<double>(of);
    }
  };

  /// Waits for the look before the last, which bounds how far the host is ahead of the device.
  void take(const unsigned* counts, std::uint64_t size, std::uint64_t of) {
    Look& look = looks_[next_];
    next_ = 1 - next_;
    if (look.size > 0) look.taken.wait();
    // Kept, since this look's place is written over: while the host runs far ahead of the device,
    // share() never finds one of the two later looks arrived.
    if (look.valid) last_ = look.share();
    look.size = size, look.of = of, look.valid = true;
    RATCHET_CUDA(cudaMemcpyAsync(look.counts.data(), counts, size * sizeof(unsigned),
                                 cudaMemcpyDeviceToHost, nullptr));
    look.taken.record(nullptr);
  }

  DeviceBuffer<unsigned> changed_{kSamples};
  Look looks_[2];
  unsigned next_ = 0;
  std::optional<double> last_;
};

}  // namespace ratchet::life
