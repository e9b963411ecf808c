// life/cpu/02_packed_bits_by_cell
// Changed:  64 cells in a word; each is fetched by a shift and a mask, and still handled alone.
// Why:      an eighth of the memory.
// Expected: slower than 01, as the text says: three instructions where there was one load, nine
//           times a cell. The field of 01 fits the third-level cache anyway, so nothing is won.
// Source:   Dijkstra and Brouwer, "A Packed Representation Using Bits".

#include "kernels/life/packed/cpu_stage.h"

namespace ratchet::life {
namespace {

struct BitsByCell : GridRows {
  /// Cell `x` of a row, as 0 or 1. Cells -1 and `width` are dead: they lie in the ring or in the
  /// padding.
  static unsigned cell(const Word* row, std::int64_t x) { return row[x >> 6] >> (x & 63) & 1; }

  static void advance(const Step<Word>& step) { advance_by_rows<BitsByCell>(step); }

  RATCHET_SCALAR static void step_row(Rows<Word> rows, std::uint64_t width, Word* to) {
    const auto [above, here, below] = rows;
    std::fill_n(to, columns(width), Word{0});
    for (std::int64_t x = 0; x < static_cast<std::int64_t>(width); ++x) {
      const unsigned neighbours = cell(above, x - 1) + cell(above, x) + cell(above, x + 1) +
                                  cell(here, x - 1) + cell(here, x + 1) + cell(below, x - 1) +
                                  cell(below, x) + cell(below, x + 1);
      const bool alive = cell(here, x) != 0;
      const Word next = neighbours == 3 || (alive && neighbours == 2) ? 1 : 0;
      to[x >> 6] |= next << (x & 63);
    }
  }
};

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "64 cells in a word, each fetched by a shift and a mask",
                .source = text("A Packed Representation Using Bits"),
                .limit = {"cpu.scalar_ops", 66},
                .parameters = common_parameters(4096, 1)}),
    &make_field_universe<BitsByCell>)};

}  // namespace
}  // namespace ratchet::life
