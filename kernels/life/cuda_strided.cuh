// The strided universe on the device: several generations a pass, held in registers.
//
// A warp owns a strip of 32 lanes x K words and streams down its segment of rows. Of each of T
// generations it keeps the last two rows in registers, so that a row loaded at the front leaves, T
// generations older, at the back. 30 lanes of the strip are right after T <= K generations; the
// warps overlap by the other two. Rows to come are on their way in shared memory meanwhile.
#pragma once

#include "kernels/life/cuda_strided_generation.cuh"
#include "kernels/life/strided_layout.h"

namespace ratchet::life::strided {

/// One pass: `out` becomes `in` some generations later. Both point at word 0 of row 0.
struct Pass {
  const std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
  Layout layout;
  Cut cut;
  bool ghosts = false;  ///< the words beyond the ends of a row are in memory, or are shifted copies
  std::int32_t boundary = 0;
  std::int32_t first = 0;  ///< the first row of `out` that is wanted; cut.rows of them
};

/// What holds back the cells beyond a dead border: nothing is there on a torus; one mask on the
/// outermost words of a lane where Layout::aligned; or a mask on each word.
enum class Border { torus, aligned, any };

/// K words a lane, T generations, kAdded of the words by additions (cuda_strided_generation.cuh),
/// kThreads a block, kBlocks of them resident.
template <int K_, int T_, int kAdded_, int kThreads_, int kBlocks_>
struct Shape {
  static constexpr int K = K_, T = T_, kAdded = kAdded_, kThreads = kThreads_, kBlocks = kBlocks_;
  static_assert(K % 4 == 0 && T <= K);
  /// The warps of a block meet every so many turns of the loop. Without that one warp of a
  /// scheduler runs ahead and ends early, and the other is left with every second cycle unused.
  static constexpr int kMeet = 16;
};

/// For large universes: the fewest shuffles and instructions a word.
template <int T>
using Wide = Shape<8, T, 4, 256, 1>;
/// For small ones, whose segments are short: fewer rows to warm up with, more warps.
template <int T>
using Narrow = Shape<4, T, 2, 256, 2>;
/// Up to so many cells the narrow shape is faster on an H200.
inline constexpr std::uint64_t kSmall = std::uint64_t{16384} * 16384;

/// Rows of the loop's body: after three, the rows (above, centre, below) of a generation are back
/// in their registers, and nothing is moved. As many are in shared memory, one in use, two on their
/// way.
inline constexpr int kRing = 3;
/// The row of a segment, T rows before its first counted, with which the loop begins: every
/// generation has rows to work on, and the row is at place 0. The loop takes kRing rows at a time.
template <int T>
inline constexpr int kLoopBegin = (2 * T + kRing - 1) / kRing* kRing;

template <class Shape, Border kBorder>
class Strip {
  static constexpr int K = Shape::K, T = Shape::T;
  static constexpr bool kTorus = kBorder == Border::torus;
  using Row = std::uint32_t[K];

 public:
  __device__ __forceinline__ Strip(const Pass& pass, std::uint32_t warp, std::uint32_t lane,
                                   std::uint32_t* ring)
      : pitch_(pass.layout.pitch), height_(static_cast<int>(pass.layout.height)) {
    const std::uint32_t place = warp * kOwnLanes + lane, lanes = pass.cut.lanes;
    // Lanes beyond the last segment repeat it, and store nothing.
    const bool inside = place / lanes < pass.cut.segments;
    const std::uint64_t segment = inside ? place / lanes : pass.cut.segments - 1;
    const bool left = place % lanes == 0, right = place % lanes == lanes - 1;
    int word = (static_cast<int>(place % lanes) - 1) * K;
    stores_ = inside && lane >= 1 && lane <= kOwnLanes && !left && !right;
    const int first = pass.first + static_cast<int>(segment * pass.cut.rows / pass.cut.segments);
    out_ = pass.out + std::int64_t{first} * pitch_ + word;
    rows_ = static_cast<int>(pass.cut.segment_rows) + 2 * T;
    y_ = first - T;
    if (kTorus) y_ = (y_ % height_ + height_) % height_;
    border(pass, word, left, right);
    if (!pass.ghosts) {
      if (left) turn_ = 1, word += static_cast<int>(pass.layout.words);
      if (right) turn_ = 31, word -= static_cast<int>(pass.layout.words);
      turns_ = __any_sync(~0u, left || right);
    }
    in_ = pass.in + std::int64_t{y_} * pitch_ + word;
    ring_ = shared_address(ring) + threadIdx.x / 32 * (kRing * 128 * K) + lane * 16;
    for (int level = 0; level < T; ++level)
      for (int k = 0; k < K; ++k) above_[level][k] = centre_[level][k] = 0;
  }

