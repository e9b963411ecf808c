// Which bytes were seen, for a vector's width of positions, as bits in vectors of bytes.
//
// Compiled once per instruction set by Highway (hence no plain include guard): include it after
// hwy/highway.h from a file that hwy/foreach_target.h re-includes.
#if defined(RATCHET_OFFICERS_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_OFFICERS_PLANES_INL_H_
#undef RATCHET_OFFICERS_PLANES_INL_H_
#else
#define RATCHET_OFFICERS_PLANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/officers/planes/planes.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<std::uint8_t, 64>;
using Vector = hn::Vec<Bytes>;
constexpr std::size_t kLanes = hn::MaxLanes(Bytes());

/// A byte that stands for none.
constexpr std::uint8_t kNone = 0xff;

/// table[x] for x < 16, 0 for x >= 128; table has 16 bytes.
HWY_INLINE Vector lookup(const std::uint8_t* table, Vector x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Bytes(), hn::GetLane(x) < 128 ? table[hn::GetLane(x) % 16] : std::uint8_t{0});
#else
  return hn::TableLookupBytesOr0(hn::LoadDup128(Bytes(), table), x);
#endif
}

alignas(16) constexpr std::uint8_t kLowBits[16] = {1, 2, 4, 8, 16, 32, 64, 128};
alignas(16) constexpr std::uint8_t kHighBits[16] = {0, 0, 0, 0, 0,  0,  0,  0,
                                                    1, 2, 4, 8, 16, 32, 64, 128};
/// The first b bits, for b <= 8.
alignas(16) constexpr std::uint8_t kFirstBits[16] = {0, 1, 3, 7, 15, 31, 63, 127, 255};
/// The place of the one bit of a nibble.
alignas(16) constexpr std::uint8_t kPlace[16] = {0, 0, 1, 0, 2, 0, 0, 0, 3};

class Planes {
 public:
  /// Values of 16 times as many bytes have planes. Beyond them there are hardly any: of the first
  /// 2^17 the largest has byte 143.
  static constexpr std::size_t kWindows = 10, kCount = 2 * kWindows;
  static constexpr std::uint32_t kCovered = 16 * kWindows;

  void clear() {
    for (auto& plane : planes_) hn::Store(hn::Zero(Bytes()), Bytes(), plane);
  }

  /// The sums of `count` terms, of the kLanes positions from `at` on, are seen.
  void add(const std::uint8_t* at, const Term* terms, std::size_t count) {
    // As many accumulators as registers hold.
    constexpr std::size_t kAtOnce = HWY_TARGET <= HWY_AVX3 ? kWindows : 2;
    add_from<0, kAtOnce>(at, terms, count);
  }

  /// The first byte not seen, in each lane, which then is; kNone where all that have planes are.
  Vector take_first() {
    const Bytes d;
    const Vector full = hn::Set(d, 0xff);
    Vector bits = full, base = full;
    for (std::size_t p = kCount; p-- > 0;) {
      const Vector plane = hn::Load(d, planes_[p]);
      const auto open = hn::Ne(plane, full);
      bits = hn::IfThenElse(open, plane, bits);
      base = hn::IfThenElse(open, hn::Set(d, static_cast<std::uint8_t>(8 * p)), base);
    }
    const Vector lowest = hn::AndNot(bits, hn::Add(bits, hn::Set(d, 1)));
    for (std::size_t p = 0; p < kCount; ++p) {
      const auto there = hn::Eq(base, hn::Set(d, static_cast<std::uint8_t>(8 * p)));
      const Vector plane = hn::Load(d, planes_[p]);
      hn::Store(hn::Or(plane, hn::IfThenElseZero(there, lowest)), d, planes_[p]);
    }
    const Vector nibble = hn::Set(d, 15);
    const Vector low = hn::And(lowest, nibble);
    const Vector high = hn::And(hn::ShiftRight<4>(lowest), nibble);
    const Vector place = hn::Or(
        hn::Or(lookup(kPlace, low), lookup(kPlace, high)),
        hn::IfThenElseZero(hn::Ne(high, hn::Zero(d)), hn::Set(d, 4)));
    return hn::Or(base, place);  // kNone | anything is kNone
  }

