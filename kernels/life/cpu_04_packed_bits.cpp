// life/cpu/04_packed_bits
// Changed:  one bit a cell, 64 cells in a word; the neighbours are counted by full and half adders
//           made of bitwise operations.
// Why:      an instruction serves 64 cells. It takes more of them: additions no longer count.
// Expected: 27 operations to count and decide, 18 to line the neighbours up, the loads and the
//           store: some 60 instructions for 64 cells, 1 a cell where 03 has 3: 3 times. The text:
//           6.539 G cell updates/s against 4.393 (1.5 times) and 7.033 against 5.065 (1.4 times).
// Source:   Dijkstra and Brouwer, "Back to a Packed Representation Using Bits". The first cell
//           is the lowest bit here, as in a Grid, so the shifts are the mirror image of the text's.

#include "kernels/life/packed/cpu_stage.h"

namespace ratchet::life {
namespace {

struct Bits : GridRows {
  struct Sum {
    Word carry, sum;
  };
  static Sum half_adder(Word a, Word b) { return {a & b, a ^ b}; }
  static Sum full_adder(Word a, Word b, Word c) {
    const Word t = a ^ b;
    return {(a & b) | (t & c), t ^ c};
  }

  /// The neighbours on the left and on the right of the cells of row[i], lined up with them.
  static Word left(const Word* row, std::int64_t i) { return row[i] << 1 | row[i - 1] >> 63; }
  static Word right(const Word* row, std::int64_t i) { return row[i] >> 1 | row[i + 1] << 63; }

  static void advance(const Step<Word>& step) { advance_by_rows<Bits>(step); }

  RATCHET_SCALAR static void step_row(Rows<Word> rows, std::uint64_t width, Word* to) {
    const auto [above, here, below] = rows;
    const auto words = static_cast<std::int64_t>(columns(width));
    for (std::int64_t i = 0; i < words; ++i) {
      const auto [l, p] = full_adder(left(above, i), above[i], right(above, i));
      const auto [m, q] = full_adder(left(here, i), right(here, i), left(below, i));
      const auto [n, r] = half_adder(below[i], right(below, i));
      const auto [y, w] = full_adder(p, q, r);
      const auto [x, z] = full_adder(l, m, n);
      // The count is 4x + 2(y + z) + w: 2 or 3 where y ^ z and not x, and there 3 where w.
      to[i] = (here[i] | w) & (y ^ z) & ~x;
    }
    // What lies beyond the last cell is outside, and dead.
    to[words - 1] &= last_mask(width);
  }
};

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "64 cells in a word, counted by adders of bitwise operations",
                .source = text("Back to a Packed Representation Using Bits"),
                .limit = {"cpu.scalar_ops", 1.2},
                .parameters = common_parameters(4096, 8)}),
    &make_field_universe<Bits>)};

}  // namespace
}  // namespace ratchet::life
