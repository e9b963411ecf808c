// How the stages of life keep their cells: packed bits, nibbles, overlapping columns, strided bit
// planes, and the rows that a warp keeps in registers; a picture for the family's page. Cells that
// are alive are those of one fixed row, so that every panel shows the same universe.
#include <fmt/format.h>

#include <cstdint>

#include "correctness/support/drawing.h"
#include "perf/study/report/plots/drawings.h"

namespace ratchet::life {
namespace {

using nlohmann::json;

using correctness::Drawing;
using correctness::Point;

constexpr double left = 8;

/// The first 128 cells of every panel: bits of the golden ratio.
bool alive(std::uint64_t x) {
  const std::uint64_t word = x < 64 ? 0x9e3779b97f4a7c15u : 0xf39cc0605cedc835u;
  return (word >> x % 64 & 1) != 0;
}

void heading(Drawing& drawing, double y, const char* title, const char* explanation) {
  drawing.text({left, y}, "left", title, 14);
  drawing.text({left, y + 18}, "left", explanation);
}

/// Two words of 64 cells each.
void packed_bits(Drawing& drawing, double y) {
  heading(drawing, y, "Packed bits: 64 cells a word, row after row",
          "Cell x is bit x % 64 of word x / 64. The cells beside a word's ends come from its "
          "neighbours, by shifts.");
  const double size = 6.4, top = y + 44;
  for (std::uint64_t x = 0; x < 128; ++x)
    drawing.rectangle({left + size * static_cast<double>(x), top}, size, 14,
                      alive(x) ? "alive" : "cell");
  for (int word = 0; word < 2; ++word) {
    const double start = left + 64 * size * word;
    drawing.rectangle({start, top}, 64 * size, 14, "word");
    drawing.text({start + 32 * size, top - 5}, "center", fmt::format("word {}", word));
    drawing.text({start, top + 27}, "left", fmt::format("cell {}", 64 * word));
  }
  const double seam = left + 64 * size;
  drawing.arrow({seam - 2, top + 32}, {seam - size / 2, top + 16});
  drawing.text({seam - 8, top + 40}, "right", "left neighbour of cell 64: bit 63 of word 0");
}

/// Two words of 16 cells each, four bits a cell.
void packed_nibbles(Drawing& drawing, double y) {
  heading(drawing, y, "Packed nibbles: 16 cells a word, four bits each",
          "A cell is 0 or 1, and the sum of eight neighbours, at most 8, still fits its nibble: "
          "one addition counts 16 cells.");
  const double size = 6.4, top = y + 44;
  for (std::uint64_t bit = 0; bit < 128; ++bit)
    drawing.rectangle({left + size * static_cast<double>(bit), top}, size, 14,
                      bit % 4 == 3 && alive(bit / 4) ? "alive" : "cell");
  for (std::uint64_t cell = 0; cell < 32; ++cell) {
    const double start = left + 4 * size * static_cast<double>(cell);
    drawing.rectangle({start, top}, 4 * size, 14, "word");
    drawing.text({start + 2 * size, top + 27}, "center", alive(cell) ? "1" : "0");
  }
  for (int word = 0; word < 2; ++word)
    drawing.text({left + (64 * word + 32) * size, top - 5}, "center", fmt::format("word {}", word));
}

/// Three loaded columns of 32 cells, and what of them is right after each step.
void columns(Drawing& drawing, double y) {
  heading(drawing, y, "Overlapping columns: 16 steps on three loaded words (the text's multi-step)",
          "Left and right window hold the middle word and 16 cells of halo on each side; a step "
          "spoils one cell at either end.");
  const double size = 8.4, top = y + 44, step = 7;
  const auto x = [&](int cell) { return left + size * cell; };
  const char* const names[] = {"X", "Y", "Z"};
  for (int word = 0; word < 3; ++word) {
    drawing.rectangle({x(32 * word), top}, 32 * size, 18, word == 1 ? "kept" : "faint");
    drawing.text(
        {x(32 * word + 16), top + 13}, "center",
        fmt::format("loaded {}: cells {} to {}", names[word], 32 * word - 32, 32 * word - 1));
  }
  const double windows = top + 26;
  drawing.rectangle({x(16), windows}, 32 * size, 18, "word");
  drawing.text({x(32), windows + 13}, "center", "left window: 16 of X, 16 of Y");
  drawing.rectangle({x(48), windows}, 32 * size, 18, "word");
  drawing.text({x(64), windows + 13}, "center", "right window: 16 of Y, 16 of Z");
  const double start = windows + 26, end = start + 16 * step;
  for (int done = 0; done < 16; ++done) {
    drawing.rectangle({x(16 + done), start + done * step}, size * (16 - done), step, "halo");
    drawing.rectangle({x(64), start + done * step}, size * (16 - done), step, "halo");
  }
  drawing.rectangle({x(32), start}, 32 * size, end - start, "kept");
  drawing.text({x(48), start + 8 * step}, "center", "still right");
  for (const int done : {0, 8, 16})
    drawing.text({x(82), start + done * step + 4}, "left", fmt::format("after {} steps", done));
  drawing.text({x(48), end + 14}, "center",
               "written back: word Y; likewise 16 rows above and below");
}

/// Eight words of eight bits; the stage has 32 bits a word and many words.
void strided(Drawing& drawing, double y) {
  heading(drawing, y,
          "Strided bit planes: bit i of word j is cell i W + j (drawn: W = 10, 6 of 32 bits)",
          "Both horizontal neighbours of all cells of a word are whole words, j - 1 and j + 1: no "
          "shifts, but at the two ends of a row.");
  constexpr int words = 10, planes = 6;
  const double size = 44, high = 20, top = y + 54, first = left + 60;
  for (int word = 0; word < words; ++word)
    drawing.text({first + size * (word + 0.5), top - 6}, "center", fmt::format("word {}", word));
  for (int plane = 0; plane < planes; ++plane) {
    drawing.text({first - 8, top + high * (plane + 0.7)}, "right", fmt::format("bit {}", plane));
    for (int word = 0; word < words; ++word) {
      const int cell = plane * words + word;
      const Point corner = {first + size * word, top + high * plane};
      drawing.rectangle(corner, size, high, word == 4 ? "kept" : "cell");
      drawing.text({corner.x + size / 2, corner.y + 14}, "center", fmt::format("{}", cell));
    }
  }
  drawing.rectangle({first + 4 * size, top}, size, high * planes, "word");
  for (const int side : {-1, 1})
    drawing.arrow({first + size * (4.5 + 0.4 * side), top + high * planes + 8},
                  {first + size * (4.5 + side), top + high * planes + 8});
  drawing.text({first + size * 4.5, top + high * planes + 26}, "center",
               "neighbours of word 4: words 3 and 5");
  const double right_end = first + size * words;
  drawing.arrow({right_end + 4, top + high * 0.5}, {right_end + 40, top + high * 1.5});
  drawing.text({right_end + 46, top + high * 0.7}, "left", "right of the last word: word 0,");
  drawing.text({right_end + 46, top + high * 1.4}, "left", "one bit plane on (9 | 10)");
}

/// What a warp keeps while it streams down its rows.
void pipeline(Drawing& drawing, double y) {
  heading(drawing, y, "Register pipeline: T generations in one pass down the rows (drawn: T = 4)",
          "A row that arrives completes one row of every later generation. Each level keeps two "
          "rows in registers.");
  constexpr int levels = 4, rows = 9, arriving = 7;
  const double size = 92, high = 18, top = y + 56, first = left + 120;
  for (int level = 0; level <= levels; ++level)
    drawing.text({first + size * level + size / 2 - 8, top - 8}, "center",
                 fmt::format("generation {}", level));
  for (int row = 0; row < rows; ++row) {
    drawing.text({first - 10, top + high * (row + 0.75)}, "right",
                 row == arriving ? "arrives: row 7" : fmt::format("row {}", row));
    for (int level = 0; level <= levels; ++level) {
      const int newest = arriving - level;  // of this generation
      const bool written = level == levels && row == newest;
      const bool kept = level < levels && row <= newest && row > newest - 3;
      drawing.rectangle({first + size * level, top + high * row}, size - 16, high,
                        written ? "halo"
                        : kept  ? "kept"
                                : "faint");
      if (kept && level < levels)
        drawing.text({first + size * level + size / 2 - 8, top + high * (row + 0.75)}, "center",
                     row == newest       ? "b"
                     : row == newest - 1 ? "c"
                                         : "t");
      if (written)
        drawing.text({first + size * level + size / 2 - 8, top + high * (row + 0.75)}, "center",
                     "written");
    }
  }
  for (int level = 0; level < levels; ++level)
    drawing.arrow({first + size * level + size - 16, top + high * (arriving - level - 0.5)},
                  {first + size * (level + 1), top + high * (arriving - level - 0.5)});
  const double notes = first + size * (levels + 1) + 8;
  drawing.text({notes, top + 3 * high}, "left", "rows t, c and b (above, middle, below)");
  drawing.text({notes, top + 4 * high}, "left", "of one generation make row c");
  drawing.text({notes, top + 5 * high}, "left", "of the next; c and b stay, as t");
  drawing.text({notes, top + 6 * high}, "left", "and c of the row that arrives next");
}

json layouts() {
  Drawing drawing;
  packed_bits(drawing, 20);
  packed_nibbles(drawing, 132);
  columns(drawing, 242);
  strided(drawing, 494);
  pipeline(drawing, 730);
  return drawing.spec("How the stages keep their cells", 840, 966);
}

const report::PictureRegistration registered{"life", "layouts", &layouts};

}  // namespace
}  // namespace ratchet::life
