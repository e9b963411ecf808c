// Climbers of a stage, one by one, against the rules.
#include <fmt/format.h>

#include <algorithm>

#include "correctness/bmn/checks/checks.h"
#include "correctness/bmn/checks/defined_searches.h"

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

}  // namespace ratchet::bmn