  /// Of lane i those not seen below end[i], as bits of bytes: bit b of missing[i].
  void missing_below(const std::uint8_t* end, std::uint64_t (*missing)[4]) const {
    const Bytes d;
    const Vector ends = hn::Load(d, end), eight = hn::Set(d, 8);
    alignas(64) std::uint8_t open[kCount][kLanes];
    for (std::size_t p = 0; p < kCount; ++p) {
      const Vector below = hn::SaturatedSub(ends, hn::Set(d, static_cast<std::uint8_t>(8 * p)));
      const Vector wanted = lookup(kFirstBits, hn::Min(below, eight));
      hn::Store(hn::AndNot(hn::Load(d, planes_[p]), wanted), d, open[p]);
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      std::uint64_t words[4] = {};
      HWY_UNROLL(32)
      for (std::size_t p = 0; p < kCount; ++p)
        words[p / 8] |= std::uint64_t{open[p][i]} << p % 8 * 8;
      for (std::size_t w = 0; w < 4; ++w) missing[i][w] = words[w];
    }
  }

 private:
  static HWY_INLINE Vector sum(const std::uint8_t* at, const Term& term) {
    const hn::Repartition<std::uint32_t, Bytes> wide;
    return hn::Xor(hn::LoadU(Bytes(), at - term.back),
                   hn::BitCast(Bytes(), hn::Set(wide, term.bytes)));
  }
  /// `v` in window w becomes its place there, which a lookup takes, any other 128 or more.
  template <std::size_t kWindow>
  static HWY_INLINE Vector in_window(Vector v) {
    return hn::SaturatedAdd(hn::Xor(v, hn::Set(Bytes(), 16 * kWindow)), hn::Set(Bytes(), 0x70));
  }
  template <std::size_t kFirst, std::size_t kAtOnce, std::size_t kDone = 0>
  static HWY_INLINE void mark(Vector (&seen)[2 * kAtOnce], Vector a, Vector b) {
    if constexpr (kDone < kAtOnce) {
      const Vector x = in_window<kFirst + kDone>(a), y = in_window<kFirst + kDone>(b);
      Vector &low = seen[2 * kDone], &high = seen[2 * kDone + 1];
      low = hn::Or3(low, lookup(kLowBits, x), lookup(kLowBits, y));
      high = hn::Or3(high, lookup(kHighBits, x), lookup(kHighBits, y));
      mark<kFirst, kAtOnce, kDone + 1>(seen, a, b);
    }
  }
  template <std::size_t kFirst, std::size_t kAtOnce>
  void add_from(const std::uint8_t* at, const Term* terms, std::size_t count) {
    if constexpr (kFirst < kWindows) {
      const Bytes d;
      Vector seen[2 * kAtOnce];
      for (std::size_t p = 0; p < 2 * kAtOnce; ++p) seen[p] = hn::Load(d, planes_[2 * kFirst + p]);
      std::size_t k = 0;
      for (; k + 2 <= count; k += 2)
        mark<kFirst, kAtOnce>(seen, sum(at, terms[k]), sum(at, terms[k + 1]));
      if (k < count) {
        const Vector last = sum(at, terms[k]);
        mark<kFirst, kAtOnce>(seen, last, last);
      }
      for (std::size_t p = 0; p < 2 * kAtOnce; ++p) hn::Store(seen[p], d, planes_[2 * kFirst + p]);
      add_from<kFirst + kAtOnce, kAtOnce>(at, terms, count);
    }
  }

  alignas(64) std::uint8_t planes_[kCount][kLanes];  ///< bit b % 8 of lane i of plane b / 8
};

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
