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

#include "kernels/life/packed/cpu_shift-inl.h"
#include "kernels/life/strided/cpu_strided.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::life::HWY_NAMESPACE {

/// How many of three cells are alive: sum + 2 carry.
struct Three {
  Vector sum, carry;
};
/// The counts of a column of four rows: of its upper three cells and of its lower three.
struct ColumnSums {
  Three upper, lower;
};
/// A column of four rows.
struct Column {
  Vector a, b, c, d;
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

/// Any function of three bits, bit by bit: the result is bit 4a + 2b + c of `kTable`. The
/// instruction writes over its first operand: let that be one that is not needed any more.
template <int kTable>
HWY_INLINE Vector ternary(Vector a, Vector b, Vector c) {
  return Vector{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, kTable)};
}
HWY_INLINE ColumnSums sums_of(const Column& k) {
  const Vector t = hn::Xor(k.b, k.c);
  return {{hn::Xor(t, k.a), ternary<0b11101000>(k.a, k.b, k.c)},
          {hn::Xor(t, k.d), ternary<0b11101000>(k.d, k.b, k.c)}};
}
/// The new state of `cell`, which stands between `above` and `below`: two operations add these two
/// to the left column's sum, the last four are those of the text's solver.
HWY_INLINE Vector next_of(const Three& left, const Three&, const Three& right, Vector above,
                          Vector cell, Vector below) {
  const Vector sum = ternary<0b10010110>(above, left.sum, below);
  const Vector carry = ternary<0b11101000>(left.sum, above, below);
  const Vector m0 = ternary<0b00111110>(sum, right.sum, cell);
  const Vector m1 = ternary<0b00111101>(carry, m0, cell);
  const Vector m2 = ternary<0b10000011>(left.carry, right.carry, m1);
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
  // Where ones.sum = 0 and ones.carry = twos.sum the count is 4 (twos.sum + twos.carry): four where
  // exactly one of the two is 1.
  const Vector four = hn::AndNot(two, hn::Xor(twos.sum, twos.carry));
  return hn::Or(is_three, hn::And(cell, hn::AndNot(ones.sum, four)));
}

#endif

/// Completes a row whose vectors 0 to columns - 1 are made: sets the first cell beyond the row, and
/// the vectors on either side of these, which are the row's other end shifted by one bit. In a
/// folded universe each lane is a row of its own.
template <bool kFolded>
class RowEnds {
 public:
  explicit HWY_INLINE RowEnds(const StridedShape& shape)
      : lanes_(shape.lanes),
        torus_(shape.edge == Edge::torus),
        padded_(shape.end_column < shape.columns),
        end_(shape.end_column * shape.lanes),
        right_(shape.columns * shape.lanes),
        last_((shape.width - 1) % shape.columns * shape.lanes),
        last_bit_((shape.width - 1) / shape.columns) {
    HWY_ALIGN std::uint64_t words[hn::MaxLanes(Tag())] = {};
    words[shape.end_bit / 64] = std::uint64_t{1} << shape.end_bit % 64;
    end_mask_ = kFolded ? hn::Set(Tag(), words[0]) : hn::Load(Tag(), words);
  }

  HWY_INLINE void finish(std::uint64_t* row) const {
    const Tag tag;
    if (torus_) return finish_torus(row);
    if (padded_) hn::Store(hn::AndNot(end_mask_, hn::Load(tag, row + end_)), tag, row + end_);
    hn::Store(up(hn::Load(tag, row + right_ - lanes_)), tag, row - lanes_);
    hn::Store(down(hn::Load(tag, row)), tag, row + right_);
  }
  /// Of a folded universe: the strip above is in the lane before, the strip below in the lane
  /// after.
  const RegisterShift& shift() const { return shift_; }

