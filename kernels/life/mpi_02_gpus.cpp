// life/mpi/02_gpus
// Changed:  cuda/05 on several GPUs, a rank each, which own a share of the rows. A rank borrows
//           `halo` rows of its neighbours on either side, by NCCL, every `halo` generations, and
//           meanwhile computes those that are still right with its own.
// Why:      a universe may be larger than one GPU's memory. A pass of 05 fills every multiprocessor
//           until it ends, so that nothing hides behind it for free: with `hide` an exchange goes
//           on beside a pass, and NCCL's kernel on the rank that comes first waits on
//           multiprocessors which that pass then lacks. So the exchange comes first, and is made
//           seldom; the rows that 96 generations make besides are 0.07 % at 131072 x 131072 on two
//           GPUs.
// Expected: at 131072 x 131072 on 2, 4 and 8 GPUs 1.97, 3.85 and 7.4 times one; with 2^36 cells a
//           GPU 99.9 % of one's rate each. Several lose more by shorter segments than by
//           exchanges, three of 35 us in 96 generations.
// Source:   ratchet; Ding and He, "A ghost cell expansion method for reducing communications in
//           solving PDE problems", SC 2001.

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "kernels/life/ranked/rank_rows.h"
#include "kernels/support/ranks/device_communicator.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::life {
namespace {

using namespace ranked;

constexpr const char* kName = RATCHET_STAGE;

/// Calls body(y, n) for all rows, as many at a time as are some MiB in a Grid.
template <class Body>
void in_chunks(RowRange rows, std::uint64_t row_bytes, const Body& body) {
  const std::uint64_t most = std::max<std::uint64_t>((std::uint64_t{32} << 20) / row_bytes, 1);
  while (rows.size() > 0) {
    const std::uint64_t n = std::min(most, static_cast<std::uint64_t>(rows.size()));
    body(rows.first, n);
    rows.first += static_cast<std::int64_t>(n);
  }
}

/// Rows y .. y + n - 1 of soup(), by `threads` threads where there are many.
void soup_rows(std::uint64_t* rows, std::int64_t y, std::uint64_t n, const Parameters& parameters,
               std::uint64_t threads) {
  const std::uint64_t width = parameters.at("width"), words = (width + 63) / 64;
  const auto fill = [&](std::uint64_t first, std::uint64_t step) {
    for (std::uint64_t i = first; i < n; i += step)
      soup_row(rows + i * words, width, static_cast<std::uint64_t>(y) + i, parameters.at("seed"),
               static_cast<unsigned>(parameters.at("density")));
  };
  if (n * words < 65536) threads = 1;
  std::vector<std::jthread> helpers;
  for (std::uint64_t t = 1; t < threads; ++t) helpers.emplace_back(fill, t, threads);
  fill(0, threads);
}

std::unique_ptr<RankRows> make_rows(const Kept& kept, bool gpu) {
  if (kept.own().size() == 0) return nullptr;
#ifdef RATCHET_HAVE_CUDA
  if (gpu) return make_cuda_rows(kept, kName);
#endif
  (void)gpu;
  return make_cpu_rows(kept);
}

/// One rank's share of the rows.
class SharePart final : public ranks::Part {
 public:
  /// Without a `start` its own rows of the soup.
  SharePart(const Parameters& parameters, const ranks::Place& place, ranks::Start start)
      : place_(place),
        width_(parameters.at("width")),
        height_(parameters.at("height")),
        steps_(parameters.at("steps")),
        hides_(parameters.at("hide") == 1),
        kept_{width_, Shares(height_, place.size, edge_of(parameters)), place.rank,
              static_cast<std::int64_t>(std::min(parameters.at("halo"), steps_))},
        rows_(make_rows(kept_, place.gpu)) {
    const std::uint64_t threads = std::max(1u, std::thread::hardware_concurrency() / place.size);
    std::vector<std::uint64_t> chunk;
    in_chunks(kept_.own(), row_bytes(), [&](std::int64_t y, std::uint64_t n) {
      chunk.resize(n * row_bytes() / 8);
      if (start.empty())
        soup_rows(chunk.data(), y, n, parameters, threads);
      else
        std::memcpy(chunk.data(), start.data() + static_cast<std::uint64_t>(y) * row_bytes(),
                    n * row_bytes());
      rows_->load(chunk.data(), y, n);
    });
  }

