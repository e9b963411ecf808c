// A universe that stays in the registers of the multiprocessors for all generations of a run.
//
// A block owns some consecutive rows, and keeps T rows of each neighbour above and below them: its
// tile. Each of its warps holds R whole rows of the tile, K words a lane. A row being in one warp,
// there are no columns computed twice: what a row's end lacks is its other end, one bit on
// (strided_layout.h). Each generation a warp needs one row of the warp above and one of the warp
// below, through shared memory; it waits for these two alone, so that the warps of a block drift
// apart by up to a generation a warp, and the middle goes on while the outer warps wait for other
// blocks. After T generations the T outer rows are wrong, and are had from the neighbours.
#pragma once

#include <algorithm>

#include "kernels/life/cuda_resident_ptx.cuh"
#include "kernels/life/cuda_resident_shape.cuh"
#include "kernels/life/cuda_strided_generation.cuh"

namespace ratchet::life::resident {

/// The words before a row's first and after its last.
template <Rim kRim>
struct RowEnds {
  int lane_before, lane_after;
  std::uint32_t first;  ///< factor(whether the lane begins the row)
  std::uint32_t last;   ///< 1 in the lane that ends the row, else 0

  /// A left shift as before() takes it: on a dead border by the multiplier, whose pipe is idle.
  __device__ __forceinline__ static std::uint32_t factor(bool shifts) {
    return (kRim == Rim::torus ? 0u : 1u) + (shifts ? 1u : 0u);
  }
  __device__ __forceinline__ std::uint32_t before(std::uint32_t word) const {
    const std::uint32_t other = __shfl_sync(~0u, word, lane_before);
    if constexpr (kRim == Rim::torus) return __funnelshift_l(other, other, first);
    return other * first;
  }
  __device__ __forceinline__ std::uint32_t after(std::uint32_t word) const {
    const std::uint32_t other = __shfl_sync(~0u, word, lane_after);
    if constexpr (kRim == Rim::torus) return __funnelshift_r(other, other, last);
    return other >> last;
  }
};

template <class Shape, Rim kRim>
class Tile {
  static constexpr int K = Shape::K, R = Shape::R, T = Shape::T;
  static constexpr bool kTorus = kRim == Rim::torus;
  using Row = std::uint32_t[K];

 public:
  /// `shared`: Shape::kSharedBytes. All threads of a block construct one.
  __device__ __forceinline__ Tile(const Job& job, std::uint32_t shared)
      : job_(job), lane_(threadIdx.x % 32), warp_(static_cast<int>(threadIdx.x / 32)) {
    const int height = static_cast<int>(job.layout.height), blocks = gridDim.x, block = blockIdx.x;
    const auto first_of = [&](int b) {
      return static_cast<int>(std::int64_t{b} * height / blocks);
    };
    first_ = first_of(block);
    own_ = first_of(block + 1) - first_;
    above_block_ = block == 0 ? (kTorus ? blocks - 1 : -1) : block - 1;
    below_block_ = block + 1 == blocks ? (kTorus ? 0 : -1) : block + 1;
    // A dead border lies at the tile's, where a warp finds no neighbour.
    top_ = above_block_ < 0 ? 0 : below_block_ < 0 ? Shape::kRows - own_ : T;
    begin_ = above_block_ < 0 ? 0 : top_ - T;
    end_ = top_ + own_ + (below_block_ < 0 ? 0 : T);
    above_ = works(warp_ - 1);
    below_ = works(warp_ + 1);
    exchanges_ = row(0) < top_ + T || row(R) > top_ + own_ - T;
    const int lanes = static_cast<int>(job.layout.words) / K, lane = static_cast<int>(lane_);
    ends_ = {lane == 0 ? lanes - 1 : lane - 1, lane == lanes - 1 ? 0 : lane + 1,
             RowEnds<kRim>::factor(lane == 0), lane == lanes - 1 ? 1u : 0u};
    inside_ = lane < lanes;
    edges_ = shared + warp_ * (2 * Shape::kEdgeBytes) + lane_ * kLaneBytes<K>;
    stage_ = shared + Shape::kEdgesBytes + row(0) * Shape::kEdgeBytes + lane_ * kLaneBytes<K>;
    inbox_ = shared + Shape::kEdgesBytes + Shape::kStageBytes + warp_ * 8;
    if (lane_ < 2 && (above_ || below_))
      make_barrier(inbox_ + lane_ * Shape::kWarps * 8, above_ + below_);
    if constexpr (kRim == Rim::masked) make_mask();
    __syncthreads();
  }

