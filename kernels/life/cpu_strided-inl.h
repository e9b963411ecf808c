// Two rows of the next generation in the strided layout.
//
// Compiled once per instruction set by Highway (hence no plain include guard): include it after
// hwy/highway.h from a file that hwy/foreach_target.h re-includes.
#if defined(RATCHET_LIFE_CPU_STRIDED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_LIFE_CPU_STRIDED_INL_H_
#undef RATCHET_LIFE_CPU_STRIDED_INL_H_
#else
#define RATCHET_LIFE_CPU_STRIDED_INL_H_
#endif

#include "kernels/life/cpu_shift-inl.h"
#include "kernels/life/cpu_strided.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::life::HWY_NAMESPACE {

/// How many of three cells live: sum + 2 carry.
struct Three {
  Vector sum, carry;
};
/// Of one column of four rows: of the upper three and of the lower three.
struct ColumnSums {
  Three upper, lower;
};
/// A column of four rows.
struct Column {
  Vector a, b, c, d;
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

/// Any function of three bits, bit by bit: the result is bit 4a + 2b + c of `kTable`.
template <int kTable>
HWY_INLINE Vector ternary(Vector a, Vector b, Vector c) {
  return Vector{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, kTable)};
}
HWY_INLINE Three three(Vector a, Vector b, Vector c) {
  return {ternary<0b10010110>(a, b, c), ternary<0b11101000>(a, b, c)};
}
HWY_INLINE ColumnSums sums_of(const Column& k) {
  return {three(k.a, k.b, k.c), three(k.b, k.c, k.d)};
}
/// The new state of `cell`, which stands between `above` and `below`: six operations, the last four
/// those of the text's solver. The sums of a column serve the columns on both its sides: eight
/// operations a vector in all.
HWY_INLINE Vector next_of(const Three& left, const Three&, const Three& right, Vector above,
                          Vector cell, Vector below) {
  const Three rest = three(left.sum, above, below);
  const Vector m0 = ternary<0b00111110>(right.sum, rest.sum, cell);
  const Vector m1 = ternary<0b01011011>(m0, cell, rest.carry);
  const Vector m2 = ternary<0b10010001>(m1, right.carry, left.carry);
  return ternary<0b01011000>(m2, m0, m1);
}

#else

HWY_INLINE Three three(Vector a, Vector b, Vector c) {
  const Vector t = hn::Xor(a, b);
  return {hn::Xor(t, c), hn::Or(hn::And(a, b), hn::And(t, c))};
}
HWY_INLINE ColumnSums sums_of(const Column& k) {
  const Vector t = hn::Xor(k.b, k.c), both = hn::And(k.b, k.c);  // shared by the two
  return {{hn::Xor(t, k.a), hn::Or(both, hn::And(t, k.a))},
          {hn::Xor(t, k.d), hn::Or(both, hn::And(t, k.d))}};
}
/// Two-input operations only: the nine cells, `cell` included, are counted column by column; it
/// lives where they are three, or four and it lived. 23 operations a vector in all.
HWY_INLINE Vector next_of(const Three& left, const Three& middle, const Three& right, Vector,
                          Vector cell, Vector) {
  const Three ones = three(left.sum, middle.sum, right.sum);
  const Three twos = three(left.carry, middle.carry, right.carry);
  // The count is ones.sum + 2 (ones.carry + twos.sum) + 4 twos.carry.
  const Vector two = hn::Xor(ones.carry, twos.sum);
  const Vector is_three = hn::AndNot(twos.carry, hn::And(ones.sum, two));
  // No one and no lone two: the twos are both or none, and with both, or else a carry, it is four.
  const Vector four = hn::AndNot(two, hn::Xor(twos.sum, twos.carry));
  return hn::Or(is_three, hn::And(cell, hn::AndNot(ones.sum, four)));
}

#endif

/// What has to be done to a row when its vectors are made: the first cell beyond it and the vectors
/// on either side, which hold its ends, shifted.
class RowEnds {
 public:
  explicit HWY_INLINE RowEnds(const StridedShape& shape)
      : lanes_(shape.lanes),
        torus_(shape.edge == Edge::torus),
        padded_(shape.end_column < shape.columns),
        end_(shape.end_column * shape.lanes),
        right_(shape.columns * shape.lanes),
        last_word_((shape.width - 1) % shape.columns * shape.lanes +
                   (shape.width - 1) / shape.columns / 64),
        last_bit_((shape.width - 1) / shape.columns % 64) {
    HWY_ALIGN std::uint64_t words[hn::MaxLanes(Tag())] = {};
    words[shape.end_bit / 64] = std::uint64_t{1} << shape.end_bit % 64;
    end_mask_ = hn::Load(Tag(), words);
  }

  HWY_INLINE void finish(std::uint64_t* row) const {
    const Tag tag;
    if (torus_) return finish_torus(row);
    if (padded_) hn::Store(hn::AndNot(end_mask_, hn::Load(tag, row + end_)), tag, row + end_);
    hn::Store(shift_.up(hn::Load(tag, row + right_ - lanes_)), tag, row - lanes_);
    hn::Store(shift_.down(hn::Load(tag, row)), tag, row + right_);
  }

 private:
  /// The first cell beyond the row is its first cell, the last before it its last.
  HWY_INLINE void finish_torus(std::uint64_t* row) const {
    const Tag tag;
    const Vector first = hn::Set(tag, 0 - (row[0] & 1));
    const Vector last = hn::Set(tag, 0 - (row[last_word_] >> last_bit_ & 1));
    if (padded_) place_end(row, first);
    hn::Store(hn::Or(shift_.up(hn::Load(tag, row + right_ - lanes_)),
                     hn::And(shift_.first_bit(), last)),
              tag, row - lanes_);
    hn::Store(shift_.down(hn::Load(tag, row)), tag, row + right_);
    if (!padded_) place_end(row, first);
  }
  HWY_INLINE void place_end(std::uint64_t* row, Vector state) const {
    const Vector rest = hn::AndNot(end_mask_, hn::Load(Tag(), row + end_));
    hn::Store(hn::Or(rest, hn::And(end_mask_, state)), Tag(), row + end_);
  }

  RegisterShift shift_;
  std::uint64_t lanes_;
  bool torus_, padded_;
  std::uint64_t end_, right_, last_word_, last_bit_;
  Vector end_mask_;
};

/// Four rows that follow each other, from above.
struct FourRows {
  const std::uint64_t *a, *b, *c, *d;
};

/// The rows b and c one generation later, into `upper` and `lower`, which may be the rows a and b.
HWY_INLINE void advance_pair(const RowEnds& ends, std::uint64_t words, const FourRows& rows,
                             std::uint64_t* upper, std::uint64_t* lower) {
  const Tag tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const auto column = [&](std::int64_t at) HWY_ATTR {
    return Column{hn::Load(tag, rows.a + at), hn::Load(tag, rows.b + at),
                  hn::Load(tag, rows.c + at), hn::Load(tag, rows.d + at)};
  };
  Column here = column(0);
  ColumnSums left = sums_of(column(-lanes)), middle = sums_of(here);
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(words); at += lanes) {
    const Column ahead = column(at + lanes);
    const ColumnSums right = sums_of(ahead);
    hn::Store(next_of(left.upper, middle.upper, right.upper, here.a, here.b, here.c), tag,
              upper + at);
    hn::Store(next_of(left.lower, middle.lower, right.lower, here.b, here.c, here.d), tag,
              lower + at);
    left = middle, middle = right, here = ahead;
  }
  ends.finish(upper);
  ends.finish(lower);
}

}  // namespace ratchet::life::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
