// life/cpu/01_trivial
// Changed:  the first stage: one byte a cell, two grids whose roles are swapped after each
//           generation, the rules as they are told. A ring of dead bytes stands for the outside, so
//           that no cell asks where the border is. With "copy_back" the article's other way, less
//           efficient by its words: the second grid is copied back to the first.
// Why:      the yardstick of all that follows.
// Expected: nine loads and some ten additions and comparisons a cell: 20 instructions, 4 or 5
//           cycles, 0.9 G cell updates/s. The text: 0.219 to 0.378 G.
//           In fact slower: the rules are branches, and those of a random start are not foreseen.
// Source:   Dijkstra and Brouwer, "Trivial simulation".

#include "kernels/life/packed/cpu_stage.h"

namespace ratchet::life {
namespace {

struct Bytes {
  using Word = std::uint8_t;
  static std::uint64_t columns(std::uint64_t width) { return width; }

  static void pack(const std::uint64_t* bits, std::uint64_t width, Word* row) {
    for (std::uint64_t x = 0; x < width; ++x) row[x] = bits[x / 64] >> x % 64 & 1;
  }
  static void unpack(const Word* row, std::uint64_t width, std::uint64_t* bits) {
    for (std::uint64_t x = 0; x < width; ++x) bits[x / 64] |= std::uint64_t{row[x]} << x % 64;
  }

  static void advance(const Step<Word>& step) { advance_by_rows<Bytes>(step); }

  RATCHET_SCALAR static void step_row(Rows<Word> rows, std::uint64_t width, Word* to) {
    const auto [above, here, below] = rows;
    for (std::int64_t x = 0; x < static_cast<std::int64_t>(width); ++x) {
      const int neighbours = above[x - 1] + above[x] + above[x + 1] + here[x - 1] + here[x + 1] +
                             below[x - 1] + below[x] + below[x + 1];
      const bool alive = here[x] != 0;
      to[x] = neighbours == 3 || (alive && neighbours == 2) ? 1 : 0;
    }
  }
};

/// In two fields, of which the second is copied back to the first in each generation.
class CopiedBack final : public Universe {
 public:
  CopiedBack(const Parameters& parameters, const Grid& start)
      : width_(start.width()),
        height_(start.height()),
        steps_(parameters.at("steps")),
        field_(width_, height_),
        next_(width_, height_) {
    for (std::uint64_t y = 0; y < height_; ++y)
      Bytes::pack(start.row(y), width_, field_.row(static_cast<std::int64_t>(y)));
  }
  void run() override {
    for (std::uint64_t step = 0; step < steps_; ++step) {
      Bytes::advance({field_, next_, width_, 0, height_});
      for (std::int64_t y = 0; y < static_cast<std::int64_t>(height_); ++y)
        std::copy_n(next_.row(y), width_, field_.row(y));
    }
  }
  std::uint64_t units() const override { return width_ * height_ * steps_; }
  Grid collect() override {
    Grid grid(width_, height_);
    for (std::uint64_t y = 0; y < height_; ++y)
      Bytes::unpack(field_.row(static_cast<std::int64_t>(y)), width_, grid.row(y));
    return grid;
  }

 private:
  std::uint64_t width_, height_, steps_;
  Field<Bytes::Word> field_, next_;
};

std::unique_ptr<Universe> make_universe(const Parameters& parameters, const Grid& start) {
  if (parameters.at("copy_back") == 1) return std::make_unique<CopiedBack>(parameters, start);
  return make_field_universe<Bytes>(parameters, start);
}

const Registration registered{std::make_unique<CpuStage>(
    stage_info(
        {.name = RATCHET_STAGE,
         .summary = "One byte a cell, neighbours counted one by one",
         .source = text("Trivial simulation"),
         .limit = {"cpu.scalar_ops", 26},
         .parameters = common_parameters(
             4096, 1, {{"copy_back", 0, 0, 1, "1: the second grid is copied back, not swapped"}}),
         .survey = {{{"copy_back", 1}}}}),
    &make_universe)};

}  // namespace
}  // namespace ratchet::life
