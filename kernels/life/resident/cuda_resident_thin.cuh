// Tiles of which no row is made twice: a halo of one row, which is on its way while the rest of a
// generation is made.
//
// A block sends its outer rows as soon as they are made, at the beginning of a generation, and
// needs those of its neighbours at the beginning of the next. That pays where a generation takes
// longer than the way through the second-level cache, some 1000 clocks.
#pragma once

#include "kernels/life/resident/cuda_resident.cuh"

namespace ratchet::life::resident {

/// Lets the compiler think that the value has changed: it keeps a register for what it would make
/// anew every generation, on the pipe of the LOP3s.
__device__ __forceinline__ void keep(std::uint32_t& value) { asm volatile("" : "+r"(value)); }
__device__ __forceinline__ void keep(int& value) { asm volatile("" : "+r"(value)); }
template <Rim kRim>
__device__ __forceinline__ void keep(RowEnds<kRim>& ends) {
  keep(ends.lane_before), keep(ends.lane_after), keep(ends.first), keep(ends.last);
}

/// kWarps warps of R rows, or one less.
template <int K, int R, int kWarps>
struct ThinShape : Sizes<K, R, kWarps, 1> {
  using Sizes<K, R, kWarps, 1>::kEdgeBytes;
  static constexpr bool kDeep = false;
  static constexpr int kEdgesBytes = 2 * kWarps * 2 * kEdgeBytes;  ///< as Shape's
  static constexpr int kSharedBytes = kEdgesBytes + Sizes<K, R, kWarps, 1>::kInboxBytes;
  static constexpr int kOwn = R * kWarps, kLeastOwn = (R - 1) * kWarps;  ///< rows of a block
  static_assert(R >= 4 && kWarps >= 2);
};

template <int K_, int R, int kWarps, Rim kRim>
class Tile<ThinShape<K_, R, kWarps>, kRim> : TileBase<ThinShape<K_, R, kWarps>, kRim> {
  using Shape = ThinShape<K_, R, kWarps>;
  using Base = TileBase<Shape, kRim>;
  using Base::K, Base::lane_, Base::warp_, Base::above_, Base::below_;
  using typename Base::Row;

 public:
  /// `shared`: Shape::kSharedBytes. All threads of a block construct one.
  __device__ __forceinline__ Tile(const Job& job, std::uint32_t shared) : Base(job) {
    // The outermost warps, which exchange, have fewer rows if any have.
    const int shorts = Shape::kOwn - this->own_, last = kWarps - 1;
    const auto is_short = [&](int warp) {
      return (warp == 0 ? 0 : warp == last ? 1 : warp + 1) < shorts;
    };
    int first = 0;
    for (int warp = 0; warp < warp_; ++warp) first += R - is_short(warp);
    short_ = is_short(warp_);
    this->set_place(0, first, R - short_, warp_ > 0, warp_ < last, shared + Shape::kEdgesBytes);
    edges_ = shared + warp_ * (2 * Shape::kEdgeBytes) + lane_ * kLaneBytes<K>;
    if (!above_ && this->above_block_ >= 0)
      from_above_ = this->halo(this->above_block_, 1, 0), to_above_ = this->halo(blockIdx.x, 0, 0);
    if (!below_ && this->below_block_ >= 0)
      from_below_ = this->halo(this->below_block_, 0, 0), to_below_ = this->halo(blockIdx.x, 1, 0);
    keep(edges_), keep(this->inbox_), keep(this->ends_);
  }

