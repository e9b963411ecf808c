// How the stages of life keep their cells: packed bits, nibbles, overlapping columns, strided bit
// planes, and the rows that a warp keeps in registers; a picture for the family's page. Cells that
// are alive are those of one fixed row, so that every panel shows the same universe.
#include <fmt/format.h>

#include <cstdint>

#include "perf/report/pictures.h"
#include "perf/support/svg.h"

namespace ratchet::life {
namespace {

using svg::Drawing;
using svg::Point;

constexpr double width = 900, left = 40;

constexpr const char* style =
    ".cell{fill:#fff;stroke:#bbb}.alive{fill:#0072b2;stroke:#bbb}.word{fill:none;stroke:#222;"
    "stroke-width:1.5}.halo{fill:#f4d9c6;stroke:#222}.kept{fill:#cfe3f1;stroke:#222}"
    ".faint{fill:#f4f4f4;stroke:#bbb}.arrow{stroke:#d55e00;stroke-width:1.5;fill:none}"
    ".small{font-size:10px}.note{fill:#555}";

constexpr const char* small = " class=\"small\"";
constexpr const char* note = " class=\"note\"";

/// The first 128 cells of every panel: bits of the golden ratio.
bool alive(std::uint64_t x) {
  const std::uint64_t word = x < 64 ? 0x9e3779b97f4a7c15u : 0xf39cc0605cedc835u;
  return (word >> x % 64 & 1) != 0;
}

void heading(Drawing& drawing, double y, const char* title, const char* explanation) {
  drawing.text({left, y}, "start", title, " class=\"title\"");
  drawing.text({left, y + 18}, "start", explanation, note);
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
    drawing.text({start + 32 * size, top - 5}, "middle", fmt::format("word {}", word), small);
    drawing.text({start, top + 27}, "start", fmt::format("cell {}", 64 * word), small);
  }
  const double seam = left + 64 * size;
  drawing.arrow({seam - 2, top + 32}, {seam - size / 2, top + 16}, "arrow");
  drawing.text({seam - 8, top + 40}, "end", "left neighbour of cell 64: bit 63 of word 0", small);
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
    drawing.text({start + 2 * size, top + 27}, "middle", alive(cell) ? "1" : "0", small);
  }
  for (int word = 0; word < 2; ++word)
    drawing.text({left + (64 * word + 32) * size, top - 5}, "middle", fmt::format("word {}", word),
                 small);
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
        {x(32 * word + 16), top + 13}, "middle",
        fmt::format("loaded {}: cells {} to {}", names[word], 32 * word - 32, 32 * word - 1),
        small);
  }
  const double windows = top + 26;
  drawing.rectangle({x(16), windows}, 32 * size, 18, "word");
  drawing.text({x(32), windows + 13}, "middle", "left window: 16 of X, 16 of Y", small);
  drawing.rectangle({x(48), windows}, 32 * size, 18, "word");
  drawing.text({x(64), windows + 13}, "middle", "right window: 16 of Y, 16 of Z", small);
  const double start = windows + 26, end = start + 16 * step;
  drawing.polygon({{x(16), start}, {x(80), start}, {x(64), end}, {x(32), end}}, "halo");
  drawing.polygon({{x(32), start}, {x(64), start}, {x(64), end}, {x(32), end}}, "kept");
  drawing.text({x(48), start + 8 * step}, "middle", "still right", small);
  for (const int done : {0, 8, 16})
    drawing.text({x(82), start + done * step + 4}, "start", fmt::format("after {} steps", done),
                 small);
  drawing.text({x(48), end + 14}, "middle",
               "written back: word Y; likewise 16 rows above and below", small);
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
    drawing.text({first + size * (word + 0.5), top - 6}, "middle", fmt::format("word {}", word),
                 small);
  for (int plane = 0; plane < planes; ++plane) {
    drawing.text({first - 8, top + high * (plane + 0.7)}, "end", fmt::format("bit {}", plane),
                 small);
    for (int word = 0; word < words; ++word) {
      const int cell = plane * words + word;
      const Point corner = {first + size * word, top + high * plane};
      drawing.rectangle(corner, size, high, word == 4 ? "kept" : "cell");
      drawing.text({corner.x + size / 2, corner.y + 14}, "middle", fmt::format("{}", cell), small);
    }
  }
  drawing.rectangle({first + 4 * size, top}, size, high * planes, "word");
  for (const int side : {-1, 1})
    drawing.arrow({first + size * (4.5 + 0.4 * side), top + high * planes + 8},
                  {first + size * (4.5 + side), top + high * planes + 8}, "arrow");
  drawing.text({first + size * 4.5, top + high * planes + 26}, "middle",
               "neighbours of word 4: words 3 and 5", small);
  const double right_end = first + size * words;
  drawing.arrow({right_end + 4, top + high * 0.5}, {right_end + 40, top + high * 1.5}, "arrow");
  drawing.text({right_end + 46, top + high * 0.7}, "start", "right of the last word: word 0,",
               small);
  drawing.text({right_end + 46, top + high * 1.4}, "start", "one bit plane on (9 | 10)", small);
}

