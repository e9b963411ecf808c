// A resident universe of which only a part is in registers, and most of it in shared memory.
//
// As in cuda_resident.cuh a warp holds whole rows of its block's tile: its first one, some in
// shared memory, R in registers, some in shared memory, its last. Each generation it makes the
// outer two first, which the warps beside it wait for, then the others one after the other, in
// place. The outer ones are there twice, of even and of odd generations.
//
// The rows that other blocks wait for come before the registers, so that they are on their way
// while the rest is made. Hence the last warp of a block counts its rows from the bottom of the
// tile.
#pragma once

#include "kernels/life/resident/cuda_resident_base.cuh"

namespace ratchet::life::resident {

template <class Shape, Rim kRim>
class DeepTile : TileBase<Shape, kRim> {
  using Base = TileBase<Shape, kRim>;
  static constexpr int R = Shape::R;
  using Base::K, Base::T, Base::lane_, Base::warp_, Base::above_;
  using typename Base::Row;

 public:
  /// `shared`: Shape::kSharedBytes. All threads of a block construct one.
  __device__ __forceinline__ DeepTile(const Job& job, std::uint32_t shared) : Base(job) {
    const int top = this->above_block_ < 0 ? 0 : T;
    const int rows = top + this->own_ + (this->below_block_ < 0 ? 0 : T);
    const int first = warp_ * rows / Shape::kWarps;
    const int count = (warp_ + 1) * rows / Shape::kWarps - first, last = Shape::kWarps - 1;
    this->set_place(top, first, count, warp_ > 0, warp_ < last,
                    shared + Shape::kWarps * Shape::kWarpBytes);
    const int inner = count - 2 - R;
    upwards_ = warp_ == last;
    above_registers_ = warp_ == 0 || upwards_ ? Shape::kExchanged : inner / 2;
    below_registers_ = inner - above_registers_;
    edges_ = shared + warp_ * Shape::kWarpBytes + lane_ * kLaneBytes<K>;
    inner_ = edges_ + 4 * Shape::kEdgeBytes;
    // The warp above ends with its last row; so does the one below if it counts upwards.
    before_ = edges_ + Shape::kEdgeBytes - Shape::kWarpBytes;
    after_ = upwards_            ? before_
             : warp_ + 1 == last ? edges_ + Shape::kEdgeBytes + Shape::kWarpBytes
                                 : edges_ + Shape::kWarpBytes;
  }

  __device__ __forceinline__ void run() {
    load();
    this->tell_neighbours(0);
    std::uint32_t tag = this->job_.tag;
    int until_exchange = T;
#pragma unroll 1
    for (std::uint32_t generation = 1; generation <= this->job_.steps; ++generation) {
      this->await_neighbours(generation - 1);
      const bool exchange_now = --until_exchange == 0 && generation < this->job_.steps;
      outer_rows(generation);
      const bool late = exchange_now && this->exchanges_;
      if (!late) this->tell_neighbours(generation);
      if (exchange_now) until_exchange = T, ++tag;
      const auto place = [&](int r) { return this->place(r, generation); };
      inner_rows(generation - 1, [&] {
        if (late) this->send_halos(tag, place);
      });
      if (late) {
        this->receive_halos(tag, place);
        this->tell_neighbours(generation);
      }
    }
    store();
  }

 private:
  // Where the warp's rows are in shared memory, the outer ones those of `generation`.
  __device__ __forceinline__ static std::uint32_t of(std::uint32_t generation) {
    return generation % 2 * (2 * Shape::kEdgeBytes);
  }
  __device__ __forceinline__ std::uint32_t first_row(std::uint32_t generation) const {
    return edges_ + of(generation);
  }
  __device__ __forceinline__ std::uint32_t last_row(std::uint32_t generation) const {
    return first_row(generation) + Shape::kEdgeBytes;
  }
  __device__ __forceinline__ std::uint32_t inner_row(int i) const {
    return inner_ + i * Shape::kEdgeBytes;
  }
  /// From the order of the rows in the tile to the warp's own, which is reversed in the block's
  /// last warp; and back.
  __device__ __forceinline__ int turned(int r) const {
    return upwards_ ? this->warp_rows_ - 1 - r : r;
  }
  /// Where row r, counted in the order of the tile, is in shared memory; r is none of those in
  /// registers.
  __device__ __forceinline__ std::uint32_t place(int r, std::uint32_t generation) const {
    r = turned(r);
    if (r == 0) return first_row(generation);
    if (r == this->warp_rows_ - 1) return last_row(generation);
    return inner_row(r <= above_registers_ ? r - 1 : r - 1 - R);
  }

