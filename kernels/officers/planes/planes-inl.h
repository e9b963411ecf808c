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

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/officers/planes/planes.h"
#include "kernels/officers/simd/head_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

/// A byte that stands for none.
constexpr std::uint8_t kNone = 0xff;

/// table[x] for x < 16, 0 for x >= 128; table has 16 bytes. Between them processors differ.
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

#if HWY_TARGET == HWY_AVX3_DL
/// The bit of byte x % 64, of 64 bytes from any multiple of 64 on, in each of their eight planes.
struct PermutedBits {
  alignas(64) std::uint8_t of[8][64];
  constexpr PermutedBits() : of{} {
    for (std::size_t x = 0; x < 64; ++x) of[x / 8][x] = static_cast<std::uint8_t>(1u << x % 8);
  }
};
constexpr PermutedBits kPermutedBits;
#endif

/// The sums of a term for the kLanes positions from `at` on.
HWY_INLINE Vector sum(const std::uint8_t* at, const Term& term) {
  const hn::Repartition<std::uint32_t, Bytes> wide;
  return hn::Xor(hn::LoadU(Bytes(), at - term.back),
                 hn::BitCast(Bytes(), hn::Set(wide, term.bytes)));
}

using Lanes = hn::Mask<Bytes>;

/// Those of `lanes` in which v is another byte than c. One operation where masks have registers,
/// which the compiler does not find.
HWY_INLINE Lanes still_other(Lanes lanes, Vector v, Vector c) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return {_mm512_mask_cmpneq_epu8_mask(lanes.raw, v.raw, c.raw)};
#else
  return hn::And(lanes, hn::Ne(v, c));
#endif
}

/// As many bytes of each lane as there are masks, which sums may give or not.
class Candidates {
 public:
  static constexpr std::size_t kCount = 7;

  /// Takes the first ones not seen from `planes`, kNone where there are fewer.
  template <class From>
  void take(From& planes) {
    for (auto& byte : bytes_) hn::Store(planes.take_first(), Bytes(), byte);
  }
  /// The sums of `count` terms become kNone.
  void exclude(const std::uint8_t* at, const Term* terms, std::size_t count) {
    const Bytes d;
    const Vector none = hn::Set(d, kNone);
    const Vector c0 = hn::Load(d, bytes_[0]), c1 = hn::Load(d, bytes_[1]),
                 c2 = hn::Load(d, bytes_[2]), c3 = hn::Load(d, bytes_[3]),
                 c4 = hn::Load(d, bytes_[4]), c5 = hn::Load(d, bytes_[5]),
                 c6 = hn::Load(d, bytes_[6]);
    auto m0 = hn::Ne(c0, none), m1 = hn::Ne(c1, none), m2 = hn::Ne(c2, none), m3 = hn::Ne(c3, none),
         m4 = hn::Ne(c4, none), m5 = hn::Ne(c5, none), m6 = hn::Ne(c6, none);
    for (std::size_t k = 0; k < count; ++k) {
      const Vector v = sum(at, terms[k]);
      m0 = still_other(m0, v, c0), m1 = still_other(m1, v, c1);
      m2 = still_other(m2, v, c2), m3 = still_other(m3, v, c3);
      m4 = still_other(m4, v, c4), m5 = still_other(m5, v, c5);
      m6 = still_other(m6, v, c6);
    }
    hn::Store(hn::IfThenElse(m0, c0, none), d, bytes_[0]);
    hn::Store(hn::IfThenElse(m1, c1, none), d, bytes_[1]);
    hn::Store(hn::IfThenElse(m2, c2, none), d, bytes_[2]);
    hn::Store(hn::IfThenElse(m3, c3, none), d, bytes_[3]);
    hn::Store(hn::IfThenElse(m4, c4, none), d, bytes_[4]);
    hn::Store(hn::IfThenElse(m5, c5, none), d, bytes_[5]);
    hn::Store(hn::IfThenElse(m6, c6, none), d, bytes_[6]);
  }
  /// The least N that are left, in ascending order, kNone last.
  template <std::size_t N>
  void least(std::uint8_t (&out)[N][kLanes]) const {
    const Bytes d;
    Vector sorted[N];
    for (auto& one : sorted) one = hn::Set(d, kNone);
    for (const auto& byte : bytes_) {
      Vector more = hn::Load(d, byte);
      for (auto& one : sorted) {
        const Vector less = hn::Min(one, more);
        more = hn::Max(one, more), one = less;
      }
    }
    for (std::size_t k = 0; k < N; ++k) hn::Store(sorted[k], d, out[k]);
  }
  /// Lanes in which some are left, 0xff; others 0.
  Vector any_left() const {
    const Bytes d;
    Vector all = hn::Set(d, kNone);
    for (const auto& byte : bytes_) all = hn::And(all, hn::Load(d, byte));
    return hn::VecFromMask(d, hn::Ne(all, hn::Set(d, kNone)));
  }
  /// As Planes::list(), in no order.
  std::uint8_t* list(std::size_t i, std::uint8_t* out) const {
    for (const auto& byte : bytes_) *out = byte[i], out += byte[i] != kNone;
    return out;
  }

