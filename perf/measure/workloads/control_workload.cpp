// Compiled with its own flags, see perf/CMakeLists.txt.
#include "perf/measure/workloads/control_workload.h"

#include <array>
#include <bit>

namespace ratchet::timing {
namespace {

constexpr std::size_t kSmallWords = 2048;       // 8 KiB: in any first-level cache
constexpr std::size_t kLargeWords = 32 * 1024;  // 128 KiB: in any second-level cache, in no first
constexpr std::size_t kStride = 16;             // words: one a line of 64 bytes
constexpr int kRounds = 64;                     // passes over the large table
constexpr int kChains = 4;

using Vector [[gnu::vector_size(16)]] = std::uint32_t;

/// Makes the compiler compute a value, and hides it from optimizations.
template <class Value>
inline void keep(Value& value) {
  asm volatile("" : "+r"(value));
}

std::uint32_t scramble(std::uint32_t value) {
  value = (value ^ (value >> 16)) * 0x7feb352du;
  return (value ^ (value >> 15)) * 0x846ca68bu;
}

}  // namespace

ControlWorkload::ControlWorkload() : small_(kSmallWords), large_(kLargeWords) {
  for (std::uint32_t i = 0; i < kSmallWords; ++i) small_[i] = scramble(i);
  for (std::uint32_t i = 0; i < kLargeWords; ++i) large_[i] = scramble(~i);
}

void ControlWorkload::run() {
  std::array<std::uint64_t, kChains> x = {1, 2, 3, 4};
  Vector lanes = {1, 2, 3, 4}, other = {5, 6, 7, 8};
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kLargeWords; i += kStride) {
      const std::uint64_t word = large_[i];
      for (int c = 0; c < kChains; ++c) {
        x[c] = std::rotl((x[c] ^ word) * 0x9e3779b97f4a7c15u, 23);
        keep(x[c]);
        x[c] += small_[(x[c] >> 20) % kSmallWords];
      }
      lanes = (lanes ^ (other << 7)) + static_cast<std::uint32_t>(word);
      other = (other + lanes) ^ (lanes >> 9);
    }
  }
  std::uint64_t sum = lanes[0] ^ lanes[1] ^ other[2] ^ other[3];
  for (const std::uint64_t each : x) sum = std::rotl(sum, 7) ^ each;
  checksum_ += sum;
}

}  // namespace ratchet::timing
