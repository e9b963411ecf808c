// One vector's width of positions: finding their values, and verifying them.
//
// Compiled once per instruction set by Highway (hence no plain include guard): include it after
// hwy/highway.h from a file that hwy/foreach_target.h re-includes.
#if defined(RATCHET_OFFICERS_PLANES_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_OFFICERS_PLANES_BLOCK_INL_H_
#undef RATCHET_OFFICERS_PLANES_BLOCK_INL_H_
#else
#define RATCHET_OFFICERS_PLANES_BLOCK_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/officers/planes/planes-inl.h"
#include "kernels/officers/values/compressed.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

/// First values that far options leave, of which near ones choose.
constexpr std::size_t kChoice = 4;
/// Options of so many rare positions, the farthest, mark planes; the others are compared with the
/// first values that these leave.
constexpr std::size_t kMarkedRares = 1100;

/// By the byte of a common value: bytes below it are those of all rare values below. Two bytes that
/// differ in bit 0 alone have their rare values both above or both below the common ones. 255 where
/// that does not fit, and for kNone: nothing verifies such a value.
struct EndsOfRares {
  static constexpr std::uint8_t kUnverifiable = 255;
  std::uint8_t end[256];
  constexpr EndsOfRares() : end{} {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t past =
          (byte & ~1u) + (uncompress(byte, true) < uncompress(byte, false) ? 2 : 0);
      end[byte] = static_cast<std::uint8_t>(past > 255 || byte == kNone ? kUnverifiable : past);
    }
  }
};
constexpr EndsOfRares kEndsOfRares;

class PlanesBlock {
 public:
  explicit PlanesBlock(const PlanesJob& job) : job_(job), near_(rares_beyond(0)) {}
  /// So many rare positions, the farthest, need no value of the `behind` blocks before a block, nor
  /// of the block itself.
  std::size_t rares_beyond(std::uint64_t behind) const {
    const auto near = std::find_if(job_.rares.begin(), job_.rares.end(), [&](const Term& rare) {
      return rare.back < (behind + 1) * kLanes;
    });
    return static_cast<std::size_t>(near - job_.rares.begin());
  }

  /// The block that begins `done` positions after the job's first.
  void begin(std::uint64_t done) {
    at_ = job_.simd.at_next + done;
    done_ = done;
    planes_.clear();
    chosen_ = false;
  }
  /// Options of the rare positions from ... to - 1, of those beyond the block, the farthest first.
  void add_rares(std::size_t from, std::size_t to) {
    const Term* const rares = job_.rares.data();
    const std::size_t marked = std::min(kMarkedRares, near_);
    const std::size_t middle = std::clamp(marked, from, to);
    planes_.add(at_, rares + from, middle - from);
    if (from <= marked && marked <= to && !chosen_) candidates_.take(planes_), chosen_ = true;
    if (middle < to) candidates_.exclude(at_, rares + middle, to - middle);
  }
  /// When all before the block are known and the options of all beyond it were added: its values.
  /// Writes those of all kLanes positions. A position that has none is left to verify(), which
  /// finds it out.
  void find() {
    candidates_.least(first_);
    std::memcpy(around_, at_ - kLanes, kLanes);
    std::memcpy(around_ + kLanes, first_[0], kLanes);
    for (std::size_t none = guess_until_right(); none < kLanes; none = guess_until_right()) {
      // By the definition; another guess does not change what comes before.
      std::memcpy(at_, around_ + kLanes, none);
      const std::uint8_t value = by_definition(at_ + none);
      for (auto& candidate : first_) candidate[none] = value;
      undecided_ = none + 1;
      around_[kLanes + none] = value;
    }
    undecided_ = 0;
    std::memcpy(at_, around_ + kLanes, kLanes);
  }

