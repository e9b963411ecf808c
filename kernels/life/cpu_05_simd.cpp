// life/cpu/05_simd
// Changed:  the operations of 04 on vectors, as wide as the machine's. A register cannot be shifted
//           as a whole: all its lanes are, and the bits that cross from lane to lane follow by
//           rotating the lanes.
// Why:      an instruction serves 512 cells with AVX-512, 256 with AVX2.
// Expected: eight times the cells of 04 to an instruction, but a shift by one is eight operations
//           instead of three: 27 + 48 of them for 512 cells. Four issue in a cycle: 20 cycles, 100
//           G cell updates/s, 8 times 04. The text: 22.6 G against 6.539 (3.5 times), 27.875
//           against 7.033 (4 times), with 256 bits.
//           In fact less: the compiler merges pairs of logic operations, and 61 are left, of which
//           30 are shifts and rotations.
// Source:   Dijkstra and Brouwer, "Embracing the Spectacle of Parallelism Using SIMD and
//           Multi-Threading".

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/life/cpu_05_simd.cpp"
#include "hwy/foreach_target.h"
#include "kernels/life/packed/cpu_shift-inl.h"
#include "kernels/life/packed/cpu_simd.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::life::HWY_NAMESPACE {
namespace {

struct Sum {
  Vector carry, sum;
};
HWY_INLINE Sum half_adder(Vector a, Vector b) { return {hn::And(a, b), hn::Xor(a, b)}; }
HWY_INLINE Sum full_adder(Vector a, Vector b, Vector c) {
  const Vector t = hn::Xor(a, b);
  return {hn::Or(hn::And(a, b), hn::And(t, c)), hn::Xor(t, c)};
}

/// A vector of a row, and the neighbours of its cells on the left and on the right, lined up.
struct Aligned {
  Vector left, middle, right;
};
HWY_INLINE Aligned aligned(const std::uint64_t* words, const RegisterShift& shift) {
  const Tag tag;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(tag));
  const Vector middle = hn::Load(tag, words);
  return {shift.up(middle, hn::Load(tag, words - lanes)), middle,
          shift.down(middle, hn::Load(tag, words + lanes))};
}

HWY_INLINE Vector next_of(const Aligned& above, const Aligned& here, const Aligned& below) {
  const auto [l, p] = full_adder(above.left, above.middle, above.right);
  const auto [m, q] = full_adder(here.left, here.right, below.left);
  const auto [n, r] = half_adder(below.middle, below.right);
  const auto [y, w] = full_adder(p, q, r);
  const auto [x, z] = full_adder(l, m, n);
  return hn::AndNot(x, hn::And(hn::Or(here.middle, w), hn::Xor(y, z)));
}

void simd_rows(const Step<std::uint64_t>& step) {
  const RegisterShift shift;
  const std::uint64_t lanes = hn::Lanes(Tag()), columns = step.now.columns();
  for (std::uint64_t y = step.first; y < step.last; ++y) {
    const auto [above, here, below] = rows_around(step.now, y);
    std::uint64_t* to = step.next.row(static_cast<std::int64_t>(y));
    for (std::uint64_t i = 0; i < columns; i += lanes)
      hn::Store(
          next_of(aligned(above + i, shift), aligned(here + i, shift), aligned(below + i, shift)),
          Tag(), to + i);
    // What lies beyond the last cell is outside, and dead. Only its next neighbour can have come
    // alive: at most one word further.
    to[columns - 1] &= GridRows::last_mask(step.width);
    to[columns] = 0;
  }
}

}  // namespace
}  // namespace ratchet::life::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::life {

HWY_EXPORT(simd_rows);

void SimdRows::advance(const Step<std::uint64_t>& step) { HWY_DYNAMIC_DISPATCH(simd_rows)(step); }

namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info(
        {.name = RATCHET_STAGE,
         .summary = "The adders of 04 on vectors, run-time dispatched",
         .source = text("Embracing the Spectacle of Parallelism Using SIMD and Multi-Threading"),
         .limit = {"cpu.vector_ops", kSimdOpsPerCell},
         .parameters = common_parameters(4096, 64)}),
    &make_field_universe<SimdRows>)};

}  // namespace
}  // namespace ratchet::life
#endif  // HWY_ONCE