  __device__ __forceinline__ void run() {
    if (!works(warp_)) return;
    load();
    Row above, below;
#pragma unroll
    for (int k = 0; k < K; ++k) above[k] = below[k] = 0;
    publish(cells_[0], cells_[R - 1], 0);
    std::uint32_t tag = job_.tag;
    int until_exchange = T;
#pragma unroll 1
    for (std::uint32_t generation = 1; generation <= job_.steps; ++generation) {
      neighbours(above, below, generation - 1);
      const bool exchange_now = --until_exchange == 0 && generation < job_.steps;
      // The outer rows first: the warps beside this one wait for them.
      Row first, last;
      advance(above, cells_[0], cells_[1], first);
      advance(cells_[R - 2], cells_[R - 1], below, last);
      const bool late = exchange_now && exchanges_;
      if (!late) publish(first, last, generation);
      inner_rows();
#pragma unroll
      for (int k = 0; k < K; ++k) cells_[0][k] = first[k], cells_[R - 1][k] = last[k];
      if (exchange_now) {
        until_exchange = T;
        ++tag;
        if (late) exchange(tag);
        if (late) publish(cells_[0], cells_[R - 1], generation);
      }
    }
    store();
  }

 private:
  /// Whether a warp has rows that are ever needed.
  __device__ __forceinline__ bool works(int warp) const {
    return warp >= 0 && warp < Shape::kWarps && warp * R < end_ && warp * R + R > begin_;
  }
  /// A row's place in the tile.
  __device__ __forceinline__ int row(int r) const { return warp_ * R + r; }

  __device__ __forceinline__ void make_mask() {
    for (int k = 0; k < K; ++k) {
      mask_[k] = 0;
      for (std::uint32_t bit = 0; bit < 32; ++bit)
        if (std::uint64_t{bit} * job_.layout.words + lane_ * K + k < job_.layout.width)
          mask_[k] |= 1u << bit;
    }
  }