  void run(ranks::Communicator& ranks) override {
    if (place_.gpu) ranks.device();  // collective at first: ranks without rows call it, too
    if (!rows_) return;
    make_generations(*rows_, kept_, steps_, hides_, ranks);
    rows_->wait(ranks);
  }

  void gather(ranks::Communicator& ranks) override {
    if (place_.rank > 0) return send_rows(ranks);
    grid_ = Grid(width_, height_);
    in_chunks(kept_.own(), row_bytes(), [&](std::int64_t y, std::uint64_t n) {
      rows_->unload(grid_.row(static_cast<std::uint64_t>(y)), y, n);
    });
    for (std::uint32_t rank = 1; rank < place_.size; ++rank)
      in_chunks(kept_.shares.own(rank), row_bytes(), [&](std::int64_t y, std::uint64_t n) {
        ranks.receive(grid_.row(static_cast<std::uint64_t>(y)), n * row_bytes(), rank);
      });
  }

  /// What was gathered; once.
  Grid take_grid() { return std::move(grid_); }

 private:
  std::uint64_t row_bytes() const { return (width_ + 63) / 64 * 8; }

  void send_rows(ranks::Communicator& ranks) const {
    std::vector<std::uint64_t> chunk;
    in_chunks(kept_.own(), row_bytes(), [&](std::int64_t y, std::uint64_t n) {
      chunk.resize(n * row_bytes() / 8);
      rows_->unload(chunk.data(), y, n);
      ranks.send(chunk.data(), n * row_bytes(), 0);
    });
  }

  ranks::Place place_;
  std::uint64_t width_, height_, steps_;
  bool hides_;
  Kept kept_;
  std::unique_ptr<RankRows> rows_;  ///< none on a rank without rows
  Grid grid_;
};

class SharesUniverse final : public ranks::RankedInstance<Universe> {
 public:
  SharesUniverse(const Stage& stage, const Parameters& parameters, ranks::Start start)
      : RankedInstance(stage, parameters, start), units_(cell_updates(parameters)) {}
  std::uint64_t units() const override { return units_; }
  Grid collect() override {
    ranked().gather();
    return static_cast<SharePart&>(ranked().mine()).take_grid();
  }

 private:
  std::uint64_t units_;
};

class GpusStage final : public LifeStage, public ranks::RankedStage {
 public:
  GpusStage() : LifeStage(make_info()) {}
  Availability availability() const override { return ranks::mpi_gpu_availability(); }
  bool takes_gpus() const override { return true; }
  std::optional<ranks::Traffic> traffic(const Parameters& parameters) const override {
    const std::uint64_t steps = parameters.at("steps"),
                        halo = std::min(parameters.at("halo"), steps);
    return ranks::Traffic{.pattern = ranks::Traffic::Pattern::neighbours,
                          .times = static_cast<double>((steps + halo - 1) / halo),
                          .bytes = static_cast<double>(halo * parameters.at("width") / 8)};
  }
  /// Every rank makes its own rows of the soup: no process ever has all of it.
  std::unique_ptr<Instance> prepare(const Parameters& parameters) const override {
    return std::make_unique<SharesUniverse>(*this, parameters, ranks::Start());
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start start) const override {
    return std::make_unique<SharePart>(parameters, place, start);
  }

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return std::make_unique<SharesUniverse>(*this, parameters,
                                            std::as_bytes(std::span(start.words())));
  }

 private:
  static StageInfo make_info() {
    return ranks::ranked_info(stage_info(
        {.name = kName,
         .summary = "05_strided on several GPUs that borrow each other's outer rows",
         .source = "ratchet",
         .parameters = common_parameters(
             131072, 96,
             {torus_parameter(),
              {"halo", 96, 1, 4096, "rows borrowed on either side; as many generations"},
              {"hide", 0, 0, 1, "1: what needs none of them is made while they are on their way"}}),
         // 2^36 cells a GPU. Eight squares of that side would be higher than universes may be.
         .survey = {{{"width", 262144}, {"height", 262144}, {"ranks", 1}},
                    {{"width", 262144}, {"height", 524288}, {"ranks", 2}},
                    {{"width", 262144}, {"height", 1048576}, {"ranks", 4}},
                    {{"width", 524288}, {"height", 1048576}, {"ranks", 8}}}}));
  }
};

const Registration registered{std::make_unique<GpusStage>()};

}  // namespace
}  // namespace ratchet::life
