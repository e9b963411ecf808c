#include "correctness/bmn/checks/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <unordered_map>

#include "correctness/support/data_file.h"
#include "correctness/support/statistics.h"
#include "kernels/bmn/search/ranks.h"
#include "kernels/support/rng/gpu_seed.h"
#include "perf/support/error.h"
#include "reference/bmn.h"

namespace ratchet::bmn {
namespace {

using correctness::exact;
using correctness::TestResult;

std::array<reference::bmn::Hand, 2> hands_of(const Deal& deal) {
  const std::string text = text_of(deal);
  const std::size_t middle = text.find('/');
  return {reference::bmn::hand_of(text.substr(0, middle)),
          reference::bmn::hand_of(text.substr(middle + 1))};
}

std::string words(const Outcome& outcome) {
  return fmt::format("{} turns, {} tricks, won by {}", outcome.turns, outcome.tricks,
                     outcome.winner);
}

/// Deals one by one: how many differ, and the first that does.
TestResult same_outcomes(const std::string& test, const std::vector<Outcome>& seen,
                         const std::vector<Outcome>& wanted, const std::vector<Deal>& deals) {
  if (seen.size() != wanted.size())
    return exact(test, false, fmt::format("{} games of {}", seen.size(), wanted.size()));
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = seen.size(); i-- > 0;)
    if (!(seen[i] == wanted[i])) ++wrong, first = i;
  if (wrong == 0) return exact(test, true, fmt::format("{} games as defined", seen.size()));
  return exact(test, false,
               fmt::format("{} of {} games differ; {}: {}, defined as {}", wrong, seen.size(),
                           text_of(deals[first]), words(seen[first]), words(wanted[first])));
}

TestResult same_result(const Result& seen, const Result& wanted) {
  const bool held = seen.deals == wanted.deals && seen.finished == wanted.finished &&
                    seen.capped == wanted.capped && seen.turns == wanted.turns &&
                    seen.tricks == wanted.tricks && seen.wins == wanted.wins &&
                    seen.lengths == wanted.lengths && seen.digest == wanted.digest;
  return exact(
      "sums of the run", held,
      fmt::format("{} deals, {} capped, {} turns, {} tricks; its games make {}, {}, {}, {}",
                  seen.deals, seen.capped, seen.turns, seen.tricks, wanted.deals, wanted.capped,
                  wanted.turns, wanted.tricks));
}

/// Deal `index` of a stage.
using DealOf = std::function<Deal(std::uint64_t index)>;

TestResult same_longest(const Result& seen, const Result& wanted, const DealOf& deal) {
  const bool none = wanted.finished == 0;
  const auto deal_of = [&](const Game& game) { return none ? Deal{} : deal(game.index); };
  const bool held = seen.most_turns.index == wanted.most_turns.index &&
                    seen.most_turns.outcome.turns == wanted.most_turns.outcome.turns &&
                    seen.most_turns.deal == deal_of(wanted.most_turns) &&
                    seen.most_tricks.index == wanted.most_tricks.index &&
                    seen.most_tricks.outcome.tricks == wanted.most_tricks.outcome.tricks &&
                    seen.most_tricks.deal == deal_of(wanted.most_tricks);
  return exact(
      "longest games", held,
      fmt::format("{} turns by deal {} and {} tricks by deal {}; wanted {} by {}, {} by {}",
                  seen.most_turns.outcome.turns, seen.most_turns.index,
                  seen.most_tricks.outcome.tricks, seen.most_tricks.index,
                  wanted.most_turns.outcome.turns, wanted.most_turns.index,
                  wanted.most_tricks.outcome.tricks, wanted.most_tricks.index));
}

TestResult same_capped(const Result& seen, const std::vector<Outcome>& games, std::uint64_t first,
                       const DealOf& deal) {
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t i = 0; i < games.size(); ++i)
    if (games[i].winner == kNobody) wanted.push_back(first + i);
  bool held = seen.capped == wanted.size() &&
              seen.capped_games.size() == std::min(wanted.size(), kCappedKept);
  for (const Game& game : seen.capped_games)
    held = held && std::binary_search(wanted.begin(), wanted.end(), game.index) &&
           game.deal == deal(game.index);
  const auto out_of_order = [](const Game& a, const Game& b) { return a.index >= b.index; };
  held = held && std::adjacent_find(seen.capped_games.begin(), seen.capped_games.end(),
                                    out_of_order) == seen.capped_games.end();
  return exact("capped games with their cards, once each, by index", held,
               fmt::format("{} counted, {} kept of {}", seen.capped, seen.capped_games.size(),
                           wanted.size()));
}

