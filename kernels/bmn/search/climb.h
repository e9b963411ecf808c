// Hill climbing: deals that make longer and longer games, with a stage's kernel as the judge.
//
// A climber stands at a deal. In each round it has `candidates` deals played that are a swap away
// (search/swaps.h), and goes to the one of most turns, of several the first, if that is no shorter
// than its own. It bears `patience` rounds in a row that bring nothing longer; one more, and it
// starts again from another shuffle. A capped candidate is kept with its cards and never gone to.
// Everything is decided by the seed: the same climbers on any machine.
#pragma once

#include "kernels/bmn/search/swaps.h"

namespace ratchet::bmn::search {

/// A climber between rounds. Outcomes of deals that nobody played yet are all zero.
struct Climber {
  Deal deal;
  std::uint32_t turns = 0, tricks = 0;
  std::uint32_t stale = 0;   ///< rounds in a row without a longer game, `patience` at most
  std::uint32_t starts = 0;  ///< shuffles that it began from
  Deal best;                 ///< of all its starts
  std::uint32_t best_turns = 0, best_tricks = 0;

  bool operator==(const Climber&) const = default;
};

/// What a climb is asked for.
struct ClimbPlan {
  std::uint64_t seed = 0;
  std::uint32_t climbers = 0, candidates = 0, patience = 0, cap = 0;

  std::uint64_t games() const { return std::uint64_t{climbers} * candidates; }  ///< of a round
};

RATCHET_HD inline Deal whole_deal(const Shuffle& cards) {
  Deal deal;
  deal.courts[0] = cards.courts[0];
  deal.courts[1] = cards.courts[1];
  deal.ranks = cards.ranks;
  deal.cards[0] = deal.cards[1] = kHand;
  return deal;
}
RATCHET_HD inline Shuffle shuffle_of(const Deal& deal) {
  return {{static_cast<std::uint32_t>(deal.courts[0]), static_cast<std::uint32_t>(deal.courts[1])},
          deal.ranks};
}

/// Start number climber.starts of climber `number`: shuffle number + starts * climbers.
RATCHET_HD inline void begin(Climber& climber, const ClimbPlan& plan, std::uint32_t number,
                             const ShuffleTables& tables) {
  const std::uint64_t stream = number + std::uint64_t{climber.starts} * plan.climbers;
  climber.deal = whole_deal(shuffled(counter_block(plan.seed, stream), tables));
  climber.turns = climber.tricks = climber.stale = 0;
  ++climber.starts;
}

/// Candidate `k` of a climber in round `round`, counted from 0. Blocks of words have numbers of 32
/// bits: after 2^32 candidates of one climber its swaps come again.
RATCHET_HD inline Deal candidate(const Climber& climber, const ClimbPlan& plan,
                                 std::uint32_t number, std::uint32_t round, std::uint32_t k) {
  Places places = places_of(shuffle_of(climber.deal));
  swap_by(places, counter_block(plan.seed, number, 1 + round * plan.candidates + k));
  return whole_deal(shuffle_of(places));
}

/// After the candidates of a round were played. `outcome` and `deal` hold those of this climber.
RATCHET_HD inline void choose(Climber& climber, const ClimbPlan& plan, std::uint32_t number,
                              const Deal* deal, const Outcome* outcome,
                              const ShuffleTables& tables) {
  std::uint32_t first = plan.candidates;
  for (std::uint32_t k = 0; k < plan.candidates; ++k)
    if (outcome[k].winner != kNobody &&
        (first == plan.candidates || outcome[k].turns > outcome[first].turns))
      first = k;
  ++climber.stale;
  if (first < plan.candidates && outcome[first].turns >= climber.turns) {
    if (outcome[first].turns > climber.turns) climber.stale = 0;
    climber.deal = deal[first];
    climber.turns = outcome[first].turns;
    climber.tricks = outcome[first].tricks;
    if (climber.turns > climber.best_turns) {
      climber.best = climber.deal;
      climber.best_turns = climber.turns;
      climber.best_tricks = climber.tricks;
    }
  }
  if (climber.stale > plan.patience) begin(climber, plan, number, tables);
}

struct ClimbResult {
  std::uint64_t deals = 0, capped = 0;  ///< of the last run
  std::vector<Climber> climbers;        ///< after it
  /// Capped candidates of the last run, the first kCappedKept that were found, in any order.
  std::vector<Deal> capped_deals;
};

/// A prepared climb. Run r makes the rounds r * rounds and following.
class Climb : public Instance {
 public:
  virtual ClimbResult collect() = 0;
};

class ClimbStage : public Stage {
 public:
  using Stage::Stage;
  std::unique_ptr<Instance> prepare(const Parameters& parameters) const final {
    return prepare_climb(parameters);
  }
  virtual std::unique_ptr<Climb> prepare_climb(const Parameters& parameters) const = 0;
};

/// "climbers", "candidates", "rounds" a run, "patience", "seed", "cap".
std::vector<Parameter> climb_parameters(std::uint64_t climbers, std::uint64_t rounds);
ClimbPlan plan_of(const Parameters& parameters);
/// stage_info() for a climb, whose size is its rounds.
StageInfo climb_info(StageInfo info);

}  // namespace ratchet::bmn::search
