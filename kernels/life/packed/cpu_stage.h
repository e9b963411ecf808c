// What the CPU stages of life share: the padded field of the row-by-row stages, the universe that
// steps between two of them, and the stage itself.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/life/life.h"
#include "kernels/life/packed/cpu_pool.h"

namespace ratchet::life {

/// A CPU stage: its facts and the function that makes its universes. Its limit is
/// "cpu.scalar_ops", all instructions executed for a cell, or "cpu.vector_ops", operations on
/// 64-bit lanes with AVX-512, loads, stores and moves left out. Both peaks are of one core; for
/// stages with threads they are multiplied by the cores used.
class CpuStage final : public LifeStage {
 public:
  using Make = std::unique_ptr<Universe> (*)(const Parameters&, const Grid& start);
  CpuStage(StageInfo info, Make make) : LifeStage(std::move(info)), make_(make) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return make_(parameters, start);
  }

 private:
  Make make_;
};

/// `count` zeros, aligned for vectors. Throws `Error` when the memory is refused.
template <class Word>
hwy::AlignedFreeUniquePtr<Word[]> aligned_zeros(std::uint64_t count);

/// rows x columns words inside a ring of zeros that is never written: one row above and below, one
/// cache line of words on either side. Rows start on a cache line, and what lies between the last
/// column and the next line is zero too.
template <class Word>
class Field {
 public:
  static constexpr std::uint64_t kLine = 64 / sizeof(Word);

  /// Throws `Error` when the memory is refused.
  Field(std::uint64_t columns, std::uint64_t rows)
      : columns_(columns),
        stride_((columns + kLine - 1) / kLine * kLine + kLine),
        words_(aligned_zeros<Word>((rows + 2) * stride_ + kLine)) {}

  std::uint64_t columns() const { return columns_; }
  /// Row y, from -1 to `rows`; columns -1 and columns() are zeros of the ring.
  Word* row(std::int64_t y) { return words_.get() + offset(y); }
  const Word* row(std::int64_t y) const { return words_.get() + offset(y); }

 private:
  std::uint64_t offset(std::int64_t y) const {
    return static_cast<std::uint64_t>(y + 1) * stride_ + kLine;
  }
  std::uint64_t columns_, stride_;
  hwy::AlignedFreeUniquePtr<Word[]> words_;
};

/// Three neighbouring rows of a field.
template <class Word>
struct Rows {
  const Word *above, *here, *below;
};

/// Rows y - 1, y and y + 1.
template <class Word>
Rows<Word> rows_around(const Field<Word>& field, std::uint64_t y) {
  const auto middle = static_cast<std::int64_t>(y);
  return {field.row(middle - 1), field.row(middle), field.row(middle + 1)};
}

/// Rows first to last - 1 of `next` become the generation after `now`.
template <class Word>
struct Step {
  const Field<Word>& now;
  Field<Word>& next;
  std::uint64_t width, first, last;
};

/// A universe in two fields that change roles every generation; rows are dealt evenly to the
/// threads, where the stage has any. `Layout` has
///   Word                        what a field is made of
///   columns(width)              words in a row
///   pack(bits, width, row)      a row of a Grid into a row of a field that is 0
///   unpack(row, width, bits)    back; `bits` are 0 before
///   advance(step)               does a Step
template <class Layout>
class FieldUniverse final : public Universe {
 public:
  using Word = typename Layout::Word;

  FieldUniverse(const Parameters& parameters, const Grid& start)
      : width_(start.width()),
        height_(start.height()),
        steps_(parameters.at("steps")),
        now_(Layout::columns(width_), height_),
        next_(Layout::columns(width_), height_),
        pool_(parameters.has("threads") ? parameters.at("threads") : 1) {
    for (std::uint64_t y = 0; y < height_; ++y)
      Layout::pack(start.row(y), width_, now_.row(static_cast<std::int64_t>(y)));
  }

  void run() override {
    pool_.run([this](std::uint64_t worker) { advance_share(worker); });
    if (steps_ % 2 == 1) std::swap(now_, next_);
  }

  std::uint64_t units() const override { return width_ * height_ * steps_; }

  Grid collect() override {
    Grid grid(width_, height_);
    for (std::uint64_t y = 0; y < height_; ++y)
      Layout::unpack(now_.row(static_cast<std::int64_t>(y)), width_, grid.row(y));
    return grid;
  }

 private:
  void advance_share(std::uint64_t worker) {
    const std::uint64_t first = first_row(height_, pool_.threads(), worker);
    const std::uint64_t last = first_row(height_, pool_.threads(), worker + 1);
    Field<Word>*now = &now_, *next = &next_;
    for (std::uint64_t step = 0; step < steps_; ++step) {
      Layout::advance(Step<Word>{*now, *next, width_, first, last});
      pool_.meet();
      std::swap(now, next);
    }
  }

  std::uint64_t width_, height_, steps_;
  Field<Word> now_, next_;
  Pool pool_;
};

/// Does a Step with Layout::step_row(rows, width, to), which makes one row.
template <class Layout>
void advance_by_rows(const Step<typename Layout::Word>& step) {
  for (std::uint64_t y = step.first; y < step.last; ++y)
    Layout::step_row(rows_around(step.now, y), step.width,
                     step.next.row(static_cast<std::int64_t>(y)));
}

/// CpuStage::Make for a FieldUniverse.
template <class Layout>
std::unique_ptr<Universe> make_field_universe(const Parameters& parameters, const Grid& start) {
  return std::make_unique<FieldUniverse<Layout>>(parameters, start);
}

/// Rows packed as a Grid packs them: cell x is bit x % 64 of word x / 64.
struct GridRows {
  using Word = std::uint64_t;
  static std::uint64_t columns(std::uint64_t width) { return (width + 63) / 64; }
  static void pack(const std::uint64_t* bits, std::uint64_t width, Word* row) {
    std::copy_n(bits, columns(width), row);
  }
  static void unpack(const Word* row, std::uint64_t width, std::uint64_t* bits) {
    std::copy_n(row, columns(width), bits);
  }
  /// The bits of the last word that are cells.
  static Word last_mask(std::uint64_t width) { return ~Word{0} >> (64 * columns(width) - width); }
};

}  // namespace ratchet::life

// The text's stages up to the packed bits are scalar: each is measured for its own idea, and not
// for what a compiler's vectorizer makes of it. Stands before a function (GCC).
#if defined(__GNUC__) && !defined(__clang__)
#define RATCHET_SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define RATCHET_SCALAR
#endif
