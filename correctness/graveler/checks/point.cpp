// The check of a graveler row at the point that was timed.
//
// One maximum of 10^9 battles says little: where a share f of them is missing, the law of R maxima
// shows it from about f = 8.8 * 1.28 / sqrt(R) on. A probe with the same parameters says far more:
// its histogram holds the battles of a first run one by one. A battle that the timed loop leaves
// out is the highest with probability f. So S seeds show f = 1 - 0.01^(1/S) without any false
// alarm: a tenth at 44 seeds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <thread>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/in_situ_result.h"

namespace ratchet::graveler {
namespace {

using correctness::exact;
using correctness::Stopwatch;
using correctness::TestResult;

/// Of the budget, for the law of the instance's own maxima.
constexpr double kShareOfLaw = 0.3;
constexpr std::uint32_t kMostRuns = 10'000, kMostSeeds = 200;

/// XORWOW leans (streams_test.cpp): the variance of ones over 10^10 battles is 1.00008 times the
/// law's, whoever makes the words. The law judges one histogram of the text's stages that roll by
/// it, which cannot see that much; what their rounds make of the words, tests compare word by word.
constexpr std::uint64_t kMostBattlesOfXorwow = 1'000'000'000;
bool rolls_by_xorwow(const std::string& stage) {
  constexpr std::array kStages = {"graveler/cuda/02_xorwow", "graveler/cuda/02p_as_printed",
                                  "graveler/cuda/03_29_words", "graveler/cuda/04_warp_reduce"};
  return std::find(kStages.begin(), kStages.end(), stage) != kStages.end();
}

Result next_run(Simulation& simulation) {
  simulation.run();
  simulation.wait();
  return simulation.collect();
}

/// Whether a result tells of the battles asked for; as_printed stages play more and say so.
bool counts(const GravelerStage& stage, std::uint64_t asked, std::uint64_t battles) {
  return stage.info().as_printed ? battles > asked : battles == asked;
}

TestResults check_law(const GravelerStage& stage, std::uint64_t asked, Simulation& timed,
                      double budget_s) {
  const Stopwatch watch;
  Histogram maxima{};
  const std::uint64_t battles = timed.collect().battles;
  std::uint32_t runs = 0, wrong = 0;
  do {
    const Result result = next_run(timed);
    ++runs;
    if (!counts(stage, asked, result.battles) || result.battles != battles) ++wrong;
    ++maxima[std::min(result.max_ones, kTurns)];
  } while (runs < kMostRuns && watch.seconds() < budget_s);
  TestResults tests{exact("battles of each run", wrong == 0,
                          fmt::format("{} of {} runs not of {} battles", wrong, runs, battles))};
  correctness::append(tests, check_maxima(maxima, battles, BinomialLaw(turns_played(stage))));
  return tests;
}

/// First runs of fresh instances beside their histograms.
class FirstRuns {
 public:
  FirstRuns(const GravelerStage& stage, const Parameters& point) : stage_(stage), point_(point) {
    // Which thread plays which share may be up to the scheduler.
    if (stage.info().threaded()) point_.set(stage.info().threads, std::uint64_t{1});
  }

  void add() {
    const std::uint64_t seed = point_.at("seed") + 1'000'003 * std::uint64_t{++seeds_};
    const Parameters parameters = Parameters(point_).set("seed", seed);
    const Histogram histogram = stage_.histogram(parameters);
    const Result result = next_run(*stage_.prepare_simulation(parameters));
    std::uint32_t top = 0;
    for (std::uint32_t k = 0; k <= kTurns; ++k)
      if (histogram[k] > 0) top = k;
    const auto total = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
    if (result.max_ones != top || result.battles != total ||
        !counts(stage_, point_.at("battles"), total))
      differing_ += fmt::format(" seed {}: run {} of {} battles, histogram {} of {};", seed,
                                result.max_ones, result.battles, top, total);
    if (total < least_battles_of_law(stage_)) return;
    if (judged_ > 0 && rolls_by_xorwow(stage_.info().name) &&
        judged_ + total > kMostBattlesOfXorwow)
      return;
    judged_ += total;
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += histogram[k];
  }

  std::uint32_t seeds() const { return seeds_; }
  TestResults tests() const {
    TestResult equal =
        exact("first runs at this point", differing_.empty(),
              differing_.empty() ? fmt::format("{} by their histograms", seeds_) : differing_);
    equal.power = fmt::format("{:.2g} % of the battles missing from the maximum",
                              100 * (1 - std::pow(1 - correctness::kDetection, 1.0 / seeds_)));
    TestResults tests{equal};
    if (judged_ > 0)
      correctness::append(tests, check_histogram(sum_, judged_, BinomialLaw(turns_played(stage_))));
    return tests;
  }

 private:
  const GravelerStage& stage_;
  Parameters point_;
  std::uint32_t seeds_ = 0;
  std::uint64_t judged_ = 0;  ///< battles whose histogram the law judges
  std::string differing_;
  Histogram sum_{};
};

InSituResult check(const TimedRow& row) {
  const auto* stage = dynamic_cast<const GravelerStage*>(&row.stage);
  auto* timed = dynamic_cast<Simulation*>(&row.instance);
  if (!stage || !timed)
    return {InSituState::unchecked, "no simulation that graveler knows was timed"};
  // A run, and a first run with its histogram on one thread.
  const std::uint64_t threads = threads_of(row.stage.info(), row.parameters);
  const double cpus = std::max(1u, std::thread::hardware_concurrency());
  const double least_s = row.run_s * (1 + 2.5 * std::min(static_cast<double>(threads), cpus));
  if (least_s > row.most_s()) return correctness::too_long("a check at this point", least_s);
  TestResults tests = check_timed(*stage, row.parameters, *timed, row.budget_s);
  if (!stage->info().as_printed)  // which plays more than it is asked for
    tests.push_back(correctness::units_of_a_run(row, row.parameters.at("battles")));
  return correctness::in_situ_result(tests);
}

const InSituCheckRegistration registered("graveler", check);

}  // namespace

TestResults check_timed(const GravelerStage& stage, const Parameters& parameters, Simulation& timed,
                        double budget_s) {
  const Stopwatch watch;
  TestResults tests = check_law(stage, parameters.at("battles"), timed, kShareOfLaw * budget_s);
  FirstRuns first_runs(stage, parameters);
  do {
    first_runs.add();
  } while (first_runs.seeds() < kMostSeeds && watch.seconds() < budget_s);
  correctness::append(tests, first_runs.tests());
  return tests;
}

}  // namespace ratchet::graveler
