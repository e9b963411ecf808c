// One vector's width of positions: finding their values and verifying them.
//
// Compiled once per instruction set by Highway (hence no plain include guard): include it after
// hwy/highway.h from a file that hwy/foreach_target.h re-includes.
#if defined(RATCHET_OFFICERS_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_OFFICERS_BLOCK_INL_H_
#undef RATCHET_OFFICERS_BLOCK_INL_H_
#else
#define RATCHET_OFFICERS_BLOCK_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/officers/simd/head_sums-inl.h"
#include "kernels/officers/values/compressed.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

/// Options that mark flags; the rest are compared with candidates. Between 640 and 960 the measured
/// speeds do not differ by more than their scatter (AVX2).
constexpr std::size_t kFlagged = 800;
constexpr std::size_t kHoles = 8;
/// Candidates that every position of a block is to have before the nearest options are looked at.
/// Where these leave none, a further pass looks for more.
constexpr std::size_t kEnough = 1, kMost = 8;
constexpr std::size_t kMostPasses = 256 / kHoles;
/// Sums of common values that mark flags.
constexpr std::uint64_t kFlaggedSums = 384;
static_assert(kFlaggedSums % kLanes == 0);

/// flags[b] = 1 for every byte b of `v`.
HWY_INLINE void mark(std::uint8_t* flags, Vector v) {
  alignas(64) std::uint8_t bytes[kLanes];
  hn::Store(v, Bytes(), bytes);
  HWY_UNROLL(64)
  for (std::size_t i = 0; i < kLanes; ++i) flags[bytes[i]] = 1;
}

/// Bit b % 64 of zeros[b / 64]: flags[b] is 0.
HWY_INLINE void find_zeros(const std::uint8_t* flags, std::uint64_t (&zeros)[4]) {
  std::memset(zeros, 0, sizeof zeros);
  for (std::size_t b = 0; b < 256; b += kLanes) {
    const auto zero = hn::Eq(hn::Load(Bytes(), flags + b), hn::Zero(Bytes()));
    std::uint64_t bits = 0;
    hn::StoreMaskBits(Bytes(), zero, reinterpret_cast<std::uint8_t*>(&bits));
    zeros[b / 64] |= bits << b % 64;
  }
}

/// Bytes below this are those of all rare values below the common value whose byte is `byte`. Two
/// bytes that differ in bit 0 alone have their rare values both above or both below the common
/// ones.
constexpr std::uint32_t end_of_rares(std::uint32_t byte) {
  return (byte & ~1u) + (uncompress(byte, true) < uncompress(byte, false) ? 2 : 0);
}

/// One run's positions, a vector's width of them at a time.
class Block {
 public:
  Block(const SimdJob& job, Work& work) : job_(job), work_(work) {
    while (near_ < job.rares && job.rare_position[near_] < kLanes) ++near_;
    flagged_ = std::min<std::size_t>(near_ + kFlagged, job.rares - 1);
  }

  /// Values of the `count` <= kLanes positions from `done` on; how many it could. Without kVerify
  /// they are the first that no option gives, and nobody has verified them.
  template <bool kVerify>
  std::size_t compute(std::uint64_t done, std::size_t count) {
    std::uint8_t* const at = job_.at_next + done;
    at_ = at;
    mark_first(at);
    find_candidates(at);
    work_.options += job_.rares * count, ++work_.blocks;
    for (std::size_t i = 0; i < count; ++i) {
      int value = first_left(at + i, i);
      for (; value < 0 && passes_ < kMostPasses; value = first_left(at + i, i)) more_candidates(at);
      if (value < 0) return i;
      if constexpr (kVerify)
        if (!verified(at + i, done + i, static_cast<std::uint32_t>(value))) return i;
      at[i] = static_cast<std::uint8_t>(value);
    }
    return count;
  }

