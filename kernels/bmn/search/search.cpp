// The searches' parameters, tables and deals on the host.
#include <memory>

#include "kernels/bmn/search/ranks.h"
#include "kernels/bmn/search/swaps.h"

namespace ratchet::bmn::search {
namespace {

std::uint64_t ways(unsigned numbers, unsigned j, unsigned q, unsigned k) {
  __extension__ using Wide = unsigned __int128;
  Wide result = 1;
  unsigned cards = 0;
  for (const unsigned of_kind : {numbers, j, q, k})
    for (unsigned i = 1; i <= of_kind; ++i) result = result * ++cards / i;
  return static_cast<std::uint64_t>(result);
}

}  // namespace

const Arrangements& arrangements() {
  static const std::unique_ptr<const Arrangements> table = [] {
    auto built = std::make_unique<Arrangements>();
    unsigned at = 0;
    for (unsigned numbers = 0; numbers <= kShortNumbers; ++numbers)
      for (unsigned j = 0; j <= 4; ++j)
        for (unsigned q = 0; q <= 4; ++q)
          for (unsigned k = 0; k <= 4; ++k) built->of[at++] = ways(numbers, j, q, k);
    return built;
  }();
  return *table;
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
  // Where courts lie as they usually do; low ranks have theirs at the end.
  all.push_back({"first", kShortDeals / 2, 0, kShortDeals - 1, "rank of the first deal"});
  return all;
}

Deal ranked_deal(std::uint64_t rank) {
  const Shuffle cards = unranked(rank, arrangements());
  return {{cards.courts[0], cards.courts[1]}, cards.ranks, {kShortHand, kShortHand}};
}

}  // namespace ratchet::bmn::search
