// The rule as networks of bitwise operations: a word of new cells from nine words of old ones.
//
// Every network takes the neighbourhood aligned, bit i of each word belonging to cell i, and works
// on any unsigned integer type; on the device LOP3s are 32 bits wide. Host and device. Source:
// Dijkstra and Brouwer, "Back to a Packed Representation Using Bits", "LOP3",
// "Results and Previous Work"; strided_8: ratchet.
#pragma once

#include <cstdint>

#include "kernels/support/host_device.h"

namespace ratchet::life {

/// The cells around and at the centre, by compass.
template <class Word>
struct Neighbourhood {
  Word nw, n, ne;
  Word w, centre, e;
  Word sw, s, se;
};

/// Any function of three bits, bit by bit: the result is bit 4a + 2b + c of `Table`. One
/// instruction on the device; PTX because the compiler, left to itself, merges and splits them to
/// its own taste.
template <unsigned Table, class Word>
RATCHET_HD constexpr Word lop3(Word a, Word b, Word c) {
  static_assert(Table < 256);
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 4) {
    Word d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(Table));
    return d;
  }
#endif
  Word result = 0;
  for (unsigned index = 0; index < 8; ++index) {
    if ((Table >> index & 1) == 0) continue;
    const Word x = index & 4 ? a : static_cast<Word>(~a);
    const Word y = index & 2 ? b : static_cast<Word>(~b);
    const Word z = index & 1 ? c : static_cast<Word>(~c);
    result = static_cast<Word>(result | (x & y & z));
  }
  return result;
}

inline constexpr unsigned kXor3 = 0b10010110;      ///< the sum bit of a full adder
inline constexpr unsigned kMajority = 0b11101000;  ///< its carry

/// sum + 2 carry = the number of ones among the bits added.
template <class Word>
struct Sum {
  Word sum, carry;
};

template <class Word>
RATCHET_HD constexpr Sum<Word> half_adder(Word a, Word b) {
  return {a ^ b, a & b};
}
template <class Word>
RATCHET_HD constexpr Sum<Word> full_adder(Word a, Word b, Word c) {
  const Word t = a ^ b;
  return {t ^ c, (a & b) | (t & c)};
}
/// A full adder in two LOP3.
template <class Word>
RATCHET_HD constexpr Sum<Word> sum_of(Word a, Word b, Word c) {
  return {lop3<kXor3>(a, b, c), lop3<kMajority>(a, b, c)};
}

/// The text's eight-bit counter: 27 operations of two inputs. The count is 4x + 2(y + z) + ones.
template <class Word>
RATCHET_HD constexpr Word adder_network(const Neighbourhood<Word>& h) {
  const auto [i, l] = full_adder(h.nw, h.n, h.ne);
  const auto [j, m] = full_adder(h.w, h.e, h.sw);
  const auto [k, n] = half_adder(h.s, h.se);
  const auto [ones, y] = full_adder(i, j, k);
  const auto [z, x] = full_adder(l, m, n);
  return static_cast<Word>((h.centre | ones) & (y ^ z) & ~x);
}

/// The text's eleven LOP3, found by hand.
template <class Word>
RATCHET_HD constexpr Word lop3_11(const Neighbourhood<Word>& h) {
  const auto [a8, b0] = sum_of(h.nw, h.n, h.ne);
  const auto [a9, b1] = sum_of(h.w, h.e, h.sw);
  const auto [aA, b2] = sum_of(a8, h.s, h.se);
  const auto [b3, c0] = sum_of(b2, b1, b0);
  // Alive, or an odd number of neighbours; two or three of them in 2 b3 + aA + a9; no more than four.
  const Word parity = lop3<0b11110110>(h.centre, aA, a9);
  const Word two_three = lop3<0b01111000>(b3, aA, a9);
  return lop3<0b01000000>(parity, two_three, c0);
}

/// What the SAT solver of the text's authors found, given the eight neighbours added up as
/// (a9 + aA) + 2 (b0 + b1 + b2).
template <class Word>
RATCHET_HD constexpr Word magic_stage(Word a9, Word aA, Word b0, Word b1, Word b2, Word centre) {
  const Word magic0 = lop3<0b00111110>(a9, aA, centre);
  const Word magic1 = lop3<0b01011011>(magic0, centre, b2);
  const Word magic2 = lop3<0b10010001>(magic1, b1, b0);
  return lop3<0b01011000>(magic2, magic0, magic1);
}

/// The text's ten LOP3: six to add, four by the SAT solver.
template <class Word>
RATCHET_HD constexpr Word lop3_10(const Neighbourhood<Word>& h) {
  const auto [a8, b0] = sum_of(h.nw, h.n, h.ne);
  const auto [a9, b1] = sum_of(h.w, h.e, h.sw);
  const auto [aA, b2] = sum_of(a8, h.s, h.se);
  return magic_stage(a9, aA, b0, b1, b2, h.centre);
}

/// Six of the eight LOP3 a word of strided_8: `before` and `after` are the sums of the three cells
/// on either side of the line a, centre, b (columns or rows), shared with the neighbouring lines.
template <class Word>
RATCHET_HD constexpr Word shared_sums_6(const Sum<Word>& before, Word a, Word centre, Word b,
                                        const Sum<Word>& after) {
  const auto [aA, b2] = sum_of(before.sum, a, b);
  return magic_stage(after.sum, aA, before.carry, after.carry, b2, centre);
}

/// Eight LOP3 a word where every word's own column sum (two of them) serves the columns on both
/// sides: here, for one word alone, the two sums are made anew and it is ten.
template <class Word>
RATCHET_HD constexpr Word strided_8(const Neighbourhood<Word>& h) {
  return shared_sums_6(sum_of(h.nw, h.w, h.sw), h.n, h.centre, h.s, sum_of(h.ne, h.e, h.se));
}

/// Counts the neighbours one after the other.
template <class Word>
struct RippleCounter {
  Word ones, twos, fours, eights;
  /// Seven operations: three half adders and the last digit's XOR.
  RATCHET_HD constexpr void add(Word bit) {
    const auto [s0, c0] = half_adder(ones, bit);
    const auto [s1, c1] = half_adder(twos, c0);
    const auto [s2, c2] = half_adder(fours, c1);
    eights ^= c2;
    ones = s0, twos = s1, fours = s2;
  }
};

/// 59 operations (AND, OR, XOR of two inputs, NOT of one), as many as the text says that the
/// earlier work needs; the text does not print them. Counted as written: 7 neighbours counted at 7
/// operations each, the first is free; then 3 NOT, 5 AND for "exactly three" and "exactly two", and
/// 2 to join them with the cell. Alignment is not counted, nor what a compiler merges.
template <class Word>
RATCHET_HD constexpr Word square_59(const Neighbourhood<Word>& h) {
  RippleCounter<Word> count{h.nw, 0, 0, 0};
  count.add(h.n);
  count.add(h.ne);
  count.add(h.w);
  count.add(h.e);
  count.add(h.sw);
  count.add(h.s);
  count.add(h.se);
  const Word even = ~count.ones, below_four = ~count.fours & ~count.eights;
  const Word three = (count.ones & count.twos) & below_four;
  const Word two = (even & count.twos) & below_four;
  return static_cast<Word>(three | (two & h.centre));
}

}  // namespace ratchet::life
