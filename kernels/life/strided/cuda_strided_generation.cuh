// One generation of one row of a warp's strip, in the strided layout (strided_layout.h).
#pragma once

#include <cstdint>

#include "kernels/life/strided/cuda_strided_ptx.cuh"

namespace ratchet::life::strided {

inline constexpr int kXor3 = 0x96, kMajority = 0xE8;

/// Where a word's neighbours in other lanes come from: the lanes beside it. The first and last lane
/// miss one.
struct LanesBeside {
  __device__ __forceinline__ std::uint32_t before(std::uint32_t word) const {
    return __shfl_up_sync(~0u, word, 1);
  }
  __device__ __forceinline__ std::uint32_t after(std::uint32_t word) const {
    return __shfl_down_sync(~0u, word, 1);
  }
};

/// How the outermost words of a lane are kept dead where they lie beyond a border: in no way.
struct Uncrowded {
  __device__ __forceinline__ std::uint32_t first(std::uint32_t word) const { return word; }
  __device__ __forceinline__ std::uint32_t last(std::uint32_t word) const { return word; }
};
/// By overcrowding, on the pipe of the multiply-adds: a cell that is dead, and has no neighbours but
/// the three of the column on the side of the universe, is told of four more. Two numbers of pairs
/// of neighbours, whose bit is 0, get the bit of that cell. 0: the lane's word is not at a border.
struct Crowd {
  std::uint32_t in_first = 0, in_last = 0;
  __device__ __forceinline__ std::uint32_t first(std::uint32_t word) const {
    return mad<1>(word, in_first);
  }
  __device__ __forceinline__ std::uint32_t last(std::uint32_t word) const {
    return mad<1>(word, in_last);
  }
};

/// The cells `out` of a row from the rows above (t), of (c) and below it (b), K words a lane, the
/// lanes of a warp side by side; a lane that misses a neighbour gets wrong words at its outer end.
/// Eight LOP3 a word: two for the sum S + 2 M of the three cells of a column, S = t ^ c ^ b and
/// M = maj(t, c, b), which serve the columns on both sides; two to add t, b and the S of the column
/// on the left; and four that decide.
///
/// kAdded words do with six LOP3 and five multiply-adds, which have a pipe of their own: a + b + c
/// = (a ^ b ^ c) + 2 maj(a, b, c) holds for whole words modulo 2^32, so from the majority the XOR
/// is a + b + c - 2 maj(a, b, c).
template <int K, int kAdded, class Lanes = LanesBeside, class Dead = Uncrowded>
__device__ __forceinline__ void generation(const std::uint32_t (&t)[K], const std::uint32_t (&c)[K],
                                           const std::uint32_t (&b)[K], std::uint32_t (&out)[K],
                                           const Lanes& lanes = {}, const Dead& dead = {}) {
  std::uint32_t S[K], M[K], tb[K];
  // Never words 0 and K - 1: the shuffles wait for their column sums, and additions take longer.
  const auto added = [](int k) { return k >= 1 && k <= kAdded; };
  const auto column = [&](int k) {
    M[k] = lop3<kMajority>(t[k], c[k], b[k]);
    if (added(k)) {
      tb[k] = mad<1>(t[k], b[k]);
      S[k] = mad<-2>(M[k], mad<1>(c[k], tb[k]));
    } else {
      S[k] = lop3<kXor3>(t[k], c[k], b[k]);
    }
  };
  column(0);
  column(K - 1);
  const std::uint32_t S_before = lanes.before(S[K - 1]);
  const std::uint32_t M_before = lanes.before(M[K - 1]);
  const std::uint32_t S_after = lanes.after(S[0]);
  const std::uint32_t M_after = lanes.after(M[0]);
#pragma unroll
  for (int k = 1; k < K - 1; ++k) column(k);
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const std::uint32_t SL = k == 0 ? S_before : S[k - 1], SR = k == K - 1 ? S_after : S[k + 1];
    std::uint32_t ML = k == 0 ? M_before : M[k - 1], MR = k == K - 1 ? M_after : M[k + 1];
    std::uint32_t twos = lop3<kMajority>(SL, t[k], b[k]);
    const std::uint32_t ones =
        added(k) ? mad<-2>(twos, mad<1>(SL, tb[k])) : lop3<kXor3>(SL, t[k], b[k]);
    if (k == 0) twos = dead.first(twos), MR = dead.first(MR);
    if (k == K - 1) twos = dead.last(twos), ML = dead.last(ML);
    const std::uint32_t m0 = lop3<0x3E>(SR, ones, c[k]);
    const std::uint32_t m1 = lop3<0x5B>(m0, c[k], twos);
    const std::uint32_t m2 = lop3<0x91>(m1, MR, ML);
    out[k] = lop3<0x58>(m2, m0, m1);
  }
}

}  // namespace ratchet::life::strided
