// The shapes of the resident kernel (cuda_resident.cuh), and what it is launched with.
#pragma once

#include <cstdint>

#include "kernels/life/resident/cuda_resident_ptx.cuh"
#include "kernels/life/strided/strided_layout.h"

namespace ratchet::life::resident {

/// What shapes of both kinds have: K words a lane, R rows of a warp in registers, kWarps a block, T
/// generations between exchanges.
template <int K_, int R_, int kWarps_, int T_>
struct Sizes {
  static constexpr int K = K_, R = R_, kWarps = kWarps_, T = T_;
  static constexpr int kAdded = K / 2 - (K == 2);  ///< words by additions (generation())
  static constexpr int kRowWords = 32 * K;
  static constexpr int kEdgeBytes = kRowWords * 4;
  static constexpr int kInboxBytes = 2 * kWarps * 8;
};

/// R rows a warp, all of them in registers.
template <int K, int R, int kWarps, int T>
struct Shape : Sizes<K, R, kWarps, T> {
  using Sizes<K, R, kWarps, T>::kEdgeBytes;
  static constexpr bool kDeep = false;
  static constexpr int kRows = R * kWarps;                   ///< of a tile
  static constexpr int kOwn = kRows - 2 * T, kLeastOwn = T;  ///< rows of a block
  /// A warp's first and last row, each of even and of odd generations.
  static constexpr int kEdgesBytes = 2 * kWarps * 2 * kEdgeBytes;
  static constexpr int kStageBytes = kRows * kEdgeBytes;
  static constexpr int kSharedBytes =
      kEdgesBytes + kStageBytes + Sizes<K, R, kWarps, T>::kInboxBytes;
  static_assert(R >= 2 && kOwn >= T);
};

/// For tiles too large for the registers: of a warp's rows, R are in registers, the first and the
/// last, and up to kInner between these and those, in shared memory.
template <int K, int R, int kInner, int kWarps, int T>
struct DeepShape : Sizes<K, R, kWarps, T> {
  static constexpr bool kDeep = true;
  static constexpr bool kAhead = false;  ///< whether rows in shared memory are fetched a row ahead
  /// A block exchanges T rows each way with the one above or below it, and they must be in shared
  /// memory: with the first or last row 2 T - 1 others; and one on the other side of the registers.
  static constexpr int kExchanged = 2 * T - 1;
  static constexpr int kLeastRows = 2 + R + kExchanged + 1, kMostRows = 2 + R + kInner;  ///< a warp
  static constexpr int kOwn = kWarps * kMostRows - 2 * T;  ///< rows of a block
  static constexpr int kLeastOwn = kWarps * kLeastRows - T;
  static constexpr int kWarpBytes = (4 + kInner) * Sizes<K, R, kWarps, T>::kEdgeBytes;
  static constexpr int kSharedBytes = kWarps * kWarpBytes + Sizes<K, R, kWarps, T>::kInboxBytes;
  static_assert(kWarps >= 2 && kInner > kExchanged && kOwn >= kLeastOwn);
};

/// By width; the fastest of those measured on an H200 (STAGES.md), where each holds 132 times
/// its kOwn rows.
using UpTo1024 = Shape<1, 2, 8, 4>;
using UpTo2048 = Shape<2, 4, 8, 8>;
using UpTo4096 = Shape<4, 4, 12, 8>;
using UpTo8192 = Shape<8, 6, 12, 4>;
using UpTo16384 = DeepShape<16, 5, 10, 8, 1>;
/// The same with hardly a multiply-add, and rows fetched early (life/cuda/10_crowded_border).
struct EarlyUpTo16384 : UpTo16384 {
  static constexpr int kAdded = 1;
  static constexpr bool kAhead = true;
};

/// What ends a row: its other end; cells dead for ever behind a full word; or cells dead for ever
/// somewhere, for which every word has a mask.
enum class Rim { torus, aligned, masked };

/// A run. Both universes are given by word 0 of row 0.
struct Job {
  const std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
  strided::Layout layout;
  std::uint32_t steps = 0;
  Tagged* halos = nullptr;  ///< halo_words() of them, zero before the first run
  std::uint32_t tag = 0;    ///< the exchanges of all runs before
};

template <class Shape>
std::uint64_t halo_words(std::uint32_t blocks) {
  return std::uint64_t{blocks} * 2 * 2 * Shape::T * Shape::kRowWords;
}

}  // namespace ratchet::life::resident