 private:
  alignas(64) std::uint8_t bytes_[kCount][kLanes];
};

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
#if HWY_TARGET == HWY_SCALAR
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint8_t byte = hn::GetLane(sum(at, terms[k]));
      if (byte < kCovered) planes_[byte / 8][0] |= static_cast<std::uint8_t>(1u << byte % 8);
    }
#else
    // As many accumulators as registers hold.
    constexpr std::size_t kAtOnce =
        HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL ? kWindows : 2;
    add_from<0, kAtOnce>(at, terms, count);
#endif
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
    const Vector place = hn::Or(hn::Or(lookup(kPlace, low), lookup(kPlace, high)),
                                hn::IfThenElseZero(hn::Ne(high, hn::Zero(d)), hn::Set(d, 4)));
    return hn::Or(base, place);  // kNone | anything is kNone
  }

  /// In each lane, as if those from `end` on were seen.
  void keep_below(Vector end) {
    const Bytes d;
    for (std::size_t p = 0; p < kCount; ++p) {
      const Vector below = hn::SaturatedSub(end, hn::Set(d, static_cast<std::uint8_t>(8 * p)));
      const Vector wanted = lookup(kFirstBits, hn::Min(below, hn::Set(d, 8)));
      hn::Store(hn::Or(hn::Load(d, planes_[p]), hn::Not(wanted)), d, planes_[p]);
    }
  }

  /// Lanes in which some were not seen, 0xff; others 0.
  Vector any_left() const {
    const Bytes d;
    Vector all = hn::Set(d, 0xff);
    for (const auto& plane : planes_) all = hn::And(all, hn::Load(d, plane));
    return hn::VecFromMask(d, hn::Ne(all, hn::Set(d, 0xff)));
  }

  /// Those of lane i not seen, in ascending order, to `out`; the end of what was written.
  std::uint8_t* list(std::size_t i, std::uint8_t* out) const {
    for (std::size_t p = 0; p < kCount; ++p)
      for (std::uint32_t open = planes_[p][i] ^ 0xffu; open != 0; open &= open - 1)
        *out++ = static_cast<std::uint8_t>(8 * p + static_cast<unsigned>(std::countr_zero(open)));
    return out;
  }

 private:
#if HWY_TARGET != HWY_SCALAR
  /// `v` in window w becomes its place there, which a lookup takes, any other what a lookup makes 0:
  /// on x86 128 or more, the place being the lowest four bits of less; on ARM 16 or more.
  template <std::size_t kWindow>
  static HWY_INLINE Vector in_window(Vector v) {
    const Vector place = hn::Xor(v, hn::Set(Bytes(), 16 * kWindow));
#if HWY_ARCH_ARM
    return place;
#else
    return hn::SaturatedAdd(place, hn::Set(Bytes(), 0x70));
#endif
  }
#if HWY_TARGET == HWY_AVX3_DL
  template <std::size_t kPlane = 0, std::size_t kPlanes>
  static HWY_INLINE void mark_permuted(Vector (&seen)[kPlanes], Vector a, Vector b,
                                       const __mmask64 (&in_a)[3], const __mmask64 (&in_b)[3]) {
    if constexpr (kPlane < kPlanes) {
      const Vector bits = hn::Load(Bytes(), kPermutedBits.of[kPlane % 8]);
      seen[kPlane] = hn::Or3(
          seen[kPlane], Vector{_mm512_maskz_permutexvar_epi8(in_a[kPlane / 8], a.raw, bits.raw)},
          Vector{_mm512_maskz_permutexvar_epi8(in_b[kPlane / 8], b.raw, bits.raw)});
      mark_permuted<kPlane + 1>(seen, a, b, in_a, in_b);
    }
  }
  /// Which lanes are below 64, below 128, below 192.
  static HWY_INLINE void sixties(Vector v, __mmask64 (&in)[3]) {
    // Bits 7 and 6, without the port that permutes.
    const __mmask64 bit_7 = hn::MaskFromVec(v).raw, bit_6 = hn::MaskFromVec(hn::Add(v, v)).raw;
    in[0] = _knot_mask64(_kor_mask64(bit_7, bit_6));
    in[1] = _kandn_mask64(bit_7, bit_6);
    in[2] = _kandn_mask64(bit_6, bit_7);
  }
#endif
  template <std::size_t kFirst, std::size_t kAtOnce, std::size_t kDone = 0>
  static HWY_INLINE void mark(Vector (&seen)[2 * kAtOnce], Vector a, Vector b) {
#if HWY_TARGET == HWY_AVX3_DL
    __mmask64 in_a[3], in_b[3];
    sixties(a, in_a), sixties(b, in_b);
    mark_permuted(seen, a, b, in_a, in_b);
#else
    if constexpr (kDone < kAtOnce) {
      const Vector x = in_window<kFirst + kDone>(a), y = in_window<kFirst + kDone>(b);
      Vector &low = seen[2 * kDone], &high = seen[2 * kDone + 1];
      low = hn::Or3(low, lookup(kLowBits, x), lookup(kLowBits, y));
      high = hn::Or3(high, lookup(kHighBits, x), lookup(kHighBits, y));
      mark<kFirst, kAtOnce, kDone + 1>(seen, a, b);
    }
#endif
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
#endif

  alignas(64) std::uint8_t planes_[kCount][kLanes];  ///< bit b % 8 of lane i of plane b / 8
};

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