  /// Down the segment: guarded rows until every generation has rows to work on, then the loop, then
  /// guarded rows again for what the loop's unrolling leaves and for rows below the universe.
  __device__ __forceinline__ void run() {
    const int below = kTorus ? 0 : __reduce_max_sync(~0u, max(0, y_ + rows_ - height_));
    constexpr int kBegin = kLoopBegin<T>;
    for (int place = 0; place < kRing - 1; ++place) fetch<true>(place);
    int row = 0;
    for (int end = 0; end < 2; ++end) {
      const int until = end == 1 ? rows_ : min(kBegin, rows_);
#pragma unroll 1
      for (; row < until; ++row) guarded_row(row);
      const int turns = (rows_ - below - row) / kRing;
      if (end == 1 || turns <= 0) continue;
      loop(turns);
      row += turns * kRing;
    }
    await_all_copies();
  }

 private:
  /// Which cells of this lane's words lie beyond a dead border.
  __device__ __forceinline__ void border(const Pass& pass, int word, bool left, bool right) {
    if constexpr (kBorder == Border::aligned)
      mask_[0] = left ? ~1u : right || word == pass.boundary ? ~(1u << 31) : ~0u;
    if constexpr (kBorder == Border::aligned) bordered_ = __any_sync(~0u, mask_[0] != ~0u);
    if constexpr (kBorder == Border::any) {
      for (int k = 0; k < K; ++k) {
        mask_[k] = 0;
        for (int bit = 0; bit < 32; ++bit) {
          const std::int64_t cell = std::int64_t{bit} * pass.layout.words + word + k;
          if (cell >= 0 && cell < pass.layout.width) mask_[k] |= 1u << bit;
        }
      }
    }
  }
  /// Kills the cells beyond the border. Where it is aligned it lies between two lanes, and it is
  /// enough to keep the words dead that touch the living: what grows behind them reaches nobody.
  __device__ __forceinline__ void mask(Row& cells) const {
    if constexpr (kBorder == Border::aligned) {
      if (bordered_) cells[0] &= mask_[0];
      if (bordered_) cells[K - 1] &= mask_[0];
    }
    if constexpr (kBorder == Border::any)
      for (int k = 0; k < K; ++k) cells[k] &= mask_[k];
  }
  /// Beyond the ends of a row it goes on with its other end, one bit further.
  __device__ __forceinline__ void turn(Row& cells) const {
    if (!turns_) return;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      cells[k] = __funnelshift_l(cells[k], cells[k], turn_);
      if constexpr (kBorder == Border::aligned) cells[k] &= mask_[0];
      if constexpr (kBorder == Border::any) cells[k] &= mask_[k];
    }
  }