  /// How many of the first `count` values are verified, until the first that is not.
  std::size_t verify(std::size_t count, Work& work) {
    const Bytes d;
    const Term* const heads = job_.heads.data();
    const std::size_t marked = std::min(kMarkedHeads, job_.heads.size());
    alignas(64) std::uint8_t end[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) end[i] = kEndsOfRares.end[at_[i]];
    planes_.clear();
    planes_.add(at_, heads, marked);
    planes_.keep_below(hn::Load(d, end));
    candidates_.take(planes_);
    candidates_.exclude(at_, heads + marked, job_.heads.size() - marked);
    alignas(64) std::uint8_t left[kLanes];
    hn::Store(hn::Or(hn::Or(planes_.any_left(), candidates_.any_left()),
                     hn::VecFromMask(d, hn::Gt(hn::Load(d, end), hn::Set(d, Planes::kCovered)))),
              d, left);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t tried = job_.heads.size();
      if (left[i] != 0) {
        std::uint8_t rare[256];
        std::uint8_t* last = planes_.list(i, candidates_.list(i, rare));
        for (std::uint32_t b = Planes::kCovered; b < end[i]; ++b)
          *last++ = static_cast<std::uint8_t>(b);
        std::size_t rares = static_cast<std::size_t>(last - rare);
        tried += find_rest(i, rare, rares);
        if (rares > 0 || end[i] == EndsOfRares::kUnverifiable) return i;
      }
      work.verifying += tried, work.deepest = std::max(work.deepest, tried);
    }
    return count;
  }

 private:
  /// Values from candidates and near options, again until none changes; then each is right that has
  /// only right ones before it. The first place without a candidate left; kLanes: none.
  std::size_t guess_until_right() {
    const Bytes d;
    const Vector none = hn::Set(d, kNone);
    const Vector c0 = hn::Load(d, first_[0]), c1 = hn::Load(d, first_[1]);
    const Vector c2 = hn::Load(d, first_[2]), c3 = hn::Load(d, first_[3]);
    for (;;) {
      auto e0 = hn::MaskFromVec(hn::Zero(d)), e1 = e0, e2 = e0, e3 = e0;
      for (std::size_t j = near_; j < job_.rares.size(); ++j) {
        const Vector v = hn::Xor(hn::LoadU(d, around_ + kLanes - job_.rares[j].back),
                                 hn::Set(d, static_cast<std::uint8_t>(job_.rares[j].bytes)));
        e0 = hn::Or(e0, hn::Eq(v, c0)), e1 = hn::Or(e1, hn::Eq(v, c1));
        e2 = hn::Or(e2, hn::Eq(v, c2)), e3 = hn::Or(e3, hn::Eq(v, c3));
      }
      const Vector next = hn::IfThenElse(
          e0, hn::IfThenElse(e1, hn::IfThenElse(e2, hn::IfThenElse(e3, none, c3), c2), c1), c0);
      const Vector last = hn::Load(d, around_ + kLanes);
      hn::Store(next, d, around_ + kLanes);
      if (!hn::AllTrue(d, hn::Eq(next, last))) continue;
      const auto without = hn::FindFirstTrue(d, hn::Eq(next, none));
      return without < 0 || static_cast<std::size_t>(without) < undecided_
                 ? kLanes
                 : static_cast<std::size_t>(without);
    }
  }

  /// The first common byte that no option of the position at `at` gives, all before it being there;
  /// kNone when there is none.
  std::uint8_t by_definition(const std::uint8_t* at) const {
    std::uint8_t seen[257] = {};
    for (const Term& rare : job_.rares) seen[*(at - rare.back) ^ (rare.bytes & 0xff)] = 1;
    const void* const found = std::memchr(seen, 0, 256);
    return found ? static_cast<std::uint8_t>(static_cast<const std::uint8_t*>(found) - seen)
                 : kNone;
  }

  /// Takes those away from `rare` that a sum of position i gives; how many sums there were.
  HWY_INLINE std::uint64_t find_rest(std::size_t i, std::uint8_t* rare, std::size_t& rares) const {
    const Bytes d;
    const SimdJob& job = job_.simd;
    // Partners are common: beyond the known rare positions, and kept.
    const std::uint64_t partners = std::min(job.next - kCommonHead, job.tail) + done_ + i;
    const std::uint64_t there = std::min<std::uint64_t>(job.head->bytes.size(), partners - 1);
    const std::uint64_t limit = there / (4 * kLanes) * (4 * kLanes);
    const std::uint8_t* const at = at_ + i;
    std::uint64_t from = 0;
    for (; rares > 0 && from < limit; from += 4 * kLanes) {
      const Vector s0 = head_sums(*job.head, at, from);
      const Vector s1 = head_sums(*job.head, at, from + kLanes);
      const Vector s2 = head_sums(*job.head, at, from + 2 * kLanes);
      const Vector s3 = head_sums(*job.head, at, from + 3 * kLanes);
      std::size_t left = 0;
      for (std::size_t r = 0; r < rares; ++r) {
        const Vector sought = hn::Set(d, rare[r]);
        const auto found = hn::Or(hn::Or(hn::Eq(s0, sought), hn::Eq(s1, sought)),
                                  hn::Or(hn::Eq(s2, sought), hn::Eq(s3, sought)));
        rare[left] = rare[r];
        left += hn::AllFalse(d, found);
      }
      rares = left;
    }
    return from;
  }

  const PlanesJob& job_;
  std::size_t near_, undecided_ = 0;
  std::uint8_t* at_ = nullptr;
  std::uint64_t done_ = 0;
  Planes planes_;
  Candidates candidates_;
  bool chosen_ = false;  ///< the candidates were taken from the planes
  alignas(64) std::uint8_t first_[kChoice][kLanes];
  alignas(64) std::uint8_t around_[2 * kLanes];  ///< the values before the block and those guessed
};

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
