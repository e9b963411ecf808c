// bmn/cuda/10_exhaustive
// Changed:  deals of the game with 40 cards by their rank, one after another; played by 08.
// Why:      all 1.9e14 of them can be played, and those that never end be found.
// Expected: 1.2 times 08 at least: games are shorter, and what ranks cost to read takes the place of
//           a shuffle.
// Source:   ratchet
#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/search/ranks.h"

namespace ratchet::bmn {
namespace {

struct Ranks {
  static constexpr unsigned kCards = search::kShortHand, kOf = search::kShortCourts;
  const search::Arrangements* table;
  __device__ __forceinline__ Shuffle deal(const Job& job, const ShuffleTables*,
                                          std::uint64_t number) const {
    return search::unranked(search::rank_at(job.search, number), *table);
  }
};

const search::Arrangements* device_arrangements() {
  static const DeviceBuffer<search::Arrangements> table(
      std::vector<search::Arrangements>{search::arrangements()});
  return table.data();
}

struct Exhaustive : lean_links::Tuning {
  using Source = Ranks;

  static StageInfo info() {
    return stage_info({.name = "bmn/cuda/10_exhaustive",
                       .summary = "Search: all deals of a range of ranks, 40 cards, played by 08",
                       .source = "ratchet",
                       .parameters = search::rank_parameters(1'000'000'000),
                       .survey = {{{"first", search::kShortDeals / 8}},
                                  {{"first", search::kShortDeals / 8 * 3}},
                                  {{"first", search::kShortDeals / 8 * 5}},
                                  {{"first", search::kShortDeals / 8 * 7}}}});
  }
  static Deal deal(const Parameters& parameters, std::uint64_t index) {
    return search::ranked_deal(search::rank_at(parameters.at("first"), index));
  }
  static std::uint64_t search(const Parameters& parameters) { return parameters.at("first"); }
  static Shape shape(const Parameters& parameters) {
    return lean_links::full_shape<Exhaustive>(parameters);
  }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    lean_links::play_lean_links<Exhaustive><<<shape.blocks, shape.threads>>>(
        job, run_first, tables, {device_arrangements()}, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<Exhaustive>>()};

}  // namespace
}  // namespace ratchet::bmn
