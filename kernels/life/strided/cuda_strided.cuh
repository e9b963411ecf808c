// The strided universe on the device: several generations a pass, held in registers.
//
// A warp owns a strip of 32 lanes x K words and streams down its segment of rows. Of each of T
// generations it keeps the last two rows in registers, so that a row loaded at the front leaves, T
// generations older, at the back. 30 lanes of the strip are right after T <= K generations; the
// warps overlap by the other two. Rows to come are on their way in shared memory meanwhile.
#pragma once

#include <type_traits>

#include "kernels/life/strided/cuda_strided_generation.cuh"
#include "kernels/life/strided/strided_layout.h"

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

/// What keeps the cells beyond a border dead. torus: there are none. aligned: the border lies
/// between two lanes (Layout::aligned()), and one mask on a lane's first and last word is enough.
/// any: a mask on each word.
enum class Border { torus, aligned, any };

/// K words a lane, T generations, kAdded of the words by additions (cuda_strided_generation.cuh),
/// kThreads a block, kBlocks of them resident.
template <int K_, int T_, int kAdded_, int kThreads_, int kBlocks_>
struct Shape {
  static constexpr int K = K_, T = T_, kAdded = kAdded_, kThreads = kThreads_, kBlocks = kBlocks_;
  static_assert(K % 4 == 0 && T <= K && kThreads == 32 * kBlockWarps);
  /// The warps of a block meet every so many turns of the loop. Without that one warp of a
  /// scheduler runs ahead and ends early, and the other is left with every second cycle unused.
  static constexpr int kMeet = 16;
  /// Whether an aligned border is kept dead by a Crowd instead of masks, and turns at the upper and
  /// lower border have a loop of their own, so that the other loop tests for nothing but its end.
  static constexpr bool kCrowds = false;
};

/// For large universes: the fewest shuffles and instructions a word.
template <int T>
using Wide = Shape<8, T, 4, 256, 1>;
/// The same, of fewer LOP3 (life/cuda/10_crowded_border).
template <int T>
struct Crowded : Shape<8, T, 5, 256, 1> {
  static constexpr int kMeet = 64;
  static constexpr bool kCrowds = true;
};
/// For small ones, whose segments are short: fewer rows to warm up with, more warps.
template <int T>
using Narrow = Shape<4, T, 2, 256, 2>;
/// Up to so many cells the narrow shape is faster on an H200.
inline constexpr std::uint64_t kSmall = std::uint64_t{16384} * 16384;

/// Rows of the loop's body: after three, the rows (above, centre, below) of a generation are back
/// in their registers, and nothing is moved. As many are in shared memory, one in use, two on their
/// way.
inline constexpr int kRing = kTurn;

template <class Shape, Border kBorder>
class Strip {
  static constexpr int K = Shape::K, T = Shape::T;
  static constexpr bool kTorus = kBorder == Border::torus;
  static constexpr bool kCrowded = Shape::kCrowds && kBorder == Border::aligned;
  using Row = std::uint32_t[K];

 public:
  __device__ __forceinline__ Strip(const Pass& pass, std::uint32_t warp, std::uint32_t lane,
                                   std::uint32_t* ring)
      : pitch_(pass.layout.pitch), height_(static_cast<int>(pass.layout.height)) {
    const Place place = place_of(pass.cut, warp, lane);
    const bool left = place.lane == 0, right = place.lane == pass.cut.lanes - 1;
    int word = (static_cast<int>(place.lane) - 1) * K;
    stores_ = place.inside && lane >= 1 && lane <= kOwnLanes && !left && !right;
    const int first = pass.first + static_cast<int>(place.first);
    // After 2 T rows in, a row comes out.
    out_ = pass.out + std::int64_t{first - 2 * T} * pitch_ + word;
    rows_ = static_cast<int>(pass.cut.segment_rows) + 2 * T;
    y_ = first - T;
    if (kTorus) y_ = (y_ % height_ + height_) % height_;
    border(pass, word, left, right);
    if (!pass.ghosts) {
      if (left) bits_ = 1, word += static_cast<int>(pass.layout.words);
      if (right) bits_ = 31, word -= static_cast<int>(pass.layout.words);
      joins_ = __any_sync(~0u, left || right);
    }
    in_ = pass.in + std::int64_t{y_} * pitch_ + word;
    ring_ = shared_address(ring) + threadIdx.x / 32 * (kRing * 128 * K) + lane * 16;
    for (int level = 0; level < T; ++level)
      for (int k = 0; k < K; ++k) above_[level][k] = centre_[level][k] = 0;
  }

  /// Down the segment. What the first 2 T rows leave behind comes of registers that were empty, and
  /// is not stored; nor are rows beyond the segment, which take a last turn of the loop to its end.
  __device__ __forceinline__ void run() {
    if (!__any_sync(~0u, stores_)) return;
    if constexpr (!kTorus) {
      // Above the universe nothing lives, as in the registers.
      const int dead = __reduce_min_sync(~0u, max(0, -y_)) / kRing * kRing;
      row_ = dead, y_ += dead;
      in_ += std::int64_t{dead} * pitch_, out_ += std::int64_t{dead} * pitch_;
    }
    for (int place = 0; place < kRing - 1; ++place) fetch<kTorus>(place);
    const int turns = (rows_ - row_ + kRing - 1) / kRing;
    if constexpr (Shape::kCrowds)
      turns_in_loops(turns);
    else
      turns_in_a_loop(turns);
    await_all_copies();
  }

