#include "correctness/life/oracles/oracle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "correctness/support/binomial_law.h"
#include "correctness/support/data_file.h"
#include "kernels/contract/parameters.h"
#include "kernels/life/pattern/pattern_file.h"
#include "perf/support/error.h"

namespace ratchet::life {
namespace {

using Word = std::uint64_t;

/// The grid with a word more at both ends of every row and a row more above and below. What lies
/// beyond the border is in the bits next to it. These are bit 63 of the word before, and the bit
/// after the last cell (padding, or bit 0 of the next word).
class Framed {
 public:
  Framed(std::uint64_t width, std::uint64_t height)
      : width_(width),
        height_(height),
        stride_((width + 63) / 64 + 2),
        words_(stride_ * (height + 2)) {}

  /// Row y, from -1 to height; [0] is the first word of cells.
  Word* row(std::int64_t y) {
    return words_.data() + static_cast<std::uint64_t>(y + 1) * stride_ + 1;
  }
  std::uint64_t words_per_row() const { return stride_ - 2; }

  void set_frame(Edge edge) {
    const std::uint64_t last = width_ - 1;
    const auto height = static_cast<std::int64_t>(height_);
    for (std::int64_t y = 0; y < height; ++y) {
      Word* cells = row(y);
      const bool torus = edge == Edge::torus;
      const Word first_cell = torus ? cells[0] & 1 : 0;
      const Word last_cell = torus ? cells[last / 64] >> last % 64 & 1 : 0;
      cells[-1] = last_cell << 63;
      if (width_ % 64 == 0)
        cells[width_ / 64] = first_cell;
      else
        cells[width_ / 64] |= first_cell << width_ % 64;
    }
    const auto copy = [&](std::int64_t from, std::int64_t to) {
      if (edge == Edge::torus)
        std::copy_n(row(from) - 1, stride_, row(to) - 1);
      else
        std::fill_n(row(to) - 1, stride_, 0);
    };
    copy(height - 1, -1);
    copy(0, height);
  }

 private:
  std::uint64_t width_, height_, stride_;
  std::vector<Word> words_;
};

/// Ones and twos of the count of live cells in a row of three.
struct Count {
  Word ones, twos;
};

/// One row of the next generation from the three around it.
void next_row(const Word* above, const Word* row, const Word* below, Word* next,
              std::uint64_t words, Word last_mask) {
  const auto west = [](const Word* r, std::uint64_t w) { return r[w] << 1 | *(r + w - 1) >> 63; };
  const auto east = [](const Word* r, std::uint64_t w) { return r[w] >> 1 | r[w + 1] << 63; };
  for (std::uint64_t w = 0; w < words; ++w) {
    const auto three = [&](const Word* r) {
      const Word a = west(r, w), b = r[w], c = east(r, w);
      return Count{a ^ b ^ c, (a & b) | (a & c) | (b & c)};
    };
    const Count up = three(above), down = three(below);
    const Word a = west(row, w), c = east(row, w);
    const Count beside{a ^ c, a & c};
    const Word ones = up.ones ^ down.ones ^ beside.ones;
    const Word carry = (up.ones & down.ones) | (up.ones & beside.ones) | (down.ones & beside.ones);
    // Two or three neighbours: exactly one of the four twos.
    const Word odd = up.twos ^ down.twos ^ beside.twos ^ carry;
    const Word one_two = odd & ~((up.twos & down.twos) | (beside.twos & carry));
    next[w] = one_two & (ones | row[w]);
  }
  next[words - 1] &= last_mask;
}

}  // namespace

Grid oracle_run(const Grid& start, std::uint64_t generations, Edge edge) {
  const std::uint64_t words = start.words_per_row();
  Framed now(start.width(), start.height()), next = now;
  for (std::uint64_t y = 0; y < start.height(); ++y)
    std::copy_n(start.row(y), words, now.row(static_cast<std::int64_t>(y)));
  for (std::uint64_t generation = 0; generation < generations; ++generation) {
    now.set_frame(edge);
    for (std::int64_t y = 0; y < static_cast<std::int64_t>(start.height()); ++y)
      next_row(now.row(y - 1), now.row(y), now.row(y + 1), next.row(y), words,
               start.last_word_mask());
    std::swap(now, next);
  }
  Grid end(start.width(), start.height());
  for (std::uint64_t y = 0; y < end.height(); ++y)
    std::copy_n(now.row(static_cast<std::int64_t>(y)), words, end.row(y));
  return end;
}

namespace {

using Fields = std::vector<std::string>;

/// Calls `take` with the fields of each line but comments and the line of names.
void for_each_line(const std::string& name, std::size_t fields,
                   const std::function<void(const Fields&, const std::string&)>& take) {
  const std::string path = correctness::data_file(name);
  std::ifstream file = correctness::open_data_file(name);
  bool names_seen = false;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::string where = path + ":" + std::to_string(number);
    Fields values;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');) values.push_back(part);
    if (values.size() != fields)
      throw Error(where + ": " + std::to_string(fields) + " fields expected, found " +
                  std::to_string(values.size()));
    if (names_seen) take(values, where);
    names_seen = true;
  }
}

/// The file gives runs without a header: of no more than 100 x 100 cells.
Grid pattern_of(const std::string& runs, const std::string& where) {
  const Grid page = parse_pattern("x = 100, y = 100\n" + runs, where);
  const Box box = bounding_box(page);
  Grid pattern(box.width, box.height);
  for (std::uint64_t y = 0; y < box.height; ++y)
    for (std::uint64_t x = 0; x < box.width; ++x) pattern.set(x, y, page.at(box.x + x, box.y + y));
  return pattern;
}

std::int64_t parse_signed(const std::string& text, const std::string& where) {
  const bool negative = text.starts_with('-');
  const auto size = static_cast<std::int64_t>(parse_unsigned(text.substr(negative), where));
  return negative ? -size : size;
}

std::uint64_t margin_of(const KnownPattern& known) { return known.generation / 4 + 40; }

/// Live cells from column `begin` to before `end` of row y.
std::uint64_t live_between(const Grid& grid, std::uint64_t y, std::uint64_t begin,
                           std::uint64_t end) {
  std::uint64_t count = 0;
  while (begin < end) {
    const std::uint64_t bits = std::min<std::uint64_t>(64 - begin % 64, end - begin);
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    count +=
        static_cast<std::uint64_t>(std::popcount(grid.row(y)[begin / 64] >> begin % 64 & mask));
    begin += bits;
  }
  return count;
}

}  // namespace

