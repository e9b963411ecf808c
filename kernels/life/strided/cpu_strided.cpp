// Passes over a strided universe, several generations each; not a stage.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/life/strided/cpu_strided.cpp"
#include "hwy/foreach_target.h"
#include "kernels/life/strided/cpu_strided-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::life::HWY_NAMESPACE {
namespace {

std::uint64_t vector_lanes() { return hn::Lanes(Tag()); }

void finish_row(const StridedShape& shape, std::uint64_t* row) {
  if (shape.folded)
    RowEnds<true>(shape).finish(row);
  else
    RowEnds<false>(shape).finish(row);
}

/// A pass: pairs of rows enter at the top of the band and go through all levels at once, so that
/// what lies between the first generation and the last never leaves the cache. Level k makes
/// generation k; a level lags one row behind the level before, and keeps the two youngest rows that
/// it was given. It writes over the two rows before them, which nobody needs any more.
template <bool kFolded>
class Sweep {
 public:
  explicit Sweep(const StridedPass& pass)
      : pass_(pass),
        shape_(pass.shape),
        ends_(pass.shape),
        words_(static_cast<std::int64_t>(pass.shape.columns * pass.shape.lanes)),
        levels_(static_cast<std::int64_t>(pass.levels)),
        first_(static_cast<std::int64_t>(pass.first)),
        last_(static_cast<std::int64_t>(pass.last)),
        rows_(static_cast<std::int64_t>(pass.shape.rows)) {
    std::fill_n(dead_row() - shape_.offset(), shape_.stride(), std::uint64_t{0});
    spare_ = scratch_pair(0);
  }

  void run() {
    const std::int64_t batches = levels_ - 1 + (last_ - first_ + 1) / 2;
    for (std::int64_t batch = 0; batch < batches; ++batch) advance(batch);
  }

 private:
  struct Pair {
    std::uint64_t *upper, *lower;
  };

  /// Level 1 makes two more rows, and all levels that have enough rows below follow.
  void advance(std::int64_t batch) {
    const std::int64_t active = std::min(batch + 1, levels_);
    Pair made = spare_;
    for (std::int64_t level = 1; level <= active; ++level) {
      const std::int64_t y = first_ - (levels_ - 1) + 2 * batch - (level - 1);
      if (level == 1) {
        const FourRows rows{source(y - 1), source(y), source(y + 1), source(y + 2)};
        make(level, y, rows, level == levels_ ? target(y) : made);
        continue;
      }
      const Pair kept = kept_[level];
      const FourRows rows{kept.upper, kept.lower, made.upper, made.lower};
      make(level, y, rows, level == levels_ ? target(y) : kept);
      kept_[level] = made;
      made = kept;
    }
    if (active < levels_) {
      kept_[active + 1] = made;
      spare_ = scratch_pair(active);
    } else {
      spare_ = made;
    }
  }

  /// Rows y and y + 1 of generation `level`, as far as they matter to the band.
  HWY_NOINLINE void make(std::int64_t level, std::int64_t y, const FourRows& rows, const Pair& to) {
    if (y >= last_ + levels_ - level) return;
    advance_pair(ends_, words_, rows, to.upper, to.lower);
    if (shape_.edge == Edge::torus) return;
    if (y < 0 || y >= rows_) kill_outside(y, to.upper);
    if (y + 1 < 0 || y + 1 >= rows_) kill_outside(y + 1, to.lower);
  }

  const std::uint64_t* source(std::int64_t y) const {
    if (y < 0 || y >= rows_) {
      if (kFolded) return of_neighbours(y);
      if (shape_.edge == Edge::dead) return dead_row();
      y = (y % rows_ + rows_) % rows_;
    }
    return pass_.from + shape_.offset() + static_cast<std::uint64_t>(y) * shape_.stride();
  }
  /// A row above or below all strips: each strip's is the last or first row of the neighbouring
  /// strip, which is in the neighbouring lane.
  const std::uint64_t* of_neighbours(std::int64_t y) const {
    const Tag tag;
    const std::int64_t same = y < 0 ? y + rows_ : y - rows_;
    const std::uint64_t* from = pass_.from + static_cast<std::uint64_t>(same) * shape_.stride();
    std::uint64_t* to = scratch_row(2 + static_cast<std::uint64_t>(y & 3));
    for (std::uint64_t i = 0; i < shape_.stride(); i += shape_.lanes) {
      const Vector v = hn::Load(tag, from + i);
      const Vector moved = y < 0 ? ends_.shift().lanes_up(v) : ends_.shift().lanes_down(v);
      hn::Store(moved, tag, to - shape_.offset() + i);
    }
    if (shape_.edge == Edge::dead) kill_outside(y, to);
    return to;
  }
  /// Kills what lies outside of the universe in row y, above or below the strips: only the
  /// outermost strip has no neighbour there.
  void kill_outside(std::int64_t y, std::uint64_t* row) const {
    const std::uint64_t outermost = y < 0 ? 0 : shape_.lanes - 1;
    for (std::uint64_t i = 0; i < shape_.stride(); i += shape_.lanes)
      if (kFolded)
        row[i + outermost - shape_.offset()] = 0;
      else
        hn::Store(hn::Zero(Tag()), Tag(), row + i - shape_.offset());
  }

