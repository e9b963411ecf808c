// Tiles of rows of up to half a warp's width, folded in the middle: one half of a warp holds a row
// near its block's upper edge, the other half the row as far from the lower edge.
//
// The rule is the same upside down, so both halves do the same, and lanes hold twice the words that
// whole rows would leave them. The row of depth d is the d-th from an edge: own rows have depths
// from 0 on, halos -1 to -T. Every depth has a warp, which waits for the warps of the depths beside
// it alone. Both halos are at one end of this chain; at the other, the fold, a half's neighbour is
// in the other half.
//
// T generations are between exchanges, and a halo row is made for as long as another depends on it:
// that of depth -d for T - d of them.
#pragma once

#include "kernels/life/resident/cuda_resident_thin.cuh"

namespace ratchet::life::resident {

/// K words a lane, 16 lanes a row; as many as kOwnWarps rows at each edge.
template <int K_, int kOwnWarps_, int T_>
struct FoldedShape : Sizes<K_, 1, kOwnWarps_ + T_, T_> {
  static constexpr bool kDeep = false;
  static constexpr int kOwnWarps = kOwnWarps_;
  static constexpr int kRowWords = 16 * K_;  ///< of the universe
  static constexpr int kGenerationBytes = (kOwnWarps_ + T_) * 32 * K_ * 4;
  static constexpr int kInboxBytes = 2 * 8;  ///< of a warp
  static constexpr int kSharedBytes = 2 * kGenerationBytes + (kOwnWarps_ + T_) * kInboxBytes;
  static constexpr int kOwn = 2 * kOwnWarps_, kLeastOwn = 2 * T_;  ///< rows of a block
  static_assert(K_ % 4 == 0 && T_ % 4 == 0 && kOwn >= kLeastOwn);
};

template <int K, int kOwnWarps, int T, Rim kRim>
class Tile<FoldedShape<K, kOwnWarps, T>, kRim> {
  using Shape = FoldedShape<K, kOwnWarps, T>;
  static constexpr bool kTorus = kRim == Rim::torus;
  using Row = std::uint32_t[K];

 public:
  /// `shared`: Shape::kSharedBytes. All threads of a block construct one.
  __device__ __forceinline__ Tile(const Job& job, std::uint32_t shared)
      : job_(job), lane_(threadIdx.x % 32), lower_(lane_ >= 16) {
    const int warp = __reduce_max_sync(~0u, static_cast<int>(threadIdx.x / 32));
    const int height = static_cast<int>(job.layout.height), blocks = gridDim.x, block = blockIdx.x;
    begin_ = static_cast<int>(std::int64_t{block} * height / blocks);
    own_ = static_cast<int>((std::int64_t{block} + 1) * height / blocks) - begin_;
    neighbour_ = lower_ ? block + 1 : block - 1;
    if (neighbour_ < 0 || neighbour_ == blocks) neighbour_ = kTorus ? blocks - 1 - block : -1;

    const int lanes = static_cast<int>(job.layout.words) / K, lane = lane_ % 16;
    const int half = static_cast<int>(lane_) - lane;
    inside_ = lane < lanes;
    ends_ = {half + (lane == 0 ? lanes - 1 : lane - 1), half + (lane == lanes - 1 ? 0 : lane + 1),
             RowEnds<kRim>::factor(lane == 0), lane == lanes - 1 ? 1u : 0u};
    if constexpr (kRim == Rim::masked) make_mask();

    // The chain in this order: a warp and the one beside it have different schedulers, those of the
    // halos are spread over all four.
    depth_ = kOwnWarps - 1 - warp;
    steps_ = T + min(depth_, 0);
    receives_ = depth_ < 0, sends_ = depth_ >= 0 && depth_ < T;
    clears_ = __any_sync(~0u, receives_ && neighbour_ < 0);

    const int depths = (own_ + 1) / 2;
    works_ = depth_ < depths;
    const bool fold = depth_ == depths - 1, outer = depth_ > -T, inner = !fold;
    const auto inbox = [&](int depth) {
      return shared + 2 * Shape::kGenerationBytes + (depth + T) * Shape::kInboxBytes;
    };
    inbox_ = inbox(depth_), outbox_ = inbox(lane_ == 0 ? depth_ - 1 : depth_ + 1);
    tells_ = lane_ == 0 ? outer : lane_ == 1 && inner;
    if (lane_ < 2) make_barrier(inbox_ + lane_ * 8, outer + inner);
    const auto place = [&](int depth, std::uint32_t in_lane) {
      return shared + (depth + T) * (32 * K * 4) + in_lane * kLaneBytes<K>;
    };
    row_ = place(depth_, lane_), outer_row_ = place(depth_ - 1, lane_);
    inner_row_ = fold ? place(own_ - 1 - depths, lane_ ^ 16) : place(depth_ + 1, lane_);
    keep(row_), keep(outer_row_), keep(inner_row_);
    keep(inbox_), keep(outbox_), keep(steps_), keep(ends_);
    __syncthreads();
  }

  __device__ __forceinline__ void run() {
    if (!works_) return;
    Row cells;
    load_row(cells);
    publish(cells, 0);
    std::uint32_t tag = job_.tag, left = job_.steps;
#pragma unroll 1
    for (; left > T; left -= T) period<false>(cells, T, ++tag);
    period<true>(cells, left, tag);
    store_row(cells);
  }