  __device__ __forceinline__ void run() {
#pragma unroll
    for (int r = 0; r < R; ++r) this->load_row(cells_[r], place(r));
    Row above, below;
#pragma unroll
    for (int k = 0; k < K; ++k) above[k] = below[k] = 0;
    if (from_above_) this->load_row(above, -1);
    if (from_below_) this->load_row(below, R - short_);
    this->publish(edges_, cells_[0], cells_[R - 1], 0);
    std::uint32_t tag = this->job_.tag;
#pragma unroll 1
    for (std::uint32_t generation = 1; generation <= this->job_.steps; ++generation) {
      const std::uint32_t from = edges_ + (generation - 1) % 2 * (Shape::kEdgesBytes / 2);
      this->await_neighbours(generation - 1);
      if (above_)
        get_shared(above, from - Shape::kEdgeBytes);
      else if (from_above_ && generation > 1)
        receive(above, from_above_, tag);
      if (below_)
        get_shared(below, from + 2 * Shape::kEdgeBytes);
      else if (from_below_ && generation > 1)
        receive(below, from_below_, tag);
      ++tag;
      // The outer rows first: the warps beside this one and other blocks wait for them.
      Row first, last;
      this->advance(above, cells_[0], cells_[1], first);
      this->advance(cells_[R - 2], cells_[R - 1], below, last);
      if (generation < this->job_.steps) {
        if (to_above_) send(of(to_above_, tag), lane_, first, tag);
        if (to_below_) send(of(to_below_, tag), lane_, last, tag);
      }
      this->publish(edges_, first, last, generation);
      inner_rows();
      copy(cells_[0], first), copy(cells_[R - 1], last);
    }
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (!short_ || r != R - 2) this->store_row(cells_[r], place(r));
  }

 private:
  /// Which of the warp's rows is in cells_[r]. Of a short warp cells_[R - 2] is a copy of the one
  /// before.
  __device__ __forceinline__ int place(int r) const { return short_ && r >= R - 2 ? r - 1 : r; }
  __device__ __forceinline__ static void copy(Row& to, const Row& from) {
#pragma unroll
    for (int k = 0; k < K; ++k) to[k] = from[k];
  }
  /// A halo's place in exchange `tag`, as TileBase::halo() has it.
  __device__ __forceinline__ static Tagged* of(Tagged* halo, std::uint32_t tag) {
    return halo + tag % 2 * Shape::kRowWords;
  }
  __device__ __forceinline__ void receive(Row& row, Tagged* from, std::uint32_t tag) const {
    Tagged got[1][K];
    unsigned polls = 0;
    do {
      poll(got[0], of(from, tag), lane_);
      if (++polls == kMostPolls) __trap();
    } while (__any_sync(~0u, !Base::all_tagged(got, tag)));
#pragma unroll
    for (int k = 0; k < K; ++k) row[k] = static_cast<std::uint32_t>(got[0][k]);
  }

  /// Makes all rows but the warp's first and last, in place; those two stay as they were.
  __device__ __forceinline__ void inner_rows() {
    Row above, next;
    copy(above, cells_[0]);
#pragma unroll
    for (int r = 1; r < R - 3; ++r) {
      this->advance(above, cells_[r], cells_[r + 1], next);
      copy(above, cells_[r]), copy(cells_[r], next);
    }
    if (short_) {
      this->advance(above, cells_[R - 3], cells_[R - 1], next);
      copy(cells_[R - 3], next), copy(cells_[R - 2], next);
    } else {
      this->advance(above, cells_[R - 3], cells_[R - 2], next);
      copy(above, cells_[R - 3]), copy(cells_[R - 3], next);
      this->advance(above, cells_[R - 2], cells_[R - 1], next);
      copy(cells_[R - 2], next);
    }
  }

  bool short_;
  std::uint32_t edges_;  ///< in shared memory
  /// Other blocks' halos and this one's; null in warps that do not exchange.
  Tagged *from_above_ = nullptr, *from_below_ = nullptr;
  Tagged *to_above_ = nullptr, *to_below_ = nullptr;
  std::uint32_t cells_[R][K];
};

/// The fastest of those measured on an H200 (STAGES.md).
using ThinUpTo8192 = ThinShape<8, 4, 16>;

}  // namespace ratchet::life::resident
