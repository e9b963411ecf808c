// Climbers of a stage, one by one, against the rules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "correctness/bmn/checks/checks.h"
#include "kernels/support/counter_stream.h"
#include "reference/bmn.h"

namespace ratchet::bmn {

using correctness::exact;

TestResults check_climb(const search::ClimbStage& stage, const Parameters& parameters,
                        unsigned runs) {
  const search::ClimbPlan plan = search::plan_of(parameters);
  std::vector<DefinedClimber> led;
  for (std::uint32_t c = 0; c < plan.climbers; ++c) led.emplace_back(plan, c);
  const auto climb = stage.prepare_climb(parameters);
  search::ClimbResult seen;
  std::uint64_t capped = 0;
  const std::uint64_t rounds = parameters.at("rounds");
  for (unsigned run = 0; run < runs; ++run) {
    climb->run();
    climb->wait();
    seen = climb->collect();
    capped = 0;
    for (DefinedClimber& climber : led)
      for (std::uint64_t i = 0; i < rounds; ++i) capped += climber.make_round();
  }
  std::vector<search::Climber> wanted;
  for (const DefinedClimber& climber : led) wanted.push_back(climber.state());
  bool cards = true;
  std::uint64_t starts = 0;
  for (const search::Climber& climber : seen.climbers) {
    cards = cards && has_all_cards(climber.deal);
    starts += climber.starts;
  }
  bool given_up =
      seen.capped == capped && seen.capped_deals.size() == std::min(capped, kCappedKept);
  for (const Deal& deal : seen.capped_deals)
    given_up = given_up && by_definition(deal, plan.cap).winner == kNobody;
  return {exact("climbers as the definition leads them", seen.climbers == wanted,
                fmt::format("{} climbers after {} rounds, {} starts", wanted.size(), runs * rounds,
                            starts)),
          exact("every climber's deal has all cards", cards, "16 courts, four of each"),
          exact("deals of a run", seen.deals == climb->units(), fmt::format("{}", seen.deals)),
          exact("capped candidates with their cards", given_up,
                fmt::format("{} counted, {} wanted", seen.capped, capped))};
}

Parameters small_climb(const search::ClimbStage& stage, std::uint64_t cap) {
  Parameters parameters = stage.defaults();
  parameters.set({{"climbers", 40}, {"candidates", 5}, {"rounds", 6}, {"patience", 2}});
  return parameters.set("seed", std::uint64_t{41}).set("cap", cap);
}

Deal defined_shuffle(std::uint64_t seed, std::uint64_t index) {
  std::array<std::uint32_t, 4> words;
  for (unsigned k = 0; k < 4; ++k) words[k] = counter_word32(seed, index, k);
  const auto hands = reference::bmn::shuffled(words);
  return deal_of(reference::bmn::text_of(hands[0]), reference::bmn::text_of(hands[1]));
}

Deal defined_swap(const Deal& deal, std::uint64_t seed, std::uint64_t stream, std::uint64_t block) {
  std::string cards = text_of(deal);
  cards.erase(kHand, 1);
  for (const std::uint64_t pair : {4 * block, 4 * block + 2}) {
    std::size_t court = cards.find_first_not_of('-');
    for (std::uint32_t before = counter_word32(seed, stream, pair) >> 28; before > 0; --before)
      court = cards.find_first_not_of('-', court + 1);
    const auto card = static_cast<std::size_t>(
        std::uint64_t{counter_word32(seed, stream, pair + 1)} * cards.size() >> 32);
    if (cards[court] == cards[card]) continue;
    std::swap(cards[court], cards[card]);
    break;
  }
  return deal_of(cards);
}

Deal defined_chain(std::uint64_t seed, std::uint64_t index, std::uint64_t length) {
  const std::uint64_t chain = index / length;
  Deal deal = defined_shuffle(seed, chain);
  for (std::uint64_t k = 1; k <= index % length; ++k) deal = defined_swap(deal, seed, chain, k);
  return deal;
}

DefinedClimber::DefinedClimber(const search::ClimbPlan& plan, std::uint32_t number)
    : plan_(plan), number_(number) {
  begin();
}

void DefinedClimber::begin() {
  state_.deal =
      defined_shuffle(plan_.seed, number_ + std::uint64_t{state_.starts} * plan_.climbers);
  state_.turns = state_.tricks = state_.stale = 0;
  ++state_.starts;
}

std::uint64_t DefinedClimber::make_round() {
  std::uint64_t capped = 0;
  Deal longest_deal;
  Outcome longest;  // of no game yet
  for (std::uint32_t k = 0; k < plan_.candidates; ++k) {
    const Deal deal = defined_swap(state_.deal, plan_.seed, number_, blocks_++);
    const Outcome outcome = by_definition(deal, plan_.cap);
    if (outcome.winner == kNobody)
      ++capped;
    else if (longest.winner == kNobody || outcome.turns > longest.turns)
      longest_deal = deal, longest = outcome;
  }
  const bool any = longest.winner != kNobody;
  const bool no_longer = !any || longest.turns <= state_.turns;
  if (any && longest.turns >= state_.turns) {
    state_.deal = longest_deal;
    state_.turns = longest.turns;
    state_.tricks = longest.tricks;
  }
  if (state_.turns > state_.best_turns) {
    state_.best = state_.deal;
    state_.best_turns = state_.turns;
    state_.best_tricks = state_.tricks;
  }
  state_.stale = no_longer ? state_.stale + 1 : 0;
  if (state_.stale == plan_.patience + 1) begin();
  return capped;
}

}  // namespace ratchet::bmn
