// Lists exact linear relations of ring15 (correctness/graveler/checks/ring15/relations.h) that
// rolls of a battle, of two battles or of neighbouring rounds show. Searches for taps with which
// none show.
//
// usage: ring15_relations check [--rows] [--sampled] [--in-turn] [--taps LIST --rotations LIST]
//        ring15_relations search [--rows] [--in-turn] [--seed S] [--count N] [--tries N]
//
// check prints each relation found. --sampled takes the taps that were shipped before; --in-turn
// takes battles of 05_shared_masks with seven outcome words in turn, as they were then. --rows is
// about Ring15Rows: battles of 07_more_multiplications, and none of 05. search prints N schedules
// that check finds nothing in, at the same number of multiplications and rotations. Exit codes: 0
// no relation shows, or as many schedules as wanted are found; 1 otherwise; 2 bad input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "correctness/graveler/checks/ring15/relations.h"
#include "correctness/graveler/checks/ring15/search.h"
#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

struct RelationOptions {
  std::string taps, rotations;
  bool sampled = false, in_turn = false, rows = false;
  std::uint64_t seed = 1;
  unsigned count = 1, tries = 1000;
};

/// The number of meetings; prints each.
std::size_t print_meetings(const RingSchedule& schedule, const std::vector<BattleRolls>& battles) {
  std::size_t found = 0, scopes = 0;
  for (const Scope& scope : scopes_of(battles)) {
    ++scopes;
    for (const Meeting& meeting : meetings(schedule, scope.words)) {
      ++found;
      fmt::print("{}: {}\n", scope.name, text_of(meeting));
    }
  }
  fmt::print("{} relations show in {} sets of rolls\n", found, scopes);
  return found;
}

/// Of a stage whose battles have words of one stream; none for --rows.
std::vector<BattleRolls> shared_rolls(const RelationOptions& options) {
  if (options.rows) return {};
  return options.in_turn ? rolls_of_words_in_turn() : rolls_of_shared_masks();
}

int check(const RelationOptions& options) {
  const RingSchedule schedule =
      options.sampled ? sampled_schedule()
                      : chosen_schedule(options.taps, options.rotations,
                                        options.rows ? rows_schedule() : shipped_schedule());
  fmt::print("{}\n", text_of(schedule));
  const auto shared = shared_rolls(options), tensor = rolls_of_tensor_count();
  for (const auto* battles : {&shared, &tensor}) {
    if (battles->empty()) continue;
    print_meetings(schedule, *battles);
    const char* stage = battles == &shared ? "05_shared_masks" : "06_tensor_count";
    fmt::print("a battle of {} would show {} were all steps linear at all bits\n", stage,
               battles_are_free_at_all_bits(schedule, *battles) ? "nothing" : "a relation");
    fmt::print("the same battle of {} in {} rounds in turn shows {}\n", stage, kLongRun,
               long_runs_are_free(schedule, *battles, kLongRun) ? "nothing" : "a relation");
  }
  fmt::print("three rolls of two rounds {}\n",
             fewest_dependent_rolls(schedule) < 4 ? "depend on each other" : "do not depend");
  return is_free(schedule, shared, tensor) ? 0 : 1;
}

int search(const RelationOptions& options) {
  const auto shared = shared_rolls(options), tensor = rolls_of_tensor_count();
  const SearchGoal goal = options.rows ? kRowsGoal : SearchGoal{};
  std::mt19937_64 random(options.seed);
  unsigned found = 0, fewest = ~0u;
  for (unsigned tried = 1; tried <= options.tries && found < options.count; ++tried) {
    const auto& battles = options.rows ? tensor : shared;
    auto [schedule, faults] = anneal_schedule(battles, random, goal);
    fewest = std::min(fewest, faults);
    if (faults == 0 && options.rows) schedule = part_three_rolls(schedule, battles, random, goal);
    if (faults > 0 || !is_free(schedule, shared, tensor)) continue;
    fmt::print("# draw {}\n{}\n", tried, text_of(schedule));
    std::fflush(stdout);
    ++found;
  }
  if (found < options.count)
    fmt::print("{} found in {} draws; the fewest relations left in one are {}\n", found,
               options.tries, fewest);
  return found == options.count ? 0 : 1;
}

}  // namespace
}  // namespace ratchet::graveler

int main(int argc, char** argv) {
  ratchet::graveler::RelationOptions options;
  CLI::App app("Exact linear relations of ring15 that rolls show");
  app.require_subcommand(1);
  auto* check = app.add_subcommand("check", "print the relations that show");
  check->add_option("--taps", options.taps, "45 numbers, separated by commas");
  check->add_option("--rotations", options.rotations, "45 numbers; 0 is a multiplication");
  check->add_flag("--sampled", options.sampled, "the taps that were shipped before");
  check->add_flag("--in-turn", options.in_turn, "seven outcome words in turn make a battle");
  check->add_flag("--rows", options.rows, "of Ring15Rows and the battles of 07");
  auto* search = app.add_subcommand("search", "print schedules that show none");
  search->add_option("--seed", options.seed);
  search->add_option("--count", options.count);
  search->add_option("--tries", options.tries, "schedules drawn, at most");
  search->add_flag("--rows", options.rows, "for the battles of 07, more multiplications");
  search->add_flag("--in-turn", options.in_turn, "seven outcome words in turn make a battle");
  try {
    app.parse(argc, argv);
    return *search ? ratchet::graveler::search(options) : ratchet::graveler::check(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ratchet::Error& error) {
    std::fprintf(stderr, "ring15_relations: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
