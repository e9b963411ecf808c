// bmn/cpu/07_climb
// Changed:  deals are chosen: each of many climbers goes to the longest game a swap away, again and
//           again; the games are played by 04.
// Why:      the text looks for the longest game, and a long game's neighbours may be longer.
// Expected: a tenth of the deals that shuffles need for a game of as many turns.
//           In fact not so: a swap makes nearly a new game (BmnSwaps.MakeNearlyANewGame).
// Source:   ratchet
#include "kernels/bmn/search/climb.h"
#include "kernels/bmn/workers/workers.h"

namespace ratchet::bmn {
namespace {

class CpuClimb final : public search::Climb {
 public:
  explicit CpuClimb(const Parameters& parameters)
      : plan_(search::plan_of(parameters)),
        rounds_(static_cast<std::uint32_t>(parameters.at("rounds"))),
        deals_(plan_.games()),
        outcomes_(plan_.games()) {
    result_.climbers.resize(plan_.climbers);
    for (std::uint32_t c = 0; c < plan_.climbers; ++c)
      search::begin(result_.climbers[c], plan_, c, shuffle_tables());
  }

  void run() override {
    result_.deals = result_.capped = 0;
    result_.capped_deals.clear();
    for (std::uint32_t i = 0; i < rounds_; ++i) make_round(round_++);
  }
  std::uint64_t units() const override { return plan_.games() * rounds_; }
  search::ClimbResult collect() override { return result_; }

 private:
  void make_round(std::uint32_t round) {
    const std::uint32_t each = plan_.candidates;
    for (std::uint32_t c = 0; c < plan_.climbers; ++c)
      for (std::uint32_t k = 0; k < each; ++k)
        deals_[c * each + k] = search::candidate(result_.climbers[c], plan_, c, round, k);
    HostJob job;
    job.cap = plan_.cap;
    job.end = deals_.size();
    job.given = deals_.data();
    job.each = outcomes_.data();
    HostRecord record(job);
    play_planes(job, record);
    result_.deals += deals_.size();
    for (std::size_t i = 0; i < deals_.size(); ++i) {
      if (outcomes_[i].winner != kNobody) continue;
      if (result_.capped++ < kCappedKept) result_.capped_deals.push_back(deals_[i]);
    }
    for (std::uint32_t c = 0; c < plan_.climbers; ++c)
      search::choose(result_.climbers[c], plan_, c, &deals_[c * each], &outcomes_[c * each],
                     shuffle_tables());
  }

  search::ClimbPlan plan_;
  std::uint32_t rounds_, round_ = 0;
  std::vector<Deal> deals_;
  std::vector<Outcome> outcomes_;
  search::ClimbResult result_;
};

class CpuClimbStage final : public search::ClimbStage {
 public:
  CpuClimbStage()
      : ClimbStage(search::climb_info({.name = RATCHET_STAGE,
                                       .summary = "Search: hill climbing by swaps, judged by 04",
                                       .source = "ratchet",
                                       .parameters = search::climb_parameters(512, 100)})) {}
  std::unique_ptr<search::Climb> prepare_climb(const Parameters& parameters) const override {
    return std::make_unique<CpuClimb>(parameters);
  }
};

const Registration registered{std::make_unique<CpuClimbStage>()};

}  // namespace
}  // namespace ratchet::bmn