 private:
  /// The cell behind the row's last is its first, and the cell before its first its last.
  HWY_INLINE void finish_torus(std::uint64_t* row) const {
    const Tag tag;
    const Vector first = spread(row, 0), last = spread(row + last_, last_bit_);
    const Vector first_bit = kFolded ? hn::Set(tag, 1) : shift_.first_bit();
    if (padded_) place_end(row, first);
    hn::Store(hn::Or(up(hn::Load(tag, row + right_ - lanes_)), hn::And(first_bit, last)), tag,
              row - lanes_);
    hn::Store(down(hn::Load(tag, row)), tag, row + right_);
    if (!padded_) place_end(row, first);
  }
  HWY_INLINE void place_end(std::uint64_t* row, Vector state) const {
    const Vector rest = hn::AndNot(end_mask_, hn::Load(Tag(), row + end_));
    hn::Store(hn::Or(rest, hn::And(end_mask_, state)), Tag(), row + end_);
  }
  /// Cell `bit` of the row in a vector, in all bits of the row's lanes.
  HWY_INLINE Vector spread(const std::uint64_t* vector, std::uint64_t bit) const {
    const Tag tag;
    if (!kFolded) return hn::Set(tag, 0 - (vector[bit / 64] >> bit % 64 & 1));
    const Vector cell = hn::ShiftRightSame(hn::Load(tag, vector), static_cast<int>(bit));
    return hn::Sub(hn::Zero(tag), hn::And(cell, hn::Set(tag, 1)));
  }
  HWY_INLINE Vector up(Vector v) const { return kFolded ? hn::ShiftLeft<1>(v) : shift_.up(v); }
  HWY_INLINE Vector down(Vector v) const { return kFolded ? hn::ShiftRight<1>(v) : shift_.down(v); }

  RegisterShift shift_;
  std::uint64_t lanes_;
  bool torus_, padded_;
  std::uint64_t end_, right_, last_, last_bit_;
  Vector end_mask_;
};

/// Four rows that follow each other, from above.
struct FourRows {
  const std::uint64_t *a, *b, *c, *d;
};

/// The rows b and c one generation later, into `upper` and `lower`, which may be the rows a and b:
/// a vector is written when the next one has been read. Three columns take turns as the one on the
/// left, the middle and the one on the right, so that nothing is moved from register to register.
template <bool kFolded>
HWY_INLINE void advance_pair(const RowEnds<kFolded>& ends, std::int64_t words, const FourRows rows,
                             std::uint64_t* const upper, std::uint64_t* const lower) {
  const Tag tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const auto load = [=](std::int64_t at, Column& k, ColumnSums& sums) HWY_ATTR {
    k = {hn::Load(tag, rows.a + at), hn::Load(tag, rows.b + at), hn::Load(tag, rows.c + at),
         hn::Load(tag, rows.d + at)};
    sums = sums_of(k);
  };
  const auto store = [=](std::int64_t at, const ColumnSums& left, const Column& k,
                         const ColumnSums& middle, const ColumnSums& right) HWY_ATTR {
    const Vector a = hn::Load(tag, rows.a + at), d = hn::Load(tag, rows.d + at);
    hn::Store(next_of(left.upper, middle.upper, right.upper, a, k.b, k.c), tag, upper + at);
    hn::Store(next_of(left.lower, middle.lower, right.lower, d, k.c, k.b), tag, lower + at);
  };
  Column k0, k1, k2;
  ColumnSums s0, s1, s2;
  load(-lanes, k0, s0);
  load(0, k1, s1);
  std::int64_t at = 0;
  for (; at + 2 * lanes < words; at += 3 * lanes) {
    load(at + lanes, k2, s2);
    store(at, s0, k1, s1, s2);
    load(at + 2 * lanes, k0, s0);
    store(at + lanes, s1, k2, s2, s0);
    load(at + 3 * lanes, k1, s1);
    store(at + 2 * lanes, s2, k0, s0, s1);
  }
  if (at < words) {
    load(at + lanes, k2, s2);
    store(at, s0, k1, s1, s2);
    if (at + lanes < words) {
      load(at + 2 * lanes, k0, s0);
      store(at + lanes, s1, k2, s2, s0);
    }
  }
  ends.finish(upper);
  ends.finish(lower);
}

}  // namespace ratchet::life::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