  /// Where a pair of finished rows goes; of the last pair of an odd number of rows the lower row is
  /// not the band's, and goes where nobody reads.
  Pair target(std::int64_t y) const {
    std::uint64_t* upper =
        pass_.to + shape_.offset() + static_cast<std::uint64_t>(y) * shape_.stride();
    return {upper, y + 1 < last_ ? upper + shape_.stride() : scratch_row(1)};
  }

  /// Row 0 of the scratch is dead, row 1 is written and never read, 2 to 5 come from neighbouring
  /// strips, then come the pairs.
  std::uint64_t* scratch_row(std::uint64_t i) const {
    return pass_.scratch + shape_.offset() + i * shape_.stride();
  }
  std::uint64_t* dead_row() const { return scratch_row(0); }
  Pair scratch_pair(std::int64_t i) const {
    const auto row = static_cast<std::uint64_t>(2 * i + 6);
    return {scratch_row(row), scratch_row(row + 1)};
  }

  const StridedPass& pass_;
  const StridedShape& shape_;
  RowEnds<kFolded> ends_;
  std::int64_t words_, levels_, first_, last_, rows_;
  Pair spare_;
  Pair kept_[kMaxLevels + 1];  ///< of level k: the two youngest rows of generation k - 1
};

void advance_strided(const StridedPass& pass) {
  if (pass.shape.folded)
    Sweep<true>(pass).run();
  else
    Sweep<false>(pass).run();
}

}  // namespace
}  // namespace ratchet::life::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::life {

HWY_EXPORT(vector_lanes);
HWY_EXPORT(finish_row);
HWY_EXPORT(advance_strided);

namespace {

/// Generations in a pass: as many as keep their rows in the second-level cache, of which a megabyte
/// is common. An eighth of it serves best while the universe itself lies in the cache below; a
/// larger one comes from memory, and must not come often. Each generation costs a band a row above
/// and below that belong to other bands: few against its height.
std::uint64_t levels_for(const StridedShape& shape, std::uint64_t steps, std::uint64_t threads) {
  constexpr std::uint64_t kKiB = 1024 / sizeof(std::uint64_t), kInCache = 8192 * kKiB;
  const std::uint64_t cache = shape.rows * shape.stride() <= kInCache ? 128 * kKiB : 512 * kKiB;
  const std::uint64_t fitting = cache / (2 * shape.stride());
  const std::uint64_t band = (shape.rows + threads - 1) / threads;
  const std::uint64_t most = std::min({fitting, kMaxLevels, band / 8, steps});
  return std::max<std::uint64_t>(1, most);
}

}  // namespace

StridedUniverse::StridedUniverse(const Parameters& parameters, const Grid& start)
    : shape_(start.width(), start.height(), HWY_DYNAMIC_DISPATCH(vector_lanes)(),
             edge_of(parameters)),
      steps_(parameters.at("steps")),
      pool_(parameters.has("threads") ? parameters.at("threads") : 1) {
  levels_ = levels_for(shape_, steps_, pool_.threads());
  const std::uint64_t words = shape_.rows * shape_.stride() + 2 * shape_.offset();
  now_ = aligned_zeros<std::uint64_t>(words);
  next_ = aligned_zeros<std::uint64_t>(words);
  for (std::uint64_t worker = 0; worker < pool_.threads(); ++worker)
    scratch_.push_back(aligned_zeros<std::uint64_t>(StridedPass::scratch_words(shape_, levels_)));
  for (std::uint64_t y = 0; y < shape_.height; ++y) pack_strided(shape_, start.row(y), lane(y));
  for (std::uint64_t i = 0; i < shape_.rows; ++i) HWY_DYNAMIC_DISPATCH(finish_row)(shape_, row(i));
}

void StridedUniverse::run() {
  pool_.run([this](std::uint64_t worker) { advance_band(worker); });
  if ((steps_ + levels_ - 1) / levels_ % 2 == 1) std::swap(now_, next_);
}

void StridedUniverse::advance_band(std::uint64_t worker) {
  const std::uint64_t first = first_row(shape_.rows, pool_.threads(), worker);
  const std::uint64_t last = first_row(shape_.rows, pool_.threads(), worker + 1);
  std::uint64_t *now = now_.get(), *next = next_.get();
  for (std::uint64_t done = 0; done < steps_; done += levels_) {
    const std::uint64_t levels = std::min(levels_, steps_ - done);
    if (first < last) HWY_DYNAMIC_DISPATCH(advance_strided)
    (StridedPass{shape_, now, next, scratch_[worker].get(), levels, first, last});
    pool_.meet();
    std::swap(now, next);
  }
}

Grid StridedUniverse::collect() {
  Grid grid(shape_.width, shape_.height);
  for (std::uint64_t y = 0; y < shape_.height; ++y) unpack_strided(shape_, lane(y), grid.row(y));
  return grid;
}

}  // namespace ratchet::life
#endif  // HWY_ONCE
