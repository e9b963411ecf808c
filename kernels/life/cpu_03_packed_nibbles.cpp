// life/cpu/03_packed_nibbles
// Changed:  four bits a cell, 16 cells in a word, the first in the highest nibble. Words above and
//           below, and words shifted by a nibble, line the neighbours up; one addition then counts
//           a neighbour of 16 cells, and five operations on the counts apply the rules.
// Why:      an instruction serves 16 cells.
// Expected: some 50 instructions for 16 cells, 3 a cell where 01 has 20: 6 times. The text: 4.393
//           G cell updates/s against 0.219 (20 times) and 5.065 against 0.282 (18 times).
//           In fact far more: no branch depends on cells any longer.
// Source:   Dijkstra and Brouwer, "A Packed Representation Using Nibbles". The text prints
//           `right` as a copy of `left`; here it is (here[i] << 4) | (here[i + 1] >> 60).

#include "kernels/life/packed/cpu_stage.h"

namespace ratchet::life {
namespace {

struct Nibbles {
  using Word = std::uint64_t;
  static constexpr Word kCells = 0x1111'1111'1111'1111;

  static std::uint64_t columns(std::uint64_t width) { return (width + 15) / 16; }
  static unsigned shift(std::uint64_t x) { return 60 - 4 * static_cast<unsigned>(x % 16); }

  static void pack(const std::uint64_t* bits, std::uint64_t width, Word* row) {
    for (std::uint64_t x = 0; x < width; ++x)
      row[x / 16] |= (bits[x / 64] >> x % 64 & 1) << shift(x);
  }
  static void unpack(const Word* row, std::uint64_t width, std::uint64_t* bits) {
    for (std::uint64_t x = 0; x < width; ++x)
      bits[x / 64] |= (row[x / 16] >> shift(x) & 1) << x % 64;
  }

  /// The neighbours on the left and on the right of the cells of row[i], lined up with them.
  static Word left(const Word* row, std::int64_t i) { return row[i] >> 4 | row[i - 1] << 60; }
  static Word right(const Word* row, std::int64_t i) { return row[i] << 4 | row[i + 1] >> 60; }

  static void advance(const Step<Word>& step) { advance_by_rows<Nibbles>(step); }

  RATCHET_SCALAR static void step_row(Rows<Word> rows, std::uint64_t width, Word* to) {
    const auto [above, here, below] = rows;
    const auto words = static_cast<std::int64_t>(columns(width));
    for (std::int64_t i = 0; i < words; ++i) {
      const Word count = left(above, i) + above[i] + right(above, i) + left(here, i) +
                         right(here, i) + left(below, i) + below[i] + right(below, i);
      Word result = here[i] | count;  // bit 0: alive, or an odd count
      result &= count >> 1;           // of these the counts 2, 3, 6 and 7
      result &= ~(count >> 2);        // but 4 to 7
      result &= ~(count >> 3);        // and but 8: 3, or alive and 2
      to[i] = result & kCells;
    }
    // What lies beyond the last cell is outside, and dead.
    to[words - 1] &= ~Word{0} << 4 * (16 * columns(width) - width);
  }
};

const Registration registered{
    std::make_unique<CpuStage>(stage_info({.name = RATCHET_STAGE,
                                           .summary = "16 cells in a word, counted by additions",
                                           .source = text("A Packed Representation Using Nibbles"),
                                           .limit = {"cpu.scalar_ops", 3.43},
                                           .parameters = common_parameters(4096, 4)}),
                               &make_field_universe<Nibbles>)};

}  // namespace
}  // namespace ratchet::life
