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

#include <type_traits>

#include "kernels/life/resident/cuda_resident_base.cuh"
#include "kernels/life/resident/cuda_resident_deep.cuh"

namespace ratchet::life::resident {

template <class Shape, Rim kRim>
class Tile : TileBase<Shape, kRim> {
  using Base = TileBase<Shape, kRim>;
  static constexpr int R = Shape::R;
  using Base::K, Base::T, Base::lane_, Base::warp_, Base::above_, Base::below_;
  using typename Base::Row;

 public:
  /// `shared`: Shape::kSharedBytes. All threads of a block construct one.
  __device__ __forceinline__ Tile(const Job& job, std::uint32_t shared) : Base(job) {
    const bool top = this->above_block_ < 0, bottom = this->below_block_ < 0;
    // At a dead border the tile ends with the universe, and its outer warp has no neighbour.
    const int first_own = top ? 0 : bottom ? Shape::kRows - this->own_ : T;
    begin_ = top ? 0 : first_own - T;
    end_ = first_own + this->own_ + (bottom ? 0 : T);
    this->set_place(first_own, warp_ * R, R, works(warp_ - 1), works(warp_ + 1),
                    shared + Shape::kEdgesBytes + Shape::kStageBytes);
    edges_ = shared + warp_ * (2 * Shape::kEdgeBytes) + lane_ * kLaneBytes<K>;
    stage_ = shared + Shape::kEdgesBytes + this->row(0) * Shape::kEdgeBytes + lane_ * kLaneBytes<K>;
  }

  __device__ __forceinline__ void run() {
    if (!works(warp_)) return;
#pragma unroll
    for (int r = 0; r < R; ++r) this->load_row(cells_[r], r);
    Row above, below;
#pragma unroll
    for (int k = 0; k < K; ++k) above[k] = below[k] = 0;
    this->publish(edges_, cells_[0], cells_[R - 1], 0);
    std::uint32_t tag = this->job_.tag;
    int until_exchange = T;
#pragma unroll 1
    for (std::uint32_t generation = 1; generation <= this->job_.steps; ++generation) {
      neighbours(above, below, generation - 1);
      const bool exchange_now = --until_exchange == 0 && generation < this->job_.steps;
      // The outer rows first: the warps beside this one wait for them.
      Row first, last;
      this->advance(above, cells_[0], cells_[1], first);
      this->advance(cells_[R - 2], cells_[R - 1], below, last);
      const bool late = exchange_now && this->exchanges_;
      if (!late) this->publish(edges_, first, last, generation);
      inner_rows();
#pragma unroll
      for (int k = 0; k < K; ++k) cells_[0][k] = first[k], cells_[R - 1][k] = last[k];
      if (exchange_now) {
        until_exchange = T;
        ++tag;
        if (late) exchange(tag);
        if (late) this->publish(edges_, cells_[0], cells_[R - 1], generation);
      }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) this->store_row(cells_[r], r);
  }

 private:
  /// Whether a warp has rows that are ever needed.
  __device__ __forceinline__ bool works(int warp) const {
    return warp >= 0 && warp < Shape::kWarps && warp * R < end_ && warp * R + R > begin_;
  }
  __device__ __forceinline__ void neighbours(Row& above, Row& below,
                                             std::uint32_t generation) const {
    const std::uint32_t from = edges_ + generation % 2 * (Shape::kEdgesBytes / 2);
    this->await_neighbours(generation);
    if (above_) get_shared(above, from - Shape::kEdgeBytes);
    if (below_) get_shared(below, from + 2 * Shape::kEdgeBytes);
  }

  /// Makes all rows but the warp's first and last, in place; those two stay as they were.
  __device__ __forceinline__ void inner_rows() {
    Row above;
#pragma unroll
    for (int k = 0; k < K; ++k) above[k] = cells_[0][k];
#pragma unroll
    for (int r = 1; r < R - 1; ++r) {
      Row next;
      this->advance(above, cells_[r], cells_[r + 1], next);
#pragma unroll
      for (int k = 0; k < K; ++k) above[k] = cells_[r][k], cells_[r][k] = next[k];
    }
  }

  /// The warp's rows lie in shared memory during an exchange: loops over them need not be unrolled,
  /// and their registers are free for the halos.
  __device__ __forceinline__ void exchange(std::uint32_t tag) {
#pragma unroll
    for (int r = 0; r < R; ++r) put_shared(stage_ + r * Shape::kEdgeBytes, cells_[r]);
    const auto place = [&](int r) { return stage_ + r * Shape::kEdgeBytes; };
    this->send_halos(tag, place);
    this->receive_halos(tag, place);
#pragma unroll
    for (int r = 0; r < R; ++r) get_shared(cells_[r], stage_ + r * Shape::kEdgeBytes);
  }

  int begin_, end_;              ///< rows of the tile that are ever needed
  std::uint32_t edges_, stage_;  ///< in shared memory
  std::uint32_t cells_[R][K];
};

template <class Shape, Rim kRim>
__global__ void __launch_bounds__(Shape::kWarps * 32, 1) reside(const __grid_constant__ Job job) {
  using Kind = std::conditional_t<Shape::kDeep, DeepTile<Shape, kRim>, Tile<Shape, kRim>>;
  Kind(job, block_memory()).run();
}

}  // namespace ratchet::life::resident
