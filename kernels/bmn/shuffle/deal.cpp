// Deals as text, and what every stage of the family states alike.
#include <bit>
#include <limits>

#include "kernels/bmn/shuffle/shuffle.h"
#include "kernels/contract/counted.h"
#include "perf/support/error.h"

namespace ratchet::bmn {
namespace {

constexpr std::string_view kSymbols = "JQKA";

void add_hand(Deal& deal, unsigned player, std::string_view text, unsigned& courts) {
  for (const char symbol : text) {
    if (deal.cards[0] + deal.cards[1] == kDeck)
      throw Error("a deal holds at most 52 cards; '" + std::string(text) + "' goes beyond");
    const std::size_t rank = kSymbols.find(symbol);
    if (symbol != '-' && rank == kSymbols.npos)
      throw Error("'" + std::string(1, symbol) + "' in a deal is not a card; cards are - J Q K A");
    if (symbol != '-') {
      if (courts == kCourts)
        throw Error("a deal holds at most 16 court cards; '" + std::string(text) + "' goes beyond");
      deal.courts[player] |= std::uint64_t{1} << deal.cards[player];
      deal.ranks |= static_cast<std::uint32_t>(rank) << 2 * courts++;
    }
    ++deal.cards[player];
  }
}

}  // namespace

Deal deal_of(std::string_view first, std::string_view second) {
  Deal deal;
  unsigned courts = 0;
  add_hand(deal, 0, first, courts);
  add_hand(deal, 1, second, courts);
  return deal;
}

Deal deal_of(std::string_view both) {
  if (both.size() != kDeck)
    throw Error("'" + std::string(both) + "' has " + counted(both.size(), "cards") +
                "; a whole deal has 52, 26 a player");
  return deal_of(both.substr(0, kHand), both.substr(kHand));
}

std::string text_of(const Deal& deal) {
  std::string text;
  std::uint32_t ranks = deal.ranks;
  for (unsigned player = 0; player < 2; ++player) {
    if (player == 1) text += '/';
    for (unsigned i = 0; i < deal.cards[player]; ++i) {
      const bool court = deal.courts[player] >> i & 1;
      text += court ? kSymbols[ranks & 3] : '-';
      if (court) ranks >>= 2;
    }
  }
  return text;
}

Deal shuffled_deal(std::uint64_t seed, std::uint64_t index) {
  const Shuffle cards = shuffled(counter_block(seed, index), shuffle_tables());
  return {{cards.courts[0], cards.courts[1]}, cards.ranks, {kHand, kHand}};
}

std::vector<Parameter> common_parameters(std::uint64_t default_deals) {
  return {
      {"deals", default_deals, 1, kMaxDeals, "deals in one run"},
      {"seed", 1, 0, std::numeric_limits<std::uint64_t>::max(), "seed of the shuffles"},
      {"cap", kDefaultCap, 0, kMaxCap, "turns after which a game that is not over is given up"}};
}

std::string of_text(const std::string& section) {
  return "Innes, Beggar My Neighbour: a learning exercise in speeding up a C++ program by CUDA "
         "GPUs, "
         "\"" +
         section + "\"";
}

StageInfo stage_info(StageInfo info) {
  info.backend = backend_of_process(info.name);
  info.unit = "deals";
  info.size = "deals";
  info.sanitizer_run = {{"deals", 3000}};
  return info;
}

}  // namespace ratchet::bmn