/// Chi-square of equal cells; power as the relative deviation of all cells that it catches.
TestResult uniform(const std::string& test, const std::vector<std::uint64_t>& seen,
                   const std::vector<double>& probability) {
  const auto fit = correctness::goodness_of_fit(seen, probability);
  std::uint64_t all = 0;
  for (const std::uint64_t cell : seen) all += cell;
  const double relative =
      std::sqrt(correctness::detectable_noncentrality(fit.degrees) / static_cast<double>(all));
  return {test, fmt::format("chi-square {:.1f} with {:.0f} degrees", fit.chi_square, fit.degrees),
          fit.p, fmt::format("cells off by {:.2g} of themselves", relative)};
}

TestResult close(const std::string& test, double seen, double wanted, double sd) {
  return {test, fmt::format("{:.5g}, wanted {:.5g} +- {:.2g}", seen, wanted, sd),
          correctness::two_sided_p((seen - wanted) / sd),
          fmt::format("a shift of {:.2g}", correctness::detectable_z() * sd)};
}

}  // namespace

Result sum_of(const std::vector<Outcome>& games, std::uint64_t first) {
  Result sum;
  for (std::uint64_t i = 0; i < games.size(); ++i) {
    const Outcome& game = games[i];
    const std::uint64_t index = first + i;
    ++sum.deals;
    sum.digest += digest_of(index, game);
    if (game.winner == kNobody) {
      ++sum.capped;
      continue;
    }
    if (sum.finished == 0 || game.turns > sum.most_turns.outcome.turns)
      sum.most_turns = {index, game, {}};
    if (sum.finished == 0 || game.tricks > sum.most_tricks.outcome.tricks)
      sum.most_tricks = {index, game, {}};
    ++sum.finished;
    sum.turns += game.turns;
    sum.tricks += game.tricks;
    ++sum.wins.at(game.winner);
    ++sum.lengths.at(bin_of(game.turns));
  }
  return sum;
}

Parameters parameters_for(const BmnStage& stage, std::uint64_t deals, std::uint64_t seed,
                          std::uint64_t cap) {
  Parameters parameters = stage.defaults();
  parameters.set("deals", deals).set("cap", cap);
  if (parameters.has("seed")) parameters.set("seed", seed);
  return parameters;
}

Outcome by_definition(const Deal& deal, std::uint64_t cap) {
  auto [first, second] = hands_of(deal);
  const auto outcome = reference::bmn::play(std::move(first), std::move(second), cap);
  return {outcome.turns, outcome.tricks, outcome.winner};
}

std::string proven_fate(const Deal& deal) {
  auto [first, second] = hands_of(deal);
  const auto fate = reference::bmn::fate(std::move(first), std::move(second));
  if (!fate.endless) return fmt::format("ends after {} turns, {} tricks", fate.turns, fate.tricks);
  return fmt::format("never ends: from turn {} on it repeats every {} turns, {} tricks",
                     fate.transient_turns, fate.period_turns, fate.period_tricks);
}

std::vector<Deal> edge_deals(std::uint32_t random) {
  std::vector<Deal> deals;
  for (const OracleRow& row : oracle("bmn_document_deals.tsv"))
    deals.push_back(deal_of(row.at("deal")));
  for (const OracleRow& row : oracle("bmn_deal_rank.tsv"))
    deals.push_back(deal_of(row.at("deal52")));
  for (const OracleRow& row : oracle("bmn_small_cases.tsv"))
    if (row.at("handA").size() + row.at("handB").size() <= kDeck)
      deals.push_back(deal_of(row.at("handA"), row.at("handB")));
  for (const OracleRow& row : oracle("bmn_known_deals.tsv")) {
    const std::string& text = row.at("deal");
    deals.push_back(deal_of(text.substr(0, 26), text.substr(27)));
  }
  for (const OracleRow& row : oracle("camicia40_infinite.tsv")) {
    const std::string text = reference::bmn::text_of(reference::bmn::hand_of(row.at("deal40")));
    deals.push_back(deal_of(text.substr(0, 20), text.substr(20)));
  }
  const std::string courts = "JJJJQQQQKKKKAAAA", numbers(36, '-');
  for (const std::string& all : {courts + numbers, numbers + courts, std::string(52, '-')})
    for (const unsigned at : {0u, 1u, 16u, 26u, 36u, 51u, 52u})
      deals.push_back(deal_of(all.substr(0, at), all.substr(at)));
  std::mt19937_64 draw(11);
  for (std::uint32_t i = 0; i < random; ++i) {
    std::string deck = courts + numbers;
    std::shuffle(deck.begin(), deck.end(), draw);
    if (i % 2 == 1) deck.resize(draw() % (kDeck + 1));
    const std::size_t split = draw() % (deck.size() + 1);
    deals.push_back(deal_of(deck.substr(0, split), deck.substr(split)));
  }
  return deals;
}

