// The core of bmn/cuda/07_links, which is the same code on the host: every payment pattern against
// the definition, with no device.
#include "kernels/bmn/links/links.h"

#include <gtest/gtest.h>

#include "correctness/bmn/checks.h"

namespace ratchet::bmn {
namespace {

struct HostNodes {
  links::Word* node;
  links::Word load(links::Word address) const { return node[address / 4]; }
  void store(links::Word address, links::Word word) const { node[address / 4] = word; }
};

template <unsigned kPays>
Outcome play(const Deal& deal, std::uint32_t cap) {
  links::Word memory[kCourts + 1], front[2], tail[2], node = 0;
  const HostNodes nodes{memory};
  const links::Word end = links::end_at(4 * kCourts);
  std::uint32_t ranks = deal.ranks;
  for (unsigned player = 0; player < 2; ++player)
    front[player] = links::lay_out(deal.courts[player] | std::uint64_t{1} << deal.cards[player],
                                   ranks, node, 4u, end, tail[player], nodes);
  if (front[0] == end || front[1] == end) return {0, 0, front[0] == end ? 1u : 0u};
  links::Play game;
  links::start(game, front, tail);
  do {
    links::open_trick(game, nodes);
    while (!links::pay_in_turn<kPays>(game, nodes)) {
    }
  } while (!links::collect(game, nodes, end) && game.turns <= cap);
  const Outcome outcome = links::outcome_of(game);
  return outcome.turns > cap ? Outcome{} : outcome;
}

TEST(BmnLinks, PlayAsDefined) {
  for (const Deal& deal : edge_deals(30'000)) {
    const Outcome wanted = by_definition(deal, kDefaultCap);
    ASSERT_EQ(play<1>(deal, kDefaultCap), wanted) << text_of(deal);
    ASSERT_EQ(play<2>(deal, kDefaultCap), wanted) << text_of(deal);
    ASSERT_EQ(play<3>(deal, kDefaultCap), wanted) << text_of(deal);
    ASSERT_EQ(play<4>(deal, kDefaultCap), wanted) << text_of(deal);
  }
}

}  // namespace
}  // namespace ratchet::bmn