  __device__ __forceinline__ void load() {
#pragma unroll 2
    for (int i = 0; i < this->warp_rows_ - R; ++i) {
      const int r = turned(i <= above_registers_ ? i : i + R);
      Row cells;
      this->load_row(cells, r);
      put_shared(place(r, 0), cells);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) this->load_row(cells_[r], turned(1 + above_registers_ + r));
  }
  __device__ __forceinline__ void store() const {
#pragma unroll 1
    for (int i = 0; i < this->warp_rows_ - R; ++i) {
      const int r = turned(i <= above_registers_ ? i : i + R);
      Row cells;
      get_shared(cells, place(r, this->job_.steps));
      this->store_row(cells, r);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) this->store_row(cells_[r], turned(1 + above_registers_ + r));
  }

  __device__ __forceinline__ static void copy(Row& to, const Row& from) {
#pragma unroll
    for (int k = 0; k < K; ++k) to[k] = from[k];
  }
  /// The first and the last row of a generation, from those of the one before.
  __device__ __forceinline__ void outer_rows(std::uint32_t generation) const {
    const std::uint32_t old = generation - 1;
#pragma unroll 1
    for (int last = 0; last < 2; ++last) {
      Row above, cells, below, next;
#pragma unroll
      for (int k = 0; k < K; ++k) above[k] = 0;  // dead, or of no use
      if (last)
        get_shared(above, inner_row(this->warp_rows_ - 3 - R));
      else if (above_ && !upwards_)
        get_shared(above, before_ + of(old));
      get_shared(cells, last ? last_row(old) : first_row(old));
      get_shared(below, last ? after_ + of(old) : inner_row(0));
      this->advance(above, cells, below, next);
      put_shared(last ? last_row(generation) : first_row(generation), next);
    }
  }

  /// Makes `count` rows of the next generation, from the one at `place` on. `cells` is that row and
  /// `above` the one above it, both of the generation before; `end` is where the row below the last
  /// of them is.
  __device__ __forceinline__ void shared_rows(Row& above, Row& cells, std::uint32_t place,
                                              int count, std::uint32_t end) const {
#pragma unroll 1
    for (; count > 0; --count, place += Shape::kEdgeBytes) {
      Row below, next;
      get_shared(below, count == 1 ? end : place + Shape::kEdgeBytes);
      this->advance(above, cells, below, next);
      put_shared(place, next);
      copy(above, cells);
      copy(cells, below);
    }
  }
  /// The same if `below`, the row after `cells`, is there already; the row after next is fetched
  /// before the loop comes to it.
  __device__ __forceinline__ void shared_rows_ahead(Row& above, Row& cells, Row& below,
                                                    std::uint32_t place, int count,
                                                    std::uint32_t end) const {
#pragma unroll 1
    for (; count > 0; --count, place += Shape::kEdgeBytes) {
      Row next, ahead;
      this->advance(above, cells, below, next);
      get_shared(ahead, count <= 2 ? end : place + 2 * Shape::kEdgeBytes);
      put_shared(place, next);
      copy(above, cells), copy(cells, below), copy(below, ahead);
    }
  }
  /// Makes all rows but the first and the last, in place. Calls between() when those in shared
  /// memory before the rows in registers are made.
  template <class Between>
  __device__ __forceinline__ void inner_rows(std::uint32_t old, Between between) {
    Row above, cells, next, below;
    get_shared(above, first_row(old));
    get_shared(cells, inner_row(0));
    const int most = above_registers_ - 1;
    if constexpr (Shape::kAhead) {
      get_shared(below, inner_row(min(most, 1)));
      shared_rows_ahead(above, cells, below, inner_row(0), most, inner_row(most));
    } else {
      shared_rows(above, cells, inner_row(0), most, inner_row(most));
    }
    this->advance(above, cells, cells_[0], next);
    put_shared(inner_row(most), next);
    copy(above, cells);
    between();
    get_shared(below, inner_row(most + 1));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      this->advance(above, cells_[r], r + 1 < R ? cells_[r + 1] : below, next);
      copy(above, cells_[r]);
      copy(cells_[r], next);
    }
    if constexpr (Shape::kAhead) {
      copy(cells, below);
      get_shared(below, below_registers_ == 1 ? last_row(old) : inner_row(most + 2));
      shared_rows_ahead(above, cells, below, inner_row(most + 1), below_registers_, last_row(old));
    } else {
      shared_rows(above, below, inner_row(most + 1), below_registers_, last_row(old));
    }
  }

  bool upwards_;
  int above_registers_, below_registers_;  ///< inner rows, in the warp's order
  std::uint32_t edges_, inner_;            ///< in shared memory
  std::uint32_t before_, after_;           ///< the rows beside the warp's, of an even generation
  std::uint32_t cells_[R][K];
};

}  // namespace ratchet::life::resident