TestResults check_given(const BmnStage& stage, const std::vector<Deal>& deals, std::uint64_t cap) {
  return check_given(stage, deals, stage.defaults().set("cap", cap));
}

namespace {

struct Asked {
  Deal deal;
  std::uint64_t cap;
  bool operator==(const Asked&) const = default;
};
struct HashOfAsked {
  std::size_t operator()(const Asked& asked) const {
    const auto& [courts, ranks, cards] = asked.deal;
    return mix64(mix64(mix64(mix64(courts[0]) + courts[1]) + ranks) + (asked.cap << 8) + cards[0]);
  }
};

/// All stages are asked for the same deals: what one was told is kept for the next, some 50 MB.
Outcome once_by_definition(const Deal& deal, std::uint64_t cap) {
  static std::unordered_map<Asked, Outcome, HashOfAsked> known;
  const auto found = known.find({deal, cap});
  if (found != known.end()) return found->second;
  const Outcome outcome = by_definition(deal, cap);
  if (known.size() < 500'000) known.emplace(Asked{deal, cap}, outcome);
  return outcome;
}

}  // namespace

TestResults check_given(const BmnStage& stage, const std::vector<Deal>& deals,
                        const Parameters& parameters) {
  const std::uint64_t cap = parameters.at("cap");
  std::vector<Outcome> wanted;
  for (const Deal& deal : deals) wanted.push_back(once_by_definition(deal, cap));
  return {same_outcomes(fmt::format("given deals under a cap of {}", cap),
                        stage.play(parameters, deals), wanted, deals)};
}

/// Of 52 cards, or of the 40 without number cards beyond 28 and aces.
bool is_of_a_deck(const Deal& deal) {
  std::string text = text_of(deal);
  std::sort(text.begin(), text.end());
  return has_all_cards(deal) || text == std::string(28, '-') + "/JJJJKKKKQQQQ";
}

TestResult whole_decks(const std::vector<Deal>& deals) {
  const auto wrong = std::find_if_not(deals.begin(), deals.end(), is_of_a_deck);
  return exact("deals hold the cards of a deck", wrong == deals.end(),
               wrong == deals.end() ? fmt::format("{} deals", deals.size()) : text_of(*wrong));
}

/// Deals by rank are those of their ranks, read back another way.
TestResult named_by_rank(const std::vector<Deal>& deals, std::uint64_t first) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < deals.size(); ++i)
    wrong += search::rank_of(deals[i]) != search::rank_at(first, i);
  return exact("deals are those of their ranks", wrong == 0,
               fmt::format("{} of {} are not", wrong, deals.size()));
}

/// Some 50 deals, spread over those of a run, against what the seed decides: the stage and its own
/// deal() might have them wrong alike.
TestResult decided_by_the_seed(const BmnStage& stage, const Parameters& parameters,
                               const std::vector<Deal>& deals, std::uint64_t first) {
  const std::uint64_t seed = parameters.at("seed");
  const std::size_t step = deals.size() / 50 + 1;
  std::size_t wrong = 0, looked_at = 0;
  for (std::size_t i = 0; i < deals.size(); i += step, ++looked_at)
    wrong += deals[i] != (stage.shuffles_at(parameters)
                              ? defined_shuffle(seed, first + i)
                              : defined_chain(seed, first + i, parameters.at("chain")));
  return exact("deals are those of the seed", wrong == 0,
               fmt::format("{} of {} are not", wrong, looked_at));
}

