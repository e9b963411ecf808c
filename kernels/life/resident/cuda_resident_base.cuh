// What the tiles of the resident kernels have in common: where they are in the universe, who their
// neighbours are, and how rows go to other blocks and come from there.
#pragma once

#include "kernels/life/resident/cuda_resident_ptx.cuh"
#include "kernels/life/resident/cuda_resident_shape.cuh"
#include "kernels/life/strided/cuda_strided_generation.cuh"

namespace ratchet::life::resident {

/// A lane's neighbouring words in its row. Beyond a row's ends the strided layout goes on with the
/// other end, one bit further (strided_layout.h), W words a row:
///   word(-1) = word(W - 1) << 1      word(W) = word(0) >> 1
/// On a torus these are rotations, since the row then fills its words. before() shifts left by
/// multiplying where it can: a multiplication by 1 or 2 leaves the pipe of the LOP3s alone.
template <Rim kRim>
struct RowEnds {
  int lane_before, lane_after;  ///< round the row's ends
  std::uint32_t first;          ///< factor(whether the lane begins the row)
  std::uint32_t last;           ///< bits to shift by: 1 in the lane that ends the row, else 0

  /// What before() needs to shift left by one bit, or by none: on a torus the bits to rotate by, 1
  /// or 0; on a dead border the factor, 2 or 1.
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
class TileBase {
 protected:
  static constexpr int K = Shape::K, T = Shape::T;
  static constexpr int kPiece = K % 4 == 0 ? 4 : 1;  ///< words of one access to global memory
  static constexpr bool kTorus = kRim == Rim::torus;
  using Row = std::uint32_t[K];

  __device__ __forceinline__ explicit TileBase(const Job& job)
      : job_(job),
        lane_(threadIdx.x % 32),
        // Equal in all lanes anyway; the reduction is what tells the compiler so. It then computes
        // what follows from it once a warp, in uniform registers, and knows that no branch
        // diverges.
        warp_(__reduce_max_sync(~0u, static_cast<int>(threadIdx.x / 32))) {
    const int height = static_cast<int>(job.layout.height), blocks = gridDim.x, block = blockIdx.x;
    const auto first_of = [&](int b) {
      return static_cast<int>(std::int64_t{b} * height / blocks);
    };
    first_ = first_of(block);
    own_ = first_of(block + 1) - first_;
    above_block_ = block == 0 ? (kTorus ? blocks - 1 : -1) : block - 1;
    below_block_ = block + 1 == blocks ? (kTorus ? 0 : -1) : block + 1;
    const int lanes = static_cast<int>(job.layout.words) / K, lane = static_cast<int>(lane_);
    ends_ = {lane == 0 ? lanes - 1 : lane - 1, lane == lanes - 1 ? 0 : lane + 1,
             RowEnds<kRim>::factor(lane == 0), lane == lanes - 1 ? 1u : 0u};
    inside_ = lane < lanes;
    if constexpr (kRim == Rim::masked) make_mask();
  }
  /// The block's own rows begin at row `top` of the tile, the warp's `rows` rows at `first`;
  /// `above` and `below` say whether the block has a warp above and below this one that works. All
  /// threads of a block call it, with Shape::kInboxBytes of shared memory.
  __device__ __forceinline__ void set_place(int top, int first, int rows, bool above, bool below,
                                            std::uint32_t inboxes) {
    top_ = top, warp_first_ = first, warp_rows_ = rows, above_ = above, below_ = below;
    exchanges_ = row(0) < top_ + T || row(rows) > top_ + own_ - T;
    inbox_ = inboxes + warp_ * 8;
    if (lane_ < 2 && (above_ || below_))
      make_barrier(inbox_ + lane_ * Shape::kWarps * 8, above_ + below_);
    __syncthreads();
  }
  /// A row's place in the tile.
  __device__ __forceinline__ int row(int r) const { return warp_first_ + r; }

  __device__ __forceinline__ void make_mask() {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      mask_[k] = 0;
      for (std::uint32_t bit = 0; bit < 32; ++bit)
        if (std::uint64_t{bit} * job_.layout.words + lane_ * K + k < job_.layout.width)
          mask_[k] |= 1u << bit;
    }
  }

  /// A row of the tile from the universe; dead where there is none.
  __device__ __forceinline__ void load_row(Row& cells, int r) const {
    const int height = static_cast<int>(job_.layout.height);
    int y = first_ - top_ + row(r);
    if (kTorus) y = (y % height + height) % height;
    const std::uint32_t* from = job_.in + std::int64_t{y} * job_.layout.pitch + lane_ * K;
    const bool there = inside_ && y >= 0 && y < height;
#pragma unroll
    for (int k = 0; k < K; k += kPiece) {
      if constexpr (kPiece == 4) {
        const uint4 words =
            there ? *reinterpret_cast<const uint4*>(from + k) : make_uint4(0, 0, 0, 0);
        cells[k] = words.x, cells[k + 1] = words.y, cells[k + 2] = words.z, cells[k + 3] = words.w;
      } else {
        cells[k] = there ? from[k] : 0;
      }
    }
  }
  /// Writes a row of the tile to the universe, if it is one of the block's own.
  __device__ __forceinline__ void store_row(const Row& cells, int r) const {
    if (!inside_ || row(r) < top_ || row(r) >= top_ + own_) return;
    std::uint32_t* to =
        job_.out + std::int64_t{first_ - top_ + row(r)} * job_.layout.pitch + lane_ * K;
#pragma unroll
    for (int k = 0; k < K; k += kPiece) {
      if constexpr (kPiece == 4)
        *reinterpret_cast<uint4*>(to + k) =
            make_uint4(cells[k], cells[k + 1], cells[k + 2], cells[k + 3]);
      else
        to[k] = cells[k];
    }
  }