 private:
  // A turn fetches rows y_ to y_ + 2 and makes rows y_ - T - 2 to y_ - 1 of some generation.
  __device__ __forceinline__ void turns_in_a_loop(int turns) {
#pragma unroll 1
    for (; turns > 0; --turns) {
      if (turns % Shape::kMeet == 0) __syncthreads();
      if (kTorus || !__any_sync(~0u, y_ < T + 2 || y_ + 2 >= height_))
        turn<true>();
      else
        turn<false>();
    }
  }
  /// Turns at the upper border, those between, those at the lower border. The reductions tell the
  /// compiler that no lane leaves a loop before the others.
  __device__ __forceinline__ void turns_in_loops(int turns) {
    int above = 0, inside_to = turns, n = 0;
    if constexpr (!kTorus) {
      above = __reduce_max_sync(~0u, max(0, (T + 4 - y_) / kRing));
      inside_to = __reduce_min_sync(~0u, max(0, (height_ - y_) / kRing));
    }
    if (inside_to < above) inside_to = above;
#pragma unroll 1
    for (int border_to = kTorus ? 0 : min(above, turns);; border_to = turns) {
      if constexpr (!kTorus) {
#pragma unroll 1
        for (; n < border_to; ++n) {
          turn<false>();
          if ((turns - n) % Shape::kMeet == 0) __syncthreads();
        }
      }
#pragma unroll 1
      for (; n < min(inside_to, turns); ++n) {
        turn<true>();
        if ((turns - n) % Shape::kMeet == 0) __syncthreads();
      }
      if (n >= turns) return;
    }
  }

  /// Which cells of this lane's words lie beyond a dead border.
  __device__ __forceinline__ void border(const Pass& pass, int word, bool left, bool right) {
    if constexpr (kCrowded)
      dead_ = {right || word == pass.boundary ? 1u << 31 : 0, left ? 1u : 0u};
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
  /// Kills the cells beyond the border in a row that was made. Where the border is aligned, only
  /// the two words beside it have to be dead: whatever the words behind them hold reaches the
  /// universe through these two alone. kInside: the row is one of the universe.
  template <bool kInside>
  __device__ __forceinline__ void confine(Row& cells, int row) const {
    if constexpr (kBorder == Border::aligned && !kCrowded)
      if (bordered_) {
        cells[0] &= mask_[0];
        cells[K - 1] &= mask_[0];
      }
    if constexpr (kBorder == Border::any)
      for (int k = 0; k < K; ++k) cells[k] &= mask_[k];
    if constexpr (!kInside) {
      const bool inside = row >= 0 && row < height_;
      for (int k = 0; k < K; ++k) cells[k] = inside ? cells[k] : 0;
    }
  }
  /// The lanes of ghosts at the ends of a row have loaded its other end, which belongs there one
  /// bit further: words before the row are shifted left by 1, words behind it right by 1, which is
  /// left by 31 (bits_), both as rotations; at a dead border the bit that comes round is masked
  /// out.
  __device__ __forceinline__ void join(Row& cells) const {
    if (!joins_) return;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      cells[k] = __funnelshift_l(cells[k], cells[k], bits_);
      if constexpr (kBorder == Border::aligned) cells[k] &= mask_[0];
      if constexpr (kBorder == Border::any) cells[k] &= mask_[k];
    }
  }

  /// Starts the row's way into a place of the ring; rows beyond the universe are zeros.
  template <bool kInside>
  __device__ __forceinline__ void fetch(int place) {
    const int bytes = kInside || (y_ >= 0 && y_ < height_) ? 16 : 0;
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
    if (stores_ && row_ >= 2 * T && row_ < rows_)
#pragma unroll
      for (int k = 0; k < K; k += 4)
        *reinterpret_cast<uint4*>(out_ + k) =
            make_uint4(cells[k], cells[k + 1], cells[k + 2], cells[k + 3]);
  }

  __device__ __forceinline__ void shift_in(int level, const Row& below) {
#pragma unroll
    for (int k = 0; k < K; ++k) above_[level][k] = centre_[level][k], centre_[level][k] = below[k];
  }

  /// Takes kRing rows in and stores as many, T generations later ones. kInside: no row that is
  /// fetched or made lies beyond the border above or below.
  template <bool kInside>
  __device__ __forceinline__ void turn() {
#pragma unroll
    for (int place = 0; place < kRing; ++place) {
      Row below, next;
      fetched(below, place);
      const int made = y_ - kRing;
      fetch<kInside>((place + kRing - 1) % kRing);
      join(below);
#pragma unroll
      for (int level = 0; level < T; ++level) {
        generation<K, Shape::kAdded>(above_[level], centre_[level], below, next, LanesBeside{},
                                     dead_);
        confine<kInside>(next, made - level);
        shift_in(level, below);
#pragma unroll
        for (int k = 0; k < K; ++k) below[k] = next[k];
      }
      store(below);
      ++row_, out_ += pitch_;
    }
  }

  std::uint32_t pitch_;
  int height_, rows_, row_ = 0;  ///< of the segment and its warm-up, and how many are in
  int y_;                        ///< the row that is fetched next
  const std::uint32_t* in_;
  std::uint32_t* out_;
  std::uint32_t ring_, bits_ = 0;
  bool stores_, joins_ = false, bordered_ = false;
  std::uint32_t mask_[kBorder == Border::any ? K : 1];
  std::conditional_t<kCrowded, Crowd, Uncrowded> dead_;
  std::uint32_t above_[T][K], centre_[T][K];
};

template <class Shape, Border kBorder>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    advance(const __grid_constant__ Pass pass) {
  __shared__ __align__(16) std::uint32_t ring[Shape::kThreads * kRing * Shape::K];
  const std::uint32_t warp = blockIdx.x * (Shape::kThreads / 32) + threadIdx.x / 32;
  Strip<Shape, kBorder>(pass, warp, threadIdx.x % 32, ring).run();
}

}  // namespace ratchet::life::strided