  __device__ __forceinline__ void load() {
    const int height = static_cast<int>(job_.layout.height);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int y = first_ - top_ + row(r);
      if (kTorus) y = (y % height + height) % height;
      const std::uint32_t* from = job_.in + std::int64_t{y} * job_.layout.pitch + lane_ * K;
      const bool there = inside_ && y >= 0 && y < height;
#pragma unroll
      for (int k = 0; k < K; ++k) cells_[r][k] = there ? from[k] : 0;
    }
  }
  __device__ __forceinline__ void store() const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (!inside_ || row(r) < top_ || row(r) >= top_ + own_) continue;
      std::uint32_t* to =
          job_.out + std::int64_t{first_ - top_ + row(r)} * job_.layout.pitch + lane_ * K;
#pragma unroll
      for (int k = 0; k < K; ++k) to[k] = cells_[r][k];
    }
  }

  /// A warp writes generation g over g - 2 when both neighbours have published g - 1, so have read
  /// g - 2. For the same reason nobody arrives twice before a phase of an inbox has ended, and no
  /// second phase ends before the first has been waited for.
  __device__ __forceinline__ void publish(const Row& first, const Row& last,
                                          std::uint32_t generation) const {
    const std::uint32_t odd = generation % 2;
    const std::uint32_t to = edges_ + odd * (Shape::kEdgesBytes / 2);
    put_shared(to, first);
    put_shared(to + Shape::kEdgeBytes, last);
    __syncwarp();
    // Lane 0 tells the warp above, lane 1 the warp below.
    if ((lane_ == 0 && above_) || (lane_ == 1 && below_))
      arrive(inbox_ + odd * Shape::kWarps * 8 + lane_ * 16 - 8);
  }
  __device__ __forceinline__ void neighbours(Row& above, Row& below,
                                             std::uint32_t generation) const {
    const std::uint32_t odd = generation % 2;
    const std::uint32_t from = edges_ + odd * (Shape::kEdgesBytes / 2);
    if (above_ || below_) await(inbox_ + odd * Shape::kWarps * 8, generation / 2 % 2);
    if (above_) get_shared(above, from - Shape::kEdgeBytes);
    if (below_) get_shared(below, from + 2 * Shape::kEdgeBytes);
  }

  __device__ __forceinline__ void advance(const Row& above, const Row& cells, const Row& below,
                                          Row& next) const {
    strided::generation<K, K / 2 - (K == 2)>(above, cells, below, next, ends_);
    if constexpr (kRim == Rim::masked)
#pragma unroll
      for (int k = 0; k < K; ++k) next[k] &= mask_[k];
  }
  /// In place, but for the first and last row, which stay as they are.
  __device__ __forceinline__ void inner_rows() {
    Row above;
#pragma unroll
    for (int k = 0; k < K; ++k) above[k] = cells_[0][k];
#pragma unroll
    for (int r = 1; r < R - 1; ++r) {
      Row next;
      advance(above, cells_[r], cells_[r + 1], next);
#pragma unroll
      for (int k = 0; k < K; ++k) above[k] = cells_[r][k], cells_[r][k] = next[k];
    }
  }

  /// What a block has for the one above it (0) or below it (1).
  __device__ __forceinline__ Tagged* halo(int block, int side, std::uint32_t tag) const {
    return job_.halos + ((std::uint64_t{2} * block + side) * 2 + tag % 2) * (T * Shape::kRowWords);
  }
  /// Two halos each way are enough. A block sends exchange e + 2 over e after T generations that
  /// depend, warp by warp, on all that it received in e + 1; its neighbour sent that after T
  /// generations that depend likewise on all of e, so had read it.
  ///
  /// The rows wait in shared memory meanwhile, which takes little code, and frees registers.
  __device__ __forceinline__ void exchange(std::uint32_t tag) {
#pragma unroll
    for (int r = 0; r < R; ++r) put_shared(stage_ + r * Shape::kEdgeBytes, cells_[r]);
    const int bottom = top_ + own_;
    if (above_block_ >= 0) send_rows(halo(blockIdx.x, 0, tag), top_, tag);
    if (below_block_ >= 0) send_rows(halo(blockIdx.x, 1, tag), bottom - T, tag);
    if (above_block_ >= 0) receive_rows(halo(above_block_, 1, tag), top_ - T, tag);
    if (below_block_ >= 0) receive_rows(halo(below_block_, 0, tag), bottom, tag);
#pragma unroll
    for (int r = 0; r < R; ++r) get_shared(cells_[r], stage_ + r * Shape::kEdgeBytes);
  }
  /// Rows first .. first + T - 1 of the tile, as far as they are this warp's.
  __device__ __forceinline__ void send_rows(Tagged* to, int first, std::uint32_t tag) const {
    const int end = min(first + T, row(R));
#pragma unroll 1
    for (int i = max(first, row(0)); i < end; ++i) {
      Row cells;
      get_shared(cells, stage_ + (i - row(0)) * Shape::kEdgeBytes);
      send(to + (i - first) * Shape::kRowWords, lane_, cells, tag);
    }
  }
  __device__ __forceinline__ void receive_rows(const Tagged* from, int first,
                                               std::uint32_t tag) const {
    constexpr int kBatch = std::min(T, 4);  // rows asked for at a time
    const int end = min(first + T, row(R));
#pragma unroll 1
    for (int i = max(first, row(0)); i < end; i += kBatch) {
      Tagged got[kBatch][K];
      unsigned polls = 0;
      do {
#pragma unroll
        for (int n = 0; n < kBatch; ++n)
          poll(got[n], from + (min(i + n, end - 1) - first) * Shape::kRowWords, lane_);
        if (++polls == kMostPolls) __trap();
      } while (__any_sync(~0u, !all_tagged(got, tag)));
#pragma unroll
      for (int n = 0; n < kBatch; ++n) {
        Row cells;
#pragma unroll
        for (int k = 0; k < K; ++k) cells[k] = static_cast<std::uint32_t>(got[n][k]);
        put_shared(stage_ + (min(i + n, end - 1) - row(0)) * Shape::kEdgeBytes, cells);
      }
    }
  }
  template <int kCount>
  __device__ __forceinline__ static bool all_tagged(const Tagged (&words)[kCount][K],
                                                    std::uint32_t tag) {
    bool all = true;
#pragma unroll
    for (int n = 0; n < kCount; ++n)
#pragma unroll
      for (int k = 0; k < K; ++k) all &= static_cast<std::uint32_t>(words[n][k] >> 32) == tag;
    return all;
  }

  const Job& job_;
  std::uint32_t lane_;
  int warp_;
  int first_, own_;                ///< rows of the universe
  int top_;                        ///< where in the tile the first own row is
  int begin_, end_;                ///< rows of the tile that are ever needed
  int above_block_, below_block_;  ///< -1: none
  bool above_, below_;             ///< whether there are warps
  bool exchanges_, inside_;
  RowEnds<kRim> ends_;
  std::uint32_t edges_, stage_, inbox_;  ///< in shared memory
  std::uint32_t mask_[kRim == Rim::masked ? K : 1];
  std::uint32_t cells_[R][K];
};

template <class Shape, Rim kRim>
__global__ void __launch_bounds__(Shape::kWarps * 32, 1) reside(const __grid_constant__ Job job) {
  Tile<Shape, kRim>(job, block_memory()).run();
}

}  // namespace ratchet::life::resident
