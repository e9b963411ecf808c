// Points of the unit circle, a vector of them. Included like cpu_vector_walk-inl.h, after it.

/// Sine and cosine of pi/4 q, |q| < 1, by the least relative error: 3e-9 and 3e-8.
HWY_INLINE void half_octant(Row q, Row& sine, Row& cosine) {
  const Floats f;
  const Row q2 = hn::Mul(q, q);
  constexpr float kS[] = {0.785398161f, -0.0807454325f, 0.00249000103f, -3.59504581e-05f};
  constexpr float kC[] = {0.999999967f, -0.308424166f, 0.0158496845f, -0.000318728066f};
  Row s = hn::Set(f, kS[3]), c = hn::Set(f, kC[3]);
  for (int i = 2; i >= 0; --i) {
    s = hn::MulAdd(s, q2, hn::Set(f, kS[i]));
    c = hn::MulAdd(c, q2, hn::Set(f, kC[i]));
  }
  sine = hn::Mul(s, q);
  cosine = c;
}

/// A point of the unit circle: the quarter about the first axis by the high bits of a word, then a
/// turn onto the second axis and a change of the sign by two of the nine that are left.
HWY_INLINE void circle(hn::Vec<Words32> word, Row& x, Row& y) {
  const Floats f;
  const Words32 bits;
  Row sine, cosine;
  half_octant(RowWords::centred(word, 0x1p-22f), sine, cosine);
  const auto turned = hn::TestBit(word, hn::Set(bits, 0x100u));
  const auto sign = hn::And(hn::ShiftLeft<24>(word), hn::Set(bits, 0x80000000u));  // bit 7
  cosine = hn::BitCast(f, hn::Xor(hn::BitCast(bits, cosine), sign));
  const auto swap = hn::RebindMask(f, turned);
  x = hn::IfThenElse(swap, sine, cosine);
  y = hn::IfThenElse(swap, cosine, sine);
}