/// What run number `run` of a stage is to play.
struct Wanted {
  std::uint64_t first;
  std::vector<Deal> deals;
  std::vector<Outcome> games;
};
Wanted wanted_of(const BmnStage& stage, const Parameters& parameters, std::uint64_t run) {
  Wanted wanted{.first = run * parameters.at("deals"), .deals = {}, .games = {}};
  for (std::uint64_t i = 0; i < parameters.at("deals"); ++i) {
    wanted.deals.push_back(stage.deal(parameters, wanted.first + i));
    wanted.games.push_back(once_by_definition(wanted.deals.back(), parameters.at("cap")));
  }
  return wanted;
}

/// A run's result against the games wanted, and their deals against the definition of these.
TestResults same_run(const BmnStage& stage, const Parameters& parameters, const Result& result,
                     const Wanted& wanted) {
  const DealOf deal = [&](std::uint64_t index) { return stage.deal(parameters, index); };
  const Result sum = sum_of(wanted.games, wanted.first);
  TestResults tests = {same_result(result, sum), same_longest(result, sum, deal),
                       same_capped(result, wanted.games, wanted.first, deal),
                       whole_decks(wanted.deals)};
  if (parameters.has("seed"))
    tests.push_back(decided_by_the_seed(stage, parameters, wanted.deals, wanted.first));
  if (parameters.has("first"))
    tests.push_back(named_by_rank(wanted.deals, parameters.at("first") + wanted.first));
  return tests;
}

TestResults check_games(const BmnStage& stage, const Parameters& parameters) {
  const Wanted wanted = wanted_of(stage, parameters, 0);
  const auto table = stage.prepare_table(parameters);
  table->run();
  table->wait();
  TestResults tests = {
      same_outcomes("games one by one", stage.games(parameters), wanted.games, wanted.deals)};
  correctness::append(tests, same_run(stage, parameters, table->collect(), wanted));
  if (stage.shuffles_at(parameters)) {
    static std::map<std::uint64_t, TestResults> of_seeds;  // they are of no stage
    const std::uint64_t seed = parameters.at("seed");
    auto [shuffles, fresh] = of_seeds.try_emplace(seed);
    if (fresh) shuffles->second = check_shuffles(seed, 200);
    correctness::append(tests, shuffles->second);
  }
  return tests;
}

namespace {

/// Deals of a block's backlog.
std::uint64_t printed_backlog(const BmnStage& stage) {
  static const std::map<std::string, std::uint64_t> backlogs = {{"bmn/cuda/05p_as_printed", 220},
                                                                {"bmn/cuda/06p_as_printed", 885}};
  const auto backlog = backlogs.find(stage.info().name);
  if (backlog == backlogs.end())
    throw Error(stage.info().name + ": correctness/bmn/checks/checks.cpp knows no backlog of it");
  return backlog->second;
}

}  // namespace

bool plays_as_printed(const BmnStage& stage, const Parameters& parameters, std::uint64_t index) {
  const std::uint64_t blocks = parameters.at("blocks");
  const std::uint64_t launch = (blocks * parameters.at("threads") / 32) << 18;  // kWarpShare
  return index % launch / (blocks * printed_backlog(stage)) % 128 == 0;
}

std::uint64_t played_as_printed(const BmnStage& stage, const Parameters& parameters) {
  std::uint64_t played = 0;
  for (std::uint64_t i = 0; i < parameters.at("deals"); ++i)
    played += plays_as_printed(stage, parameters, i);
  return played;
}

TestResults check_as_printed(const BmnStage& stage, const Parameters& parameters) {
  const std::vector<Outcome> games = stage.games(parameters);
  std::uint64_t played = 0, digest = 0, wrong = 0;
  for (std::uint64_t i = 0; i < games.size(); ++i) {
    Outcome wanted{~0u, ~0u, ~0u};  // what is not played leaves nothing
    if (plays_as_printed(stage, parameters, i)) {
      wanted = by_definition(stage.deal(parameters, i), parameters.at("cap"));
      digest += digest_of(i, wanted);
      ++played;
    }
    wrong += games[i] != wanted;
  }
  const auto table = stage.prepare_table(parameters);
  table->run();
  table->wait();
  const Result result = table->collect();
  const std::uint64_t counted = table->units();
  return {
      exact("one batch of 128 is played, as defined", wrong == 0 && !games.empty(),
            fmt::format("{} of {} deals are otherwise", wrong, games.size())),
      exact("the sums are of the games played", result.deals == played && result.digest == digest,
            fmt::format("{} games, digest {:016x}; wanted {}, {:016x}", result.deals, result.digest,
                        played, digest)),
      exact("all deals are counted", counted == parameters.at("deals") && counted > played,
            fmt::format("{} counted, {} played", counted, played))};
}