  /// Tells the warps above and below that this generation's outer rows are there. A warp writes
  /// those of generation g over g - 2 when both neighbours have published g - 1, so have read g
  /// - 2. For the same reason nobody arrives twice before a phase of an inbox has ended, and no
  /// second phase ends before the first has been waited for.
  __device__ __forceinline__ void tell_neighbours(std::uint32_t generation) const {
    __syncwarp();
    // Lane 0 tells the warp above, lane 1 the warp below.
    if ((lane_ == 0 && above_) || (lane_ == 1 && below_))
      arrive(inbox_ + generation % 2 * Shape::kWarps * 8 + lane_ * 16 - 8);
  }
  /// Leaves a warp's outer rows of a generation in shared memory, at `edges`, and tells.
  __device__ __forceinline__ void publish(std::uint32_t edges, const Row& first, const Row& last,
                                          std::uint32_t generation) const {
    const std::uint32_t to = edges + generation % 2 * (Shape::kEdgesBytes / 2);
    put_shared(to, first);
    put_shared(to + Shape::kEdgeBytes, last);
    tell_neighbours(generation);
  }
  __device__ __forceinline__ void await_neighbours(std::uint32_t generation) const {
    if (above_ || below_) await(inbox_ + generation % 2 * Shape::kWarps * 8, generation / 2 % 2);
  }

  __device__ __forceinline__ void advance(const Row& above, const Row& cells, const Row& below,
                                          Row& next) const {
    strided::generation<K, Shape::kAdded>(above, cells, below, next, ends_);
    if constexpr (kRim == Rim::masked)
#pragma unroll
      for (int k = 0; k < K; ++k) next[k] &= mask_[k];
  }
  /// Where `block` leaves T rows for the block above it (side 0) or below it (side 1) in exchange
  /// `tag`; two places take turns.
  __device__ __forceinline__ Tagged* halo(int block, int side, std::uint32_t tag) const {
    return job_.halos + ((std::uint64_t{2} * block + side) * 2 + tag % 2) * (T * Shape::kRowWords);
  }
  /// Why two places are enough: exchange e + 2 is written over exchange e. Block A writes it T
  /// generations after it received e + 1 from its neighbour B, which depend on all of those rows; B
  /// sent e + 1 likewise T generations after it received all of e. So B had read e. place(r) is
  /// where row r of the warp is in shared memory.
  template <class Place>
  __device__ __forceinline__ void send_halos(std::uint32_t tag, Place place) const {
    if (above_block_ >= 0) send_rows(halo(blockIdx.x, 0, tag), top_, tag, place);
    if (below_block_ >= 0) send_rows(halo(blockIdx.x, 1, tag), top_ + own_ - T, tag, place);
  }
  template <class Place>
  __device__ __forceinline__ void receive_halos(std::uint32_t tag, Place place) const {
    if (above_block_ >= 0) receive_rows(halo(above_block_, 1, tag), top_ - T, tag, place);
    if (below_block_ >= 0) receive_rows(halo(below_block_, 0, tag), top_ + own_, tag, place);
  }
  /// Rows first .. first + T - 1 of the tile, as far as they are this warp's.
  template <class Place>
  __device__ __forceinline__ void send_rows(Tagged* to, int first, std::uint32_t tag,
                                            Place place) const {
    const int end = min(first + T, row(warp_rows_));
#pragma unroll 1
    for (int i = max(first, row(0)); i < end; ++i) {
      Row cells;
      get_shared(cells, place(i - row(0)));
      send(to + (i - first) * Shape::kRowWords, lane_, cells, tag);
    }
  }
  template <class Place>
  __device__ __forceinline__ void receive_rows(const Tagged* from, int first, std::uint32_t tag,
                                               Place place) const {
    constexpr int kBatch = T < 4 ? T : 4;  // rows asked for at a time
    const int end = min(first + T, row(warp_rows_));
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
        put_shared(place(min(i + n, end - 1) - row(0)), cells);
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
  int warp_first_, warp_rows_;     ///< of the tile
  int above_block_, below_block_;  ///< -1: none
  bool above_, below_;             ///< whether there are warps
  bool exchanges_, inside_;
  RowEnds<kRim> ends_;
  std::uint32_t inbox_;  ///< in shared memory
  std::uint32_t mask_[kRim == Rim::masked ? K : 1];
};

}  // namespace ratchet::life::resident
