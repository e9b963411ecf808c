// life/mpi/01_halo_rows
// Changed:  06 on several processes: each rank keeps its rows and, above and below them, a copy of
//           its neighbours' next row, which they exchange every generation. The two outer rows are
//           made first and sent; the rest is made while they are on their way.
// Why:      a universe may be larger than one machine, or one GPU. A row is 512 bytes of 4096
//           cells: next to nothing beside the rows between, behind which the exchange is hidden.
// Expected: as 06: as many times 05 as there are ranks, each on a CPU of its own, less some
//           microseconds a generation.
// Got:      two ranks 1.34 times {= intel-xeon-2c 01_halo_rows/ranks:2 /s / /s} one, on 2 processors.
// Source:   ratchet; the exchange of halos is as old as parallel computing on grids.

#include <algorithm>
#include <cstring>

#include "kernels/life/packed/cpu_simd.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::life {
namespace {

/// Rows between two looks at the network: some microseconds.
constexpr std::uint64_t kRowsAtOnce = 64;

/// Rows first() to end() of the universe. Row 0 of a field is the neighbour's above, the last one
/// that of the neighbour below; both stay dead where there is none.
class HaloPart final : public ranks::Part {
 public:
  HaloPart(const Parameters& parameters, const ranks::Place& place, ranks::Start start)
      : place_(place),
        width_(parameters.at("width")),
        height_(parameters.at("height")),
        steps_(parameters.at("steps")),
        rows_(first(place.rank + 1) - first(place.rank)),
        now_(columns(), rows_ + 2),
        next_(columns(), rows_ + 2) {
    for (std::uint64_t y = 0; y < rows_ + 2; ++y) {
      const std::uint64_t in_grid = first(place.rank) + y;  // one row further than the universe's
      if (in_grid > 0 && in_grid <= height_)
        std::memcpy(row(now_, y), start.data() + (in_grid - 1) * row_bytes(), row_bytes());
    }
  }

  void run(ranks::Communicator& ranks) override {
    if (rows_ == 0) return;
    for (std::uint64_t step = 0; step < steps_; ++step) {
      advance(1, 2);
      if (rows_ > 1) advance(rows_, rows_ + 1);
      exchange(ranks);
      for (std::uint64_t y = 2; y < rows_; y += kRowsAtOnce) {
        advance(y, std::min(y + kRowsAtOnce, rows_));
        ranks.progress();
      }
      ranks.finish();
      std::swap(now_, next_);
    }
  }

  void gather(ranks::Communicator& ranks) override {
    if (place_.rank > 0) {
      for (std::uint64_t y = 1; y <= rows_; ++y) ranks.start_send(row(now_, y), row_bytes(), 0);
      ranks.finish();
      return;
    }
    grid_ = Grid(width_, height_);
    for (std::uint64_t y = 0; y < rows_; ++y)
      std::copy_n(row(now_, y + 1), columns(), grid_.row(y));
    for (std::uint32_t rank = 1; rank < place_.size; ++rank)
      for (std::uint64_t y = first(rank); y < first(rank + 1); ++y)
        ranks.start_receive(grid_.row(y), row_bytes(), rank);
    ranks.finish();
  }

  const Grid& grid() const { return grid_; }

 private:
  std::uint64_t columns() const { return GridRows::columns(width_); }
  std::size_t row_bytes() const { return columns() * sizeof(std::uint64_t); }
  std::uint64_t first(std::uint32_t rank) const {
    return ranks::share_begin(height_, place_.size, rank);
  }
  static std::int64_t signed_row(std::uint64_t y) { return static_cast<std::int64_t>(y); }
  static std::uint64_t* row(Field<std::uint64_t>& field, std::uint64_t y) {
    return field.row(signed_row(y));
  }
  void advance(std::uint64_t from, std::uint64_t to) {
    SimdRows::advance({now_, next_, width_, from, to});
  }

  /// Ranks without rows come last: with more ranks than rows nobody waits for them.
  void exchange(ranks::Communicator& ranks) {
    if (place_.rank > 0) {
      ranks.start_receive(row(next_, 0), row_bytes(), place_.rank - 1);
      ranks.start_send(row(next_, 1), row_bytes(), place_.rank - 1);
    }
    if (first(place_.rank + 1) < height_) {
      ranks.start_receive(row(next_, rows_ + 1), row_bytes(), place_.rank + 1);
      ranks.start_send(row(next_, rows_), row_bytes(), place_.rank + 1);
    }
  }

  ranks::Place place_;
  std::uint64_t width_, height_, steps_, rows_;
  Field<std::uint64_t> now_, next_;
  Grid grid_;
};

class HaloUniverse final : public ranks::RankedInstance<Universe> {
 public:
  HaloUniverse(const Stage& stage, const Parameters& parameters, const Grid& start)
      : RankedInstance(stage, parameters, std::as_bytes(std::span(start.words()))),
        units_(cell_updates(parameters)) {}
  std::uint64_t units() const override { return units_; }
  Grid collect() override {
    ranked().gather();
    return static_cast<HaloPart&>(ranked().mine()).grid();
  }

 private:
  std::uint64_t units_;
};

class HaloStage final : public LifeStage, public ranks::RankedStage {
 public:
  using LifeStage::LifeStage;
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start start) const override {
    return std::make_unique<HaloPart>(parameters, place, start);
  }

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return std::make_unique<HaloUniverse>(*this, parameters, start);
  }
};

const Registration registered{std::make_unique<HaloStage>(ranks::ranked_info(stage_info(
    {.name = "life/mpi/01_halo_rows",
     .summary = "05_simd on several processes that exchange their outer rows every generation",
     .source = "ratchet",
     .parameters = common_parameters(4096, 128)})))};

}  // namespace
}  // namespace ratchet::life
