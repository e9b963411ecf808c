// A vector register as one long word: shifts by one bit across its lanes, as the text builds them.
//
// Compiled once per instruction set by Highway (hence no plain include guard): include it after
// hwy/highway.h from a file that hwy/foreach_target.h re-includes.
#if defined(RATCHET_LIFE_CPU_SHIFT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_LIFE_CPU_SHIFT_INL_H_
#undef RATCHET_LIFE_CPU_SHIFT_INL_H_
#else
#define RATCHET_LIFE_CPU_SHIFT_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::life::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::uint64_t>;
using Vector = hn::Vec<Tag>;

/// Bit 0 is the lowest bit of lane 0, and up is towards the highest bit of the last lane.
class RegisterShift {
 public:
  HWY_INLINE RegisterShift()
      : lanes_up_(rotation(hn::Lanes(Tag()) - 1)),
        lanes_down_(rotation(1)),
        first_bit_(one_bit(0, 0)),
        last_bit_(one_bit(hn::Lanes(Tag()) - 1, 63)) {}

  /// `v` up by one, 0 from below. First all lanes shift alone; the bits that cross from lane to
  /// lane follow by rotating the lanes, and the lane that came around is masked out.
  HWY_INLINE Vector up(Vector v) const {
    return hn::Or(hn::ShiftLeft<1>(v), hn::AndNot(first_bit_, rotated_up(v)));
  }
  /// `v` down by one, 0 from above.
  HWY_INLINE Vector down(Vector v) const {
    return hn::Or(hn::ShiftRight<1>(v), hn::AndNot(last_bit_, rotated_down(v)));
  }
  /// The same, with the highest bit of `before` from below.
  HWY_INLINE Vector up(Vector v, Vector before) const {
    return hn::Or(up(v), hn::And(first_bit_, rotated_up(before)));
  }
  /// The same, with the lowest bit of `after` from above.
  HWY_INLINE Vector down(Vector v, Vector after) const {
    return hn::Or(down(v), hn::And(last_bit_, rotated_down(after)));
  }

  /// Lane i from lane i - 1, and the first from the last.
  HWY_INLINE Vector lanes_up(Vector v) const { return hn::TableLookupLanes(v, lanes_up_); }
  /// Lane i from lane i + 1, and the last from the first.
  HWY_INLINE Vector lanes_down(Vector v) const { return hn::TableLookupLanes(v, lanes_down_); }

  HWY_INLINE Vector first_bit() const { return first_bit_; }
  HWY_INLINE Vector last_bit() const { return last_bit_; }

 private:
  using Indices = decltype(hn::SetTableIndices(Tag(), static_cast<const std::int64_t*>(nullptr)));

  HWY_INLINE Vector rotated_up(Vector v) const {
    return hn::TableLookupLanes(hn::ShiftRight<63>(v), lanes_up_);
  }
  HWY_INLINE Vector rotated_down(Vector v) const {
    return hn::TableLookupLanes(hn::ShiftLeft<63>(v), lanes_down_);
  }
  /// Lane i comes from lane i + by.
  static HWY_INLINE Indices rotation(std::size_t by) {
    const std::size_t lanes = hn::Lanes(Tag());
    HWY_ALIGN std::int64_t from[hn::MaxLanes(Tag())];
    for (std::size_t i = 0; i < lanes; ++i) from[i] = static_cast<std::int64_t>((i + by) % lanes);
    return hn::SetTableIndices(Tag(), from);
  }
  static HWY_INLINE Vector one_bit(std::size_t lane, unsigned bit) {
    HWY_ALIGN std::uint64_t words[hn::MaxLanes(Tag())] = {};
    words[lane] = std::uint64_t{1} << bit;
    return hn::Load(Tag(), words);
  }

  Indices lanes_up_, lanes_down_;
  Vector first_bit_, last_bit_;
};

}  // namespace ratchet::life::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