 private:
  /// The next `steps` generations, T unless they are the last; then exchange `tag`. Unrolled, since
  /// in four generations every parity comes back.
  template <bool kLast>
  __device__ __forceinline__ void period(Row& cells, std::uint32_t steps, std::uint32_t tag) const {
#pragma unroll
    for (int step = 0; step < T; ++step) {
      await(inbox_ + step % 2 * 8, step / 2 % 2);
      if (step < steps_) {
        const int old = step % 2 * Shape::kGenerationBytes;
        Row outer, inner, next;
        get_shared(outer, outer_row_ + old);
        get_shared(inner, inner_row_ + old);
        advance(outer, cells, inner, next);
#pragma unroll
        for (int k = 0; k < K; ++k) cells[k] = next[k];
        if (clears_) clear(cells);
      }
      if (!kLast && step == T - 1) {
        if (receives_)
          receive_row(cells, tag);
        else if (sends_)
          send(halo(blockIdx.x, depth_, tag), lane_, cells, tag);
      }
      publish(cells, step + 1);
      if (kLast && step + 1 == static_cast<int>(steps)) return;
    }
  }
  /// As TileBase::tell_neighbours(): of a generation the warps beside this one have both told
  /// before it writes over the row of the generation before.
  __device__ __forceinline__ void publish(const Row& row, int generation) const {
    put_shared(row_ + generation % 2 * Shape::kGenerationBytes, row);
    __syncwarp();
    if (tells_) arrive(outbox_ + generation % 2 * 8);
  }
  __device__ __forceinline__ void advance(const Row& above, const Row& cells, const Row& below,
                                          Row& next) const {
    // Fewer additions than elsewhere: they take longer, and here that counts.
    strided::generation<K, K / 4>(above, cells, below, next, ends_);
    if constexpr (kRim == Rim::masked)
#pragma unroll
      for (int k = 0; k < K; ++k) next[k] &= mask_[k];
  }
  /// A halo beyond a dead border stays dead. Only in the first and the last block: a branch.
  __device__ __forceinline__ void clear(Row& cells) const {
    asm volatile("");
#pragma unroll
    for (int k = 0; k < K; ++k) cells[k] = neighbour_ < 0 ? 0 : cells[k];
  }

  /// Where `block` leaves its rows of depth `row`, those of both edges; two places take turns, as
  /// in TileBase: a row of depth 0 to T - 1 depends on the neighbour's of depth 0 of one exchange
  /// ago, which depends on all that was received in the exchange before.
  __device__ __forceinline__ Tagged* halo(int block, int row, std::uint32_t tag) const {
    return job_.halos + ((std::uint64_t{2} * block + tag % 2) * T + row) * (32 * K);
  }
  __device__ __forceinline__ void receive_row(Row& cells, std::uint32_t tag) const {
    const bool there = neighbour_ >= 0;
    const Tagged* from = halo(there ? neighbour_ : 0, -1 - depth_, tag);
    Tagged got[K];
    unsigned polls = 0;
    bool all;
    do {
      poll(got, from, lane_ ^ 16);
      all = true;
#pragma unroll
      for (int k = 0; k < K; ++k) all &= static_cast<std::uint32_t>(got[k] >> 32) == tag;
      if (++polls == kMostPolls) __trap();
    } while (__any_sync(~0u, there && !all));
#pragma unroll
    for (int k = 0; k < K; ++k) cells[k] = there ? static_cast<std::uint32_t>(got[k]) : 0;
  }

  /// The row of the universe that the lane's half has.
  __device__ __forceinline__ int place() const {
    return lower_ ? begin_ + own_ - 1 - depth_ : begin_ + depth_;
  }
  __device__ __forceinline__ void load_row(Row& cells) const {
    const int height = static_cast<int>(job_.layout.height);
    int y = place();
    if (kTorus) y = (y % height + height) % height;
    const std::uint32_t* from = job_.in + std::int64_t{y} * job_.layout.pitch + lane_ % 16 * K;
    const bool there = inside_ && y >= 0 && y < height;
#pragma unroll
    for (int k = 0; k < K; k += 4) {
      const uint4 words =
          there ? *reinterpret_cast<const uint4*>(from + k) : make_uint4(0, 0, 0, 0);
      cells[k] = words.x, cells[k + 1] = words.y, cells[k + 2] = words.z, cells[k + 3] = words.w;
    }
  }
  __device__ __forceinline__ void store_row(const Row& cells) const {
    if (!inside_ || receives_) return;
    std::uint32_t* to = job_.out + std::int64_t{place()} * job_.layout.pitch + lane_ % 16 * K;
#pragma unroll
    for (int k = 0; k < K; k += 4)
      *reinterpret_cast<uint4*>(to + k) =
          make_uint4(cells[k], cells[k + 1], cells[k + 2], cells[k + 3]);
  }
  __device__ __forceinline__ void make_mask() {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      mask_[k] = 0;
      for (std::uint32_t bit = 0; bit < 32; ++bit)
        if (std::uint64_t{bit} * job_.layout.words + lane_ % 16 * K + k < job_.layout.width)
          mask_[k] |= 1u << bit;
    }
  }

  const Job& job_;
  std::uint32_t lane_;
  bool lower_, inside_, works_, tells_, sends_, receives_, clears_;
  int begin_, own_;  ///< rows of the universe
  int neighbour_;    ///< the block beyond the edge of the lane's half; -1: none
  int depth_;
  int steps_;  ///< of every T, those in which the row is made
  RowEnds<kRim> ends_;
  std::uint32_t row_, outer_row_, inner_row_, inbox_, outbox_;  ///< in shared memory
  std::uint32_t mask_[kRim == Rim::masked ? K : 1];
};

/// The fastest of those measured on an H200 (STAGES.md).
using FoldedUpTo4096 = FoldedShape<8, 16, 4>;

}  // namespace ratchet::life::resident