TestResults check_each_run(const BmnStage& stage, const Parameters& parameters, unsigned runs) {
  const auto table = stage.prepare_table(parameters);
  TestResults tests;
  for (unsigned run = 0; run < runs; ++run) {
    table->run();
    table->wait();
    for (auto& test :
         same_run(stage, parameters, table->collect(), wanted_of(stage, parameters, run))) {
      test.name += fmt::format(", run {} of {} deals", run, parameters.at("deals"));
      tests.push_back(std::move(test));
    }
  }
  return tests;
}

TestResult check_longest(const BmnStage& stage, const Parameters& parameters,
                         const Result& result) {
  const std::uint64_t cap = parameters.at("cap");
  const Game &turns = result.most_turns, &tricks = result.most_tricks;
  const auto outcome = [&](const Game& game) {
    return by_definition(stage.deal(parameters, game.index), cap);
  };
  bool held = result.finished == 0 || (outcome(turns).turns == turns.outcome.turns &&
                                       outcome(tricks).tricks == tricks.outcome.tricks);
  const std::size_t some = std::min<std::size_t>(result.capped_games.size(), 100);
  for (std::size_t i = 0; i < some; ++i)
    held = held && outcome(result.capped_games[i]).winner == kNobody;
  return exact(
      "longest games by the definition", held,
      fmt::format("{} turns by deal {}, {} tricks by deal {}, {} capped", turns.outcome.turns,
                  turns.index, tricks.outcome.tricks, tricks.index, some));
}

TestResults check_runs(const BmnStage& stage, std::uint64_t deals, std::uint64_t seed) {
  const auto halves = stage.prepare_table(parameters_for(stage, deals, seed));
  const auto whole = stage.prepare_table(parameters_for(stage, 2 * deals, seed));
  std::uint64_t digest = 0;
  bool counted = true;
  for (int run = 0; run < 2; ++run) {
    halves->run();
    halves->wait();
    const Result result = halves->collect();
    digest += result.digest;
    counted = counted && result.deals == deals && halves->units() == deals;
  }
  whole->run();
  whole->wait();
  return {exact("deals of a run", counted, fmt::format("{} asked for", deals)),
          exact("two runs make one of twice the deals", digest == whole->collect().digest,
                "digests of the games")};
}

TestResults check_lengths(const Result& result, std::uint64_t deals) {
  // Of 4e7 random deals by an independent program; its own errors are added to ours.
  // No deviation is given for tricks; theirs is taken to be like that of turns.
  constexpr double kSample = 4e7, kTurns = 254.70, kTurnsSd = 205.9;
  constexpr double kTricks = 35.25, kTricksSd = 28.5, kTail = 9.79e-3;
  const double n = static_cast<double>(result.finished), share = 1 / n + 1 / kSample;
  std::uint64_t long_games = result.capped;
  for (unsigned bin = kFineBins; bin < kBins; ++bin) long_games += result.lengths[bin];
  return {
      exact("deals played", result.deals == deals, fmt::format("{} of {}", result.deals, deals)),
      close("mean turns", static_cast<double>(result.turns) / n, kTurns,
            kTurnsSd * std::sqrt(share) + 0.005),  // the figure is rounded
      close("mean tricks", static_cast<double>(result.tricks) / n, kTricks,
            kTricksSd * std::sqrt(share) + 0.005),
      close("games of 1000 turns or more", static_cast<double>(long_games) / n, kTail,
            std::sqrt(kTail * share) + 5e-6)};
}

bool has_all_cards(const Deal& deal) {
  std::string text = text_of(deal);
  std::sort(text.begin(), text.end());
  return text == std::string(36, '-') + "/AAAAJJJJKKKKQQQQ" && deal.cards[0] == kHand;
}

