// The searches' parameters, tables and deals on the host.
#include <algorithm>
#include <array>
#include <memory>

#include "kernels/bmn/search/ranks.h"
#include "kernels/bmn/search/swaps.h"
#include "perf/support/error.h"

namespace ratchet::bmn::search {
namespace {

/// The front court's rank highest, so that numbers are in the order of the courts.
std::uint32_t reversed_pairs(std::uint32_t ranks) {
  std::uint32_t result = 0;
  for (unsigned court = 0; court < kShortCourts; ++court)
    result = result << 2 | (ranks >> 2 * court & 3);
  return result;
}

/// Calls order(ranks as in Deal) in lexicographic order.
template <class F>
void for_each_order(const F& order, std::uint32_t ranks, unsigned court,
                    std::array<unsigned, 3> left) {
  if (court == kShortCourts) return order(ranks);
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    if (left[kind] == 0) continue;
    --left[kind];
    for_each_order(order, ranks | kind << 2 * court, court + 1, left);
    ++left[kind];
  }
}

}  // namespace

const RankTables& rank_tables() {
  static const std::unique_ptr<const RankTables> tables = [] {
    auto built = std::make_unique<RankTables>();
    constexpr unsigned columns = kShortCourts + 1;
    for (unsigned n = 0; n <= kShortDeck; ++n)
      for (unsigned k = 0; k < columns; ++k)
        built->choose[n * columns + k] = k == 0   ? 1
                                         : n == 0 ? 0
                                                  : built->choose[(n - 1) * columns + k - 1] +
                                                        built->choose[(n - 1) * columns + k];
    std::uint32_t at = 0;
    for_each_order([&](std::uint32_t ranks) { built->order[at++] = ranks; }, 0, 0, {4, 4, 4});
    return built;
  }();
  return *tables;
}

std::uint64_t rank_of(const Deal& deal) {
  const RankTables& tables = rank_tables();
  const std::uint64_t places = deal.courts[0] | deal.courts[1] << kShortHand;
  const auto order = std::lower_bound(
      tables.order, tables.order + kShortOrders, deal.ranks,
      [](std::uint32_t a, std::uint32_t b) { return reversed_pairs(a) < reversed_pairs(b); });
  if (deal.cards[0] != kShortHand || deal.cards[1] != kShortHand ||
      order == tables.order + kShortOrders || *order != deal.ranks)
    throw Error("'" + text_of(deal) +
                "' is not a deal of 40 cards, 20 a player, with four J, Q and K");
  std::uint64_t rank = 0;
  unsigned courts = 0;
  for (unsigned card = 0; card < kShortDeck; ++card)
    if (places >> card & 1) {
      ++courts;
      rank += tables.choose[card * (kShortCourts + 1) + courts];
    }
  if (courts != kShortCourts)
    throw Error("'" + text_of(deal) + "' has " + std::to_string(courts) + " courts, not 12");
  return rank * kShortOrders + static_cast<std::uint64_t>(order - tables.order);
}

std::vector<Parameter> chain_parameters(std::uint64_t default_deals) {
  std::vector<Parameter> all = common_parameters(default_deals);
  all.push_back({"chain", 16, 1, kMaxChain, "deals from one shuffle, each a swap from the last"});
  return all;
}

Deal chained_deal(const Parameters& parameters, std::uint64_t index) {
  const Shuffle cards =
      chained(parameters.at("seed"), index, parameters.at("chain"), shuffle_tables());
  return {{cards.courts[0], cards.courts[1]}, cards.ranks, {kHand, kHand}};
}

std::vector<Parameter> rank_parameters(std::uint64_t default_deals) {
  std::vector<Parameter> all;
  for (const Parameter& each : common_parameters(default_deals))
    if (each.name != "seed") all.push_back(each);
  // Where courts lie as they usually do; low ranks have theirs in front.
  all.push_back({"first", kShortDeals / 2, 0, kShortDeals - 1, "rank of the first deal"});
  return all;
}

Deal ranked_deal(std::uint64_t rank) {
  const Shuffle cards = unranked(rank, rank_tables());
  return {{cards.courts[0], cards.courts[1]}, cards.ranks, {kShortHand, kShortHand}};
}

}  // namespace ratchet::bmn::search
