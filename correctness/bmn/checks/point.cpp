// The in-situ check of a bmn row: at the size and parameters that were timed. The games of a first
// run are compared with another stage's, by their sums and the digest of all outcomes. Or the probe
// gives them one by one, and the definition plays a random sample. The timed run's own sums must
// hold as many games as asked for, of the lengths that shuffles have. Its longest games must be
// those of their deals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "correctness/bmn/checks/checks.h"
#include "correctness/support/paths.h"
#include "correctness/support/in_situ_result.h"

namespace ratchet::bmn {
namespace {

using correctness::append;
using correctness::exact;
using correctness::Stopwatch;
using correctness::TestResult;

/// Stages that judge those on GPUs, the best first. The article's share no step of a game with
/// ours, but play only some 60 million deals a second. Beyond that the other of our two judges: its
/// steps are its own, its lists of cards are not.
constexpr std::array kReferees = {"bmn/cuda/06_bytes", "bmn/cuda/04_shared_table"};
constexpr std::array kFastReferees = {"bmn/cuda/07_links", "bmn/cuda/08_lean_links"};
constexpr std::uint64_t kMostOfTheText = 100'000'000;
/// The shape at which the text's stages fill a large GPU.
constexpr std::uint64_t kBlocks = 528, kThreads = 128;
/// Outcomes of the probe that are kept at once.
constexpr std::uint64_t kMostGames = std::uint64_t{1} << 26;

/// Another stage that plays the same deals on a GPU; on a CPU none is worth its time beside
/// the probe.
const BmnStage* referee_of(const BmnStage& stage, const Parameters& point, bool fast) {
  if (!stage.shuffles_at(point) || !computes_with_cuda(stage)) return nullptr;
  for (const char* name : fast ? kFastReferees : kReferees) {
    const auto* referee = dynamic_cast<const BmnStage*>(find_stage(name));
    if (referee && referee != &stage && referee->availability().ok) return referee;
  }
  return nullptr;
}

/// What a sample of `count` sees.
std::string share_wrong(std::uint64_t count, const char* of_what) {
  const double missed = std::pow(1 - correctness::kDetection, 1 / static_cast<double>(count));
  return fmt::format("{:.2g} % of the {} wrong", 100 * (1 - missed), of_what);
}

Result next_run(Table& table) {
  table.run();
  table.wait();
  return table.collect();
}

/// Of the games of any run: none missing, none twice.
TestResult accounts(const char* run, const Result& result, std::uint64_t deals) {
  const auto binned =
      std::accumulate(result.lengths.begin(), result.lengths.end(), std::uint64_t{0});
  const bool held = result.deals == deals && result.finished + result.capped == deals &&
                    result.wins[0] + result.wins[1] == result.finished && binned == result.finished;
  return exact(fmt::format("games of {}", run), held,
               fmt::format("{} of {}: {} finished, {} capped, {} by length", result.deals, deals,
                           result.finished, result.capped, binned));
}

bool equal(const Result& a, const Result& b) {
  return a.digest == b.digest && a.deals == b.deals && a.finished == b.finished &&
         a.turns == b.turns && a.tricks == b.tricks && a.lengths == b.lengths;
}

TestResult by_referee(const Result& first, const BmnStage& referee, const Parameters& point) {
  Parameters parameters = referee.defaults();
  for (const char* name : {"deals", "seed", "cap"}) parameters.set(name, point.at(name));
  if (parameters.has("blocks")) parameters.set("blocks", kBlocks).set("threads", kThreads);
  const Result wanted = next_run(*referee.prepare_table(parameters));
  return exact("the first run at this point", equal(first, wanted),
               fmt::format("digest {:016x} of {} games, {:016x} by {}", first.digest, first.deals,
                           wanted.digest, referee.info().name));
}

/// The probe's games are those of the run, and those of a sample are by the definition.
TestResults one_by_one(const Result& first, const BmnStage& stage, const Parameters& point,
                       double budget_s) {
  const Stopwatch watch;
  const std::vector<Outcome> games = stage.games(point);
  std::uint64_t digest = 0;
  for (std::uint64_t i = 0; i < games.size(); ++i) digest += digest_of(i, games[i]);
  std::mt19937_64 draw(23);
  std::uint64_t played = 0;
  std::string wrong;
  for (; wrong.empty() && !games.empty() && played < 100'000; ++played) {
    if (played >= 100 && watch.seconds() > budget_s) break;
    const std::uint64_t index = draw() % games.size();
    const Deal deal = stage.deal(point, index);
    if (games[index] != by_definition(deal, point.at("cap")))
      wrong = fmt::format("deal {} ({}) is played otherwise", index, text_of(deal));
  }
  TestResult sample = exact("a sample of its games", wrong.empty(),
                            wrong.empty() ? fmt::format("{} by the definition", played) : wrong);
  sample.power = share_wrong(played, "games");
  return {
      exact("the first run at this point", first.digest == digest && first.deals == games.size(),
            fmt::format("digest {:016x} of {} games, {:016x} of {} one by one", first.digest,
                        first.deals, digest, games.size())),
      sample};
}

TestResults check_next(const BmnStage& stage, const Result& last, const Result& next) {
  TestResults tests = {accounts("the next", next, last.deals)};
  if (stage.shuffles())
    tests.push_back(exact("runs differ", last.digest != next.digest, "digests of two runs"));
  return tests;
}

TestResults check_timed(const BmnStage& stage, const TimedRow& row, Table& timed,
                        const BmnStage* referee) {
  const Stopwatch watch;
  const Parameters& point = row.parameters;
  const std::uint64_t deals = point.at("deals");
  const Result last = timed.collect();
  TestResults tests = {accounts("the timed run", last, deals), check_longest(stage, point, last)};
  if (stage.shuffles_at(point) && point.at("cap") == kDefaultCap && deals > 1000)
    append(tests, check_lengths(last, deals));
  const Result first = row.first_run ? last : next_run(*stage.prepare_table(point));
  if (referee)
    tests.push_back(by_referee(first, *referee, point));
  else
    append(tests, one_by_one(first, stage, point, 0.3 * row.budget_s));
  if (row.time_for(watch.seconds() + row.run_s))
    append(tests, check_next(stage, last, next_run(timed)));
  return tests;
}

/// Of the deals counted those of one batch of 128 are played.
TestResults check_printed(const BmnStage& stage, const Parameters& point, Table& timed) {
  const Result last = timed.collect();
  const std::uint64_t played = played_as_printed(stage, point);
  TestResults tests = {accounts("the timed run, of those counted", last, played),
                       check_longest(stage, point, last)};
  if (point.at("cap") == kDefaultCap && played > 1000) append(tests, check_lengths(last, played));
  return tests;
}

/// Climber `number` after `rounds` rounds by the rules, with the definition as judge.
search::Climber by_rules(const search::ClimbPlan& plan, std::uint32_t number,
                         std::uint64_t rounds) {
  DefinedClimber climber(plan, number);
  for (std::uint64_t round = 0; round < rounds; ++round) climber.make_round();
  return climber.state();
}

/// A first run with these parameters. A random sample of climbers is followed by the rules: each
/// goes its own way, so any can be followed alone.
TestResult sampled_climbers(const search::ClimbStage& stage, const Parameters& point,
                            double budget_s) {
  const Stopwatch watch;
  const auto climb = stage.prepare_climb(point);
  climb->run();
  climb->wait();
  const std::vector<search::Climber> seen = climb->collect().climbers;
  const search::ClimbPlan plan = search::plan_of(point);
  std::mt19937_64 draw(29);
  std::string wrong;
  std::uint32_t led = 0;
  while (wrong.empty() && !seen.empty() && (led < 10 || watch.seconds() < budget_s)) {
    const auto number = static_cast<std::uint32_t>(draw() % seen.size());
    ++led;
    if (seen[number] != by_rules(plan, number, point.at("rounds")))
      wrong = fmt::format("climber {} is not where the rules lead it", number);
  }
  TestResult test = exact("climbers after the first run", wrong.empty(),
                          wrong.empty() ? fmt::format("{} where the rules lead them", led) : wrong);
  test.power = share_wrong(led, "climbers");
  return test;
}

TestResults check_climbers(const search::ClimbStage& stage, const TimedRow& row,
                           search::Climb& timed) {
  const Parameters& point = row.parameters;
  const search::ClimbResult last = timed.collect();
  timed.run();
  timed.wait();
  const search::ClimbResult next = timed.collect();
  const search::ClimbPlan plan = search::plan_of(point);
  const std::uint64_t games = plan.games() * point.at("rounds");
  std::uint64_t moved = 0;
  for (std::size_t i = 0; i < std::min(last.climbers.size(), next.climbers.size()); ++i)
    moved += last.climbers[i] != next.climbers[i];
  return {correctness::units_of_a_run(row, games),
          exact("games of a run", last.deals == games && next.deals == games,
                fmt::format("{} and {} of {}", last.deals, next.deals, games)),
          exact("every climber goes on", moved == plan.climbers,
                fmt::format("{} of {} in a run", moved, plan.climbers)),
          sampled_climbers(stage, point, 0.5 * row.budget_s)};
}

InSituResult check(const TimedRow& row) {
  // A first run where the last was none, and its games.
  const double least_s = (row.first_run ? 1 : 2) * row.run_s;
  if (least_s > row.most_s()) return correctness::too_long("a check at this point", least_s);
  const auto* climb = dynamic_cast<const search::ClimbStage*>(&row.stage);
  auto* climbed = dynamic_cast<search::Climb*>(&row.instance);
  if (climb && climbed) return correctness::in_situ_result(check_climbers(*climb, row, *climbed));
  const auto* stage = dynamic_cast<const BmnStage*>(&row.stage);
  auto* timed = dynamic_cast<Table*>(&row.instance);
  if (!stage || !timed) return {InSituState::unchecked, "no table that bmn knows was timed"};
  const std::uint64_t deals = row.parameters.at("deals");
  if (stage->info().as_printed) {
    TestResults tests = check_printed(*stage, row.parameters, *timed);
    tests.push_back(correctness::units_of_a_run(row, deals));
    return correctness::in_situ_result(tests);
  }
  const BmnStage* referee =
      referee_of(*stage, row.parameters, !row.patient && deals > kMostOfTheText);
  // The probe's games lie in memory, and are read one by one.
  const double probe_s = 2e-8 * static_cast<double>(deals);
  if (!referee && deals > kMostGames && probe_s > row.most_s())
    return correctness::too_long("a check at this point", probe_s);
  TestResults tests = check_timed(*stage, row, *timed, referee);
  tests.push_back(correctness::units_of_a_run(row, deals));
  return correctness::in_situ_result(tests);
}

const InSituCheckRegistration registered("bmn", check);

}  // namespace
}  // namespace ratchet::bmn