TestResults check_shuffles(std::uint64_t seed, std::uint32_t deals) {
  std::uint32_t wrong = 0;
  std::string first;
  for (std::uint32_t index = 0; index < deals; ++index) {
    const std::string wanted = text_of(defined_shuffle(seed, index));
    const std::string seen = text_of(shuffled_deal(seed, index));
    if (seen != wanted && wrong++ == 0) first = "; " + seen + ", defined as " + wanted;
  }
  return {exact("shuffles as defined", wrong == 0,
                fmt::format("{} of {} differ{}", wrong, deals, first))};
}

TestResults check_uniformity(std::uint64_t seed, std::uint64_t deals) {
  std::vector<std::uint64_t> place(kDeck), pair(kDeck * kDeck), rank(kDeck * 4), ranks(16),
      order(kCourts * 4), repeat(2);
  Deal last;
  for (std::uint64_t index = 0; index < deals; ++index) {
    const Deal deal = shuffled_deal(seed, index);
    const std::uint64_t all = deal.courts[0] | deal.courts[1] << kHand;
    std::uint32_t left = deal.ranks;
    unsigned court = 0;
    for (std::uint64_t rest = all; rest != 0; rest &= rest - 1, left >>= 2, ++court) {
      const auto at = static_cast<unsigned>(__builtin_ctzll(rest));
      ++place[at];
      ++rank[at * 4 + (left & 3)];
      ++order[court * 4 + (left & 3)];
      if (court + 1 < kCourts) ++ranks[left & 15];
      // One pair a court keeps pairs nearly independent of each other.
      const std::uint64_t behind = rest & (rest - 1);
      if (behind != 0) ++pair[at * kDeck + static_cast<unsigned>(__builtin_ctzll(behind))];
    }
    ++repeat[(deal.courts[0] & 1) == (last.courts[0] & 1)];
    last = deal;
  }
  const double share = 16.0 / 52;
  std::vector<double> pairs(kDeck * kDeck);
  for (unsigned a = 0; a < kDeck; ++a)  // next court of a is b: the cards between are numbers
    for (unsigned b = a + 1; b < kDeck; ++b) {
      double p = share * 15 / 51;
      for (unsigned k = 0; k + a + 1 < b; ++k) p *= (36.0 - k) / (50.0 - k);
      pairs[a * kDeck + b] = p / 15;  // 15 such pairs a deal
    }
  std::vector<double> neighbours(16);
  for (unsigned a = 0; a < 4; ++a)
    for (unsigned b = 0; b < 4; ++b) neighbours[a + 4 * b] = 0.25 * (a == b ? 3 : 4) / 15;
  const double same = share * 16.0 / 52 + (1 - share) * (1 - share);
  return {
      uniform("courts by position", place, std::vector<double>(kDeck, 1.0 / kDeck)),
      uniform("neighbouring courts by positions", pair, pairs),
      uniform("ranks by position", rank, std::vector<double>(kDeck * 4, 0.25 / kDeck)),
      uniform("ranks by court", order, std::vector<double>(kCourts * 4, 0.25 / kCourts)),
      uniform("ranks of neighbouring courts", ranks, neighbours),
      {"front card like the deal before's", fmt::format("{} of {}", repeat[1], deals),
       correctness::binomial_p(repeat[1], deals, same),
       fmt::format("a chance off by {:.2g}",
                   correctness::detectable_z() * std::sqrt(same * (1 - same) / double(deals)))}};
}

namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char symbol : line) {
    if (symbol == '\t')
      fields.emplace_back();
    else
      fields.back() += symbol;
  }
  return fields;
}

}  // namespace

std::vector<OracleRow> oracle(const std::string& name) {
  const std::string path = correctness::data_file("bmn/oracles/" + name);
  std::ifstream file = correctness::open_data_file("bmn/oracles/" + name);
  std::vector<OracleRow> rows;
  std::vector<std::string> columns;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#deal\t")) line.erase(0, 1);
    if (line.empty() || line.starts_with("# ")) continue;
    std::vector<std::string> fields = fields_of(line);
    if (columns.empty()) {
      columns = std::move(fields);
      continue;
    }
    if (fields.size() > columns.size())
      throw Error(path + " has a row of " + std::to_string(fields.size()) + " fields under " +
                  std::to_string(columns.size()) + " columns: " + line);
    fields.resize(columns.size());  // empty fields at the end may be cut
    OracleRow row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw Error(path + " holds no rows");
  return rows;
}

}  // namespace ratchet::bmn
