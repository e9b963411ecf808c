// life/mpi/01_halo_rows
// Changed:  06 on several processes: each rank keeps its rows and, above and below them, a copy of
//           its neighbours' next row, which they exchange every generation. The two outer rows are
//           made first and sent; the rest is made while they are on their way.
// Why:      a universe may be larger than one machine, or one GPU. A row is 512 bytes of 4096
//           cells: next to nothing beside the rows between, behind which the exchange is hidden.
// Expected: as 06: as many times 05 as there are ranks, each on a CPU of its own, less some
//           microseconds a generation.
// Source:   ratchet; the exchange of halos is as old as parallel computing on grids.

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/life/packed/cpu_simd.h"
#include "kernels/life/ranked/row_shape.h"
#include "kernels/life/ranked/shares.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::life {
namespace {

using namespace ranked;

/// Rows between two looks at the network: some microseconds.
constexpr std::uint64_t kRowsAtOnce = 64;

/// A rank's own rows. Row 0 of a field is that above them, the last one that below; both stay dead
/// where there is none.
class HaloPart final : public ranks::Part {
 public:
  HaloPart(const Parameters& parameters, const ranks::Place& place, ranks::Start start)
      : place_(place),
        width_(parameters.at("width")),
        height_(parameters.at("height")),
        steps_(parameters.at("steps")),
        shares_(height_, place.size, edge_of(parameters)),
        own_(shares_.own(place.rank)),
        pieces_(shares_.pieces(place.rank, 1)),
        rows_(static_cast<std::uint64_t>(own_.size())),
        shape_(width_, shares_.edge()),
        now_(shape_.columns(), rows_ + 2),
        next_(shape_.columns(), rows_ + 2) {
    if (rows_ == 0) return;
    const RowRange known = shares_.around(own_, 1);
    std::vector<std::uint64_t> packed(words());
    for (std::int64_t y = known.first; y < known.last; ++y) {
      const std::uint64_t in_grid = (static_cast<std::uint64_t>(y) + height_) % height_;
      std::memcpy(packed.data(), start.data() + in_grid * row_bytes(), row_bytes());
      shape_.pack(packed.data(), row(now_, index(y)));
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
      std::vector<std::uint64_t> packed(rows_ * words());
      for (std::uint64_t y = 0; y < rows_; ++y) {
        shape_.unpack(row(now_, y + 1), packed.data() + y * words());
        ranks.start_send(packed.data() + y * words(), row_bytes(), 0);
      }
      ranks.finish();
      return;
    }
    grid_ = Grid(width_, height_);
    for (std::uint64_t y = 0; y < rows_; ++y) shape_.unpack(row(now_, y + 1), grid_.row(y));
    for (std::uint64_t y = rows_; y < height_; ++y)
      ranks.start_receive(grid_.row(y), row_bytes(), shares_.owner(static_cast<std::int64_t>(y)));
    ranks.finish();
  }

  const Grid& grid() const { return grid_; }

 private:
  std::uint64_t words() const { return GridRows::columns(width_); }
  std::size_t row_bytes() const { return words() * sizeof(std::uint64_t); }
  /// Where row y of the universe lies in a field.
  std::uint64_t index(std::int64_t y) const {
    return static_cast<std::uint64_t>(y - own_.first + 1);
  }
  static std::uint64_t* row(Field<std::uint64_t>& field, std::uint64_t y) {
    return field.row(static_cast<std::int64_t>(y));
  }
  void advance(std::uint64_t from, std::uint64_t to) {
    SimdRows::advance({now_, next_, shape_.width(), from, to});
    if (shape_.joined())
      for (std::uint64_t y = from; y < to; ++y) shape_.join(row(next_, y));
  }

  /// Pieces of one row each. Ranks without rows have none: with more ranks than rows nobody waits
  /// for them.
  void exchange(ranks::Communicator& ranks) {
    const std::size_t bytes = shape_.columns() * sizeof(std::uint64_t);
    for (const HaloPiece& each : pieces_) {
      if (each.from == each.to)
        std::memcpy(row(next_, index(each.at)), row(next_, index(each.row)), bytes);
      else if (each.to == place_.rank)
        ranks.start_receive(row(next_, index(each.at)), bytes, each.from);
      else
        ranks.start_send(row(next_, index(each.row)), bytes, each.to);
    }
  }

  ranks::Place place_;
  std::uint64_t width_, height_, steps_;
  Shares shares_;
  RowRange own_;
  std::vector<HaloPiece> pieces_;
  std::uint64_t rows_;
  RowShape shape_;
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
    {.name = RATCHET_STAGE,
     .summary = "05_simd on several processes that exchange their outer rows every generation",
     .source = "ratchet",
     .parameters = common_parameters(4096, 128, {torus_parameter()})})))};

}  // namespace
}  // namespace ratchet::life