std::vector<KnownPattern> read_known_patterns() {
  std::vector<KnownPattern> known;
  for_each_line("life/oracles/known.tsv", 7, [&](const Fields& values, const std::string& where) {
    KnownPattern pattern{values[0], pattern_of(values[1], where), parse_unsigned(values[2], where),
                         parse_unsigned(values[3], where)};
    known.push_back(std::move(pattern));
  });
  for_each_line("life/oracles/boxes.tsv", 6, [&](const Fields& values, const std::string& where) {
    const std::uint64_t generation = parse_unsigned(values[1], where);
    const auto pattern = std::find_if(known.begin(), known.end(), [&](const KnownPattern& each) {
      return each.name == values[0] && each.generation == generation;
    });
    if (pattern == known.end()) throw Error(where + ": no such pattern in known.tsv");
    pattern->x = parse_signed(values[2], where);
    pattern->y = parse_signed(values[3], where);
    pattern->width = parse_unsigned(values[4], where);
    pattern->height = parse_unsigned(values[5], where);
  });
  return known;
}

Grid on_a_plane(const KnownPattern& known) {
  const std::uint64_t margin = margin_of(known);
  return placed(known.pattern, known.pattern.width() + 2 * margin,
                known.pattern.height() + 2 * margin, margin, margin);
}

Box box_on_a_plane(const KnownPattern& known) {
  if (known.width == 0) return {};
  const auto margin = static_cast<std::int64_t>(margin_of(known));
  return {static_cast<std::uint64_t>(margin + known.x),
          static_cast<std::uint64_t>(margin + known.y), known.width, known.height};
}

std::vector<KnownTorus> read_known_tori() {
  std::vector<KnownTorus> known;
  for_each_line(
      "life/oracles/torus_checksums.tsv", 7, [&](const Fields& values, const std::string& where) {
        std::array<std::uint64_t, 5> numbers;
        for (std::size_t i = 0; i < numbers.size(); ++i)
          numbers[i] = parse_unsigned(values[i], where);
        known.push_back({numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], values[5]});
      });
  return known;
}

namespace {

/// std::mt19937, but with words of 32 bits, which is twice as fast here.
using Twister =
    std::mersenne_twister_engine<std::uint32_t, 32, 624, 397, 31, 0x9908b0df, 11, 0xffffffff, 7,
                                 0x9d2c5680, 15, 0xefc60000, 18, 1812433253>;

/// Whether (low + 2^32 high) / 2^64, in double precision, is at most 0.2.
bool is_alive(std::uint32_t low, std::uint32_t high) {
  constexpr std::uint32_t kFifth = 858993459;  // of 2^32, rounded down
  if (high != kFifth) return high < kFifth;
  return (static_cast<double>(low) + static_cast<double>(high) * 0x1p32) * 0x1p-64 <= 0.2;
}

}  // namespace

Grid start_of(const KnownTorus& known) {
  Twister random(static_cast<std::uint32_t>(known.seed));
  Grid grid(known.width, known.height);
  for (std::uint64_t y = 0; y < known.height; ++y)
    for (std::uint64_t x = 0; x < known.width; ++x) {
      const std::uint32_t low = random(), high = random();
      grid.row(y)[x / 64] |= std::uint64_t{is_alive(low, high)} << x % 64;
    }
  return grid;
}

std::string tile_checksum(const Grid& grid) {
  const std::uint64_t width = (grid.width() + 3) / 4, height = (grid.height() + 3) / 4;
  std::string checksum;
  for (std::uint64_t tile = 0; tile < 16; ++tile) {
    std::uint64_t count = 0;
    const std::uint64_t begin = tile % 4 * width, end = std::min(begin + width, grid.width());
    for (std::uint64_t y = tile / 4 * height; y < std::min((tile / 4 + 1) * height, grid.height());
         ++y)
      count += live_between(grid, y, begin, end);
    checksum.append(tile ? "-" : "").append(std::to_string(count));
  }
  return checksum;
}

}  // namespace ratchet::life