/// What a warp keeps while it streams down its rows.
void pipeline(Drawing& drawing, double y) {
  heading(drawing, y, "Register pipeline: T generations in one pass down the rows (drawn: T = 4)",
          "A row that arrives completes one row of every later generation. Each level keeps two "
          "rows in registers.");
  constexpr int levels = 4, rows = 9, arriving = 7;
  const double size = 92, high = 18, top = y + 56, first = left + 120;
  for (int level = 0; level <= levels; ++level)
    drawing.text({first + size * level + size / 2 - 8, top - 8}, "middle",
                 fmt::format("generation {}", level), small);
  for (int row = 0; row < rows; ++row) {
    drawing.text({first - 10, top + high * (row + 0.75)}, "end",
                 row == arriving ? "arrives: row 7" : fmt::format("row {}", row), small);
    for (int level = 0; level <= levels; ++level) {
      const int newest = arriving - level;  // of this generation
      const bool written = level == levels && row == newest;
      const bool kept = level < levels && row <= newest && row > newest - 3;
      drawing.rectangle({first + size * level, top + high * row}, size - 16, high,
                        written ? "halo"
                        : kept  ? "kept"
                                : "faint");
      if (kept && level < levels)
        drawing.text({first + size * level + size / 2 - 8, top + high * (row + 0.75)}, "middle",
                     row == newest       ? "b"
                     : row == newest - 1 ? "c"
                                         : "t",
                     small);
      if (written)
        drawing.text({first + size * level + size / 2 - 8, top + high * (row + 0.75)}, "middle",
                     "written", small);
    }
  }
  for (int level = 0; level < levels; ++level)
    drawing.arrow({first + size * level + size - 16, top + high * (arriving - level - 0.5)},
                  {first + size * (level + 1), top + high * (arriving - level - 0.5)}, "arrow");
  const double notes = first + size * (levels + 1) + 8;
  drawing.text({notes, top + 3 * high}, "start", "rows t, c and b (above, middle, below)", small);
  drawing.text({notes, top + 4 * high}, "start", "of one generation make row c", small);
  drawing.text({notes, top + 5 * high}, "start", "of the next; c and b stay, as t", small);
  drawing.text({notes, top + 6 * high}, "start", "and c of the row that arrives next", small);
}

std::string layouts() {
  Drawing drawing(width, 978, style);
  packed_bits(drawing, 28);
  packed_nibbles(drawing, 140);
  columns(drawing, 250);
  strided(drawing, 502);
  pipeline(drawing, 738);
  return drawing.document();
}

const report::PictureRegistration registered{"life", "layouts.svg", &layouts};

}  // namespace
}  // namespace ratchet::life