  /// Every rare value below common `value`, of the position at `at`, which is `done` after the
  /// first, is a sum of two common values.
  HWY_INLINE bool verified(const std::uint8_t* at, std::uint64_t done, std::uint32_t value) {
    // Partners are common: beyond the known rare positions, and kept.
    const std::uint64_t partners = std::min(job_.next - kCommonHead, job_.tail) + done;
    const std::uint64_t sums_there = std::min<std::uint64_t>(job_.head->bytes.size(), partners - 1);
    const std::uint32_t end = end_of_rares(value);
    if (sums_there < kDescending || end > 255) return false;
    // Not a sum further: in whole steps of find_rest().
    const std::uint64_t limit =
        kFlaggedSums + (sums_there - kFlaggedSums) / (4 * kLanes) * (4 * kLanes);
    alignas(64) std::uint8_t flags[256] = {};
    const Head& head = *job_.head;
    for (std::uint64_t from = 0; from < kFlaggedSums; from += kLanes)
      mark(flags, head_sums(head, at, from));
    std::uint64_t missing[4];
    find_zeros(flags, missing);
    for (std::uint32_t w = 0; w < 4; ++w) {
      if (end <= w * 64)
        missing[w] = 0;
      else if (end < w * 64 + 64)
        missing[w] &= (std::uint64_t{1} << end % 64) - 1;
    }
    std::uint8_t rare[256];
    std::size_t rares = 0;
    for (std::size_t w = 0; w < 4; ++w)
      for (; missing[w] != 0; missing[w] &= missing[w] - 1)
        rare[rares++] =
            static_cast<std::uint8_t>(w * 64 + static_cast<unsigned>(std::countr_zero(missing[w])));
    const std::uint64_t tried = find_rest(at, rare, rares, limit);
    work_.verifying += tried, work_.deepest = std::max(work_.deepest, tried);
    return rares == 0;
  }

 private:
  /// Options of all kLanes positions: the rare value and those a place before position - rare.
  HWY_INLINE Vector options(const std::uint8_t* at, std::size_t j) const {
    return hn::Xor(hn::LoadU(Bytes(), at - 1 - job_.rare_position[j]),
                   hn::Set(Bytes(), job_.rare_value[j]));
  }

  /// flags_[i][b] = 1: one of the first options of position i is b.
  HWY_INLINE void mark_first(const std::uint8_t* at) {
    std::memset(flags_, 0, sizeof flags_);
    alignas(64) std::uint8_t bytes[kLanes];
    for (std::size_t j = near_; j < flagged_; ++j) {
      hn::Store(options(at, j), Bytes(), bytes);
      HWY_UNROLL(64)
      for (std::size_t i = 0; i < kLanes; ++i) flags_[i][bytes[i]] = 1;
    }
  }

  /// The first candidates of all positions, by as many passes over the other options as it takes.
  HWY_INLINE void find_candidates(const std::uint8_t* at) {
    for (std::size_t i = 0; i < kLanes; ++i) find_zeros(flags_[i], open_[i]), candidates_[i] = 0;
    passes_ = 0;
    while (more_candidates(at) < kEnough && passes_ < kMostPasses) continue;
  }
  /// One pass; the fewest candidates that a position has.
  std::size_t more_candidates(const std::uint8_t* at) {
    ++passes_;
    for (std::size_t i = 0; i < kLanes; ++i) next_holes(i);
    compare_rest(at);
    std::uint8_t fewest = kMost;
    for (std::size_t i = 0; i < kLanes; ++i) {
      std::uint8_t* const all = candidate_[i];
      std::size_t count = candidates_[i];
      for (std::size_t h = 0; h < kHoles; ++h)
        all[count] = hole_[h][i], count += 1 & ~excluded_[h][i];
      candidates_[i] = static_cast<std::uint8_t>(std::min(count, kMost));
      fewest = std::min(fewest, candidates_[i]);
    }
    return fewest;
  }
  /// The next kHoles values of position i that the first options leave, to hole_.
  HWY_INLINE void next_holes(std::size_t i) {
    std::size_t hole = 0;
    for (std::size_t w = 0; w < 4; ++w)
      for (std::uint64_t& zeros = open_[i][w]; zeros != 0 && hole < kHoles; zeros &= zeros - 1)
        hole_[hole++][i] =
            static_cast<std::uint8_t>(w * 64 + static_cast<unsigned>(std::countr_zero(zeros)));
    // None left: one that an option gives, which excludes it.
    for (; hole < kHoles; ++hole)
      hole_[hole][i] =
          static_cast<std::uint8_t>(at_[static_cast<std::ptrdiff_t>(i) - 1 -
                                        static_cast<std::ptrdiff_t>(job_.rare_position[flagged_])] ^
                                    job_.rare_value[flagged_]);
  }

