// bmn/cuda/10_exhaustive
// Changed:  deals of the game with 40 cards by their rank, one after another; played by 08.
// Why:      all 1.9e14 of them can be played, and those that never end be found.
// Expected: 1.2 times 08 at least: games are shorter, and a rank is read by two look-ups.
//           In fact games from the middle of the ranks gain more than those in order of rank.
// Source:   ratchet
#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/search/from_the_first.h"
#include "kernels/bmn/search/ranks.h"

namespace ratchet::bmn {
namespace {

/// Each lane keeps the places of its last deal's courts: 34650 deals in a row have the same.
struct Ranks {
  static constexpr unsigned kCards = search::kShortHand, kOf = search::kShortCourts;
  static constexpr unsigned kOwnRows = 4;
  const search::RankTables* tables;

  __device__ __forceinline__ void begin(lean_links::Word own,
                                        const lean_links::SharedNodes& nodes) const {
    keep(own, ~std::uint64_t{0}, nodes);
  }
  __device__ __forceinline__ Shuffle deal(const Job& job, const ShuffleTables*,
                                          std::uint64_t number, lean_links::Word own,
                                          const lean_links::SharedNodes& nodes) const {
    const std::uint64_t rank = search::rank_at(job.search, number);
    const std::uint64_t of_places = rank / search::kShortOrders;
    if (kept(own, nodes) != of_places) {
      keep(own, of_places, nodes);
      keep(own + 2 * lean_links::kRow, search::places_of_rank(of_places, *tables), nodes);
    }
    return search::short_deal(kept(own + 2 * lean_links::kRow, nodes),
                              static_cast<std::uint32_t>(rank - of_places * search::kShortOrders),
                              *tables);
  }

 private:
  static __device__ __forceinline__ std::uint64_t kept(lean_links::Word at,
                                                       const lean_links::SharedNodes& nodes) {
    return nodes.load(at) | std::uint64_t{nodes.load(at + lean_links::kRow)} << 32;
  }
  static __device__ __forceinline__ void keep(lean_links::Word at, std::uint64_t value,
                                              const lean_links::SharedNodes& nodes) {
    nodes.store(at, static_cast<std::uint32_t>(value));
    nodes.store(at + lean_links::kRow, static_cast<std::uint32_t>(value >> 32));
  }
};

const search::RankTables* device_rank_tables() {
  static const DeviceBuffer<search::RankTables> tables(
      std::vector<search::RankTables>{search::rank_tables()});
  return tables.data();
}

struct Exhaustive : lean_links::Tuning {
  using Source = Ranks;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "Search: all deals of a range of ranks, 40 cards, played by 08",
                       .source = "ratchet",
                       .limit = {"cuda.issue", 81.46},  // warp instructions a deal, counted
                       .parameters = search::rank_parameters(500'000'000),
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
    lean_links::play_lean_links<Exhaustive>
        <<<shape.blocks, shape.threads>>>(job, run_first, tables, {device_rank_tables()}, totals);
  }
};

const Registration registered{
    std::make_unique<search::RangeStage<CudaBmnStage<Exhaustive>>>()};

}  // namespace
}  // namespace ratchet::bmn