  /// Starts the row's way into a place of the ring; kChecked: rows beyond the universe are zeros.
  template <bool kChecked>
  __device__ __forceinline__ void fetch(int place) {
    const int bytes = kTorus || !kChecked || (y_ >= 0 && y_ < height_) ? 16 : 0;
#pragma unroll
    for (int k = 0; k < K; k += 4) copy_async(ring_ + place * 128 * K + k * 128, in_ + k, bytes);
    commit_copies();
    in_ += pitch_;
    ++y_;
    if (kTorus && y_ == height_) y_ = 0, in_ -= std::int64_t{height_} * pitch_;
  }
  /// Each lane reads what it has fetched itself: no barrier.
  __device__ __forceinline__ void fetched(Row& cells, int place) const {
    await_copies<kRing - 2>();
#pragma unroll
    for (int k = 0; k < K; k += 4)
      load_shared(cells[k], cells[k + 1], cells[k + 2], cells[k + 3],
                  ring_ + place * 128 * K + k * 128);
  }
  __device__ __forceinline__ void store(const Row& cells) {
    if (stores_)
#pragma unroll
      for (int k = 0; k < K; k += 4)
        *reinterpret_cast<uint4*>(out_ + k) =
            make_uint4(cells[k], cells[k + 1], cells[k + 2], cells[k + 3]);
    out_ += pitch_;
  }

  __device__ __forceinline__ void shift_in(int level, const Row& below) {
#pragma unroll
    for (int k = 0; k < K; ++k) above_[level][k] = centre_[level][k], centre_[level][k] = below[k];
  }

  __device__ __forceinline__ void loop(int turns) {
    // Unchecked, the last fetches may be of the two rows below the universe's last, and are taken
    // for cells: who has no dead rows there keeps the loop away from them (cuda_dense_launches.h).
#pragma unroll 1
    for (; turns > 0; --turns) {
      if (turns % Shape::kMeet == 0) __syncthreads();
#pragma unroll
      for (int place = 0; place < kRing; ++place) {
        Row below, next;
        fetched(below, place);
        fetch<false>((place + kRing - 1) % kRing);
        turn(below);
#pragma unroll
        for (int level = 0; level < T; ++level) {
          generation<K, Shape::kAdded>(above_[level], centre_[level], below, next);
          mask(next);
          shift_in(level, below);
#pragma unroll
          for (int k = 0; k < K; ++k) below[k] = next[k];
        }
        store(below);
      }
    }
  }

  /// A row through as many generations as have had two rows before; rows outside are dead.
  __device__ __forceinline__ void guarded_row(int row) {
    Row below, next;
    fetched(below, row % kRing);
    const int y = y_ - (kRing - 1);
    fetch<true>((row + kRing - 1) % kRing);
    turn(below);
#pragma unroll
    for (int level = 0; level < T; ++level) {
      const bool deep = row >= 2 * (level + 1);
      if (deep) {
        generation<K, 0>(above_[level], centre_[level], below, next);
        mask(next);
        const int made = y - level - 1;
        if (!kTorus && (made < 0 || made >= height_))
          for (int k = 0; k < K; ++k) next[k] = 0;
      }
      shift_in(level, below);
      if (!deep) return;
#pragma unroll
      for (int k = 0; k < K; ++k) below[k] = next[k];
    }
    store(below);
  }

  std::uint32_t pitch_;
  int height_, rows_, y_;
  const std::uint32_t* in_;
  std::uint32_t* out_;
  std::uint32_t ring_, turn_ = 0;
  bool stores_, turns_ = false, bordered_ = false;
  std::uint32_t mask_[kBorder == Border::any ? K : 1];
  std::uint32_t above_[T][K], centre_[T][K];
};

template <class Shape, Border kBorder>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    advance(const __grid_constant__ Pass pass) {
  __shared__ __align__(16) std::uint32_t ring[Shape::kThreads * kRing * Shape::K];
  const std::uint32_t warp = blockIdx.x * (Shape::kThreads / 32) + threadIdx.x / 32;
  if (warp >= pass.cut.warps) return;
  Strip<Shape, kBorder>(pass, warp, threadIdx.x % 32, ring).run();
}

}  // namespace ratchet::life::strided