  /// Which of hole_ the other options exclude.
  HWY_INLINE void compare_rest(const std::uint8_t* at) {
    const Bytes d;
    const auto found = [&](Vector v, std::size_t h) HWY_ATTR {
      return hn::VecFromMask(d, hn::Eq(v, hn::Load(d, hole_[h])));
    };
    Vector e0 = hn::Zero(d), e1 = e0, e2 = e0, e3 = e0, e4 = e0, e5 = e0, e6 = e0, e7 = e0;
    for (std::size_t j = flagged_; j < job_.rares; ++j) {
      const Vector v = options(at, j);
      e0 = hn::Or(e0, found(v, 0)), e1 = hn::Or(e1, found(v, 1));
      e2 = hn::Or(e2, found(v, 2)), e3 = hn::Or(e3, found(v, 3));
      e4 = hn::Or(e4, found(v, 4)), e5 = hn::Or(e5, found(v, 5));
      e6 = hn::Or(e6, found(v, 6)), e7 = hn::Or(e7, found(v, 7));
    }
    hn::Store(e0, d, excluded_[0]), hn::Store(e1, d, excluded_[1]);
    hn::Store(e2, d, excluded_[2]), hn::Store(e3, d, excluded_[3]);
    hn::Store(e4, d, excluded_[4]), hn::Store(e5, d, excluded_[5]);
    hn::Store(e6, d, excluded_[6]), hn::Store(e7, d, excluded_[7]);
  }

  /// The first candidate of position `i` of the block that the nearest options leave, too; -1 when
  /// there is none.
  HWY_INLINE int first_left(const std::uint8_t* at, std::size_t i) const {
    for (std::size_t c = 0; c < candidates_[i]; ++c) {
      const std::uint32_t candidate = candidate_[i][c];
      bool hit = false;
      for (std::size_t j = 0; j < near_; ++j)
        hit |= (at[-1 - static_cast<std::ptrdiff_t>(job_.rare_position[j])] ^ job_.rare_value[j]) ==
               static_cast<int>(candidate);
      if (!hit) return static_cast<int>(candidate);
    }
    return -1;
  }

  /// Takes those away from `rare` that a further sum gives; how many sums there were in all.
  HWY_INLINE std::uint64_t find_rest(const std::uint8_t* at, std::uint8_t* rare, std::size_t& rares,
                                     std::uint64_t limit) const {
    const Bytes d;
    const Head& head = *job_.head;
    std::uint64_t from = kFlaggedSums;
    for (; rares > 0 && from < limit; from += 4 * kLanes) {
      const Vector s0 = head_sums(head, at, from), s1 = head_sums(head, at, from + kLanes);
      const Vector s2 = head_sums(head, at, from + 2 * kLanes);
      const Vector s3 = head_sums(head, at, from + 3 * kLanes);
      std::size_t left = 0;
      for (std::size_t r = 0; r < rares; ++r) {
        const Vector sought = hn::Set(d, rare[r]);
        const Vector found = hn::Or(
            hn::Or(hn::VecFromMask(d, hn::Eq(s0, sought)), hn::VecFromMask(d, hn::Eq(s1, sought))),
            hn::Or(hn::VecFromMask(d, hn::Eq(s2, sought)), hn::VecFromMask(d, hn::Eq(s3, sought))));
        rare[left] = rare[r];
        left += hn::AllFalse(d, hn::MaskFromVec(found));
      }
      rares = left;
    }
    return from;
  }

  const SimdJob& job_;
  Work& work_;
  std::size_t near_ = 0, flagged_ = 0, passes_ = 0;
  const std::uint8_t* at_ = nullptr;
  alignas(64) std::uint8_t flags_[kLanes][256];
  std::uint64_t open_[kLanes][4];  ///< zeros of flags_ that were not yet candidates
  alignas(64) std::uint8_t hole_[kHoles][kLanes];
  alignas(64) std::uint8_t excluded_[kHoles][kLanes];
  std::uint8_t candidate_[kLanes][kMost + kHoles], candidates_[kLanes];
};

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
