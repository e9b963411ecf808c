// What runs leave behind: runs in a row, starting again, universes side by side, other parameters.
#include <set>

#include "correctness/life/tests/support/scenes.h"
#include "correctness/life/tests/support/stage_tests.h"
#include "correctness/support/related_seeds.h"
#include "perf/support/error.h"

namespace ratchet::life {
namespace {

TEST_P(Life, RunsInARowAreOneLongRun) {
  const Grid start = soup(261, 133, 4, 100);
  for (const auto& [steps, runs] :
       {std::pair<std::uint64_t, std::uint64_t>{1, 9}, {2, 5}, {15, 3}, {16, 3}, {17, 3}, {33, 4}})
    expect_equal(start, steps, runs);
}

TEST_P(Life, NoRunLeavesTheStart) {
  for (const Edge edge : edges())
    for (const std::uint64_t width : {1, 63, 64, 131}) {
      const Grid start = soup(width, 77, width, 128);
      const auto universe =
          stage().prepare_universe(parameters_for(stage(), width, 77, 3, edge), start);
      EXPECT_EQ("", difference(start, universe->collect())) << width << " columns";
    }
}

/// The documented soup of all 64 bits of a seed.
TEST_P(Life, StartsWithTheSoupOfItsSeed) {
  std::vector<std::uint64_t> seeds = correctness::special_seeds();
  for (unsigned bit = 0; bit < 64; ++bit) seeds.push_back(std::uint64_t{1} << bit);
  for (const std::uint64_t seed : seeds)
    for (const std::uint64_t density : {1, 100, 256}) {
      Parameters parameters = parameters_for(stage(), 131, 7, 1);
      parameters.set("seed", seed).set("density", density);
      const auto instance = stage().prepare(parameters);
      const Grid start = dynamic_cast<Universe&>(*instance).collect();
      ASSERT_EQ("", difference(soup(131, 7, seed, static_cast<unsigned>(density)), start))
          << "seed " << seed << ", density " << density;
    }
}

/// reset() brings back the start, or changes nothing: whichever, it is the same every time, and
/// what runs do next is right.
TEST_P(Life, ResetStartsAgainOrChangesNothing) {
  const Grid start = soup(143, 87, 2, 100);
  std::set<bool> starts_again;
  for (const Edge edge : edges())
    for (const std::uint64_t steps : {1, 2, 16, 21}) {
      const auto universe =
          stage().prepare_universe(parameters_for(stage(), 143, 87, steps, edge), start);
      for (const std::uint64_t runs : {1, 3, 2}) {
        for (std::uint64_t run = 0; run < runs; ++run) universe->run();
        const Grid before = universe->collect();
        universe->reset();
        const Grid after = universe->collect();
        starts_again.insert(after == start);
        if (after != start) {
          ASSERT_EQ("", difference(before, after)) << "neither here nor there";
        }
        universe->run();
        const Grid next = oracle_run(after, steps, edge);
        ASSERT_EQ("", difference(next, universe->collect())) << steps << " steps after " << runs;
        ASSERT_EQ("", difference(next, universe->collect())) << "collected again";
      }
    }
  EXPECT_EQ(starts_again.size(), 1u) << "it brings back the start some of the time";
}

TEST_P(Life, CollectingBetweenRunsChangesNothing) {
  const Grid start = soup(143, 87, 3, 100);
  const auto universe = stage().prepare_universe(parameters_for(stage(), 143, 87, 5), start);
  for (std::uint64_t run = 1; run <= 6; ++run) {
    universe->run();
    ASSERT_EQ("", difference(oracle_run(start, 5 * run, Edge::dead), universe->collect()))
        << "run " << run;
  }
}

/// Two universes of one stage at a time, of different sizes, share nothing.
TEST_P(Life, UniversesSideBySide) {
  const Grid small = soup(70, 50, 5, 100), large = soup(300, 190, 6, 100);
  const auto a = stage().prepare_universe(parameters_for(stage(), 70, 50, 9), small);
  const auto b = stage().prepare_universe(parameters_for(stage(), 300, 190, 4), large);
  for (int run = 0; run < 3; ++run) {
    a->run();
    b->run();
  }
  EXPECT_EQ("", difference(oracle_run(small, 27, Edge::dead), a->collect()));
  EXPECT_EQ("", difference(oracle_run(large, 12, Edge::dead), b->collect()));
}

TEST_P(Life, CountsTheCellsOfTheUniverseOnly) {
  for (const Edge edge : edges())
    for (const std::uint64_t width : {1, 31, 100}) {
      const auto universe = stage().prepare_universe(parameters_for(stage(), width, 37, 11, edge),
                                                     soup(width, 37, 1, 128));
      EXPECT_EQ(universe->units(), width * 37 * 11) << to_string(edge);
    }
}

TEST_P(Life, RefusesAStartOfAnotherSize) {
  EXPECT_THROW(stage().prepare_universe(parameters_for(stage(), 10, 20, 1), Grid(20, 10)), Error);
}

/// Values to try of a parameter that only some stages have: threads, block shapes, memory.
std::set<std::uint64_t> values_of(const Parameter& parameter) {
  std::set<std::uint64_t> values{parameter.min, parameter.value};
  for (const std::uint64_t value :
       {parameter.min + 1, parameter.value + 1, 2 * parameter.value, parameter.max})
    if (value <= parameter.max && value <= 4 * parameter.value + 4) values.insert(value);
  return values;
}

/// A value that cannot work is refused by an Error; whatever is not refused is right.
TEST_P(Life, EveryValueOfOtherParameters) {
  // What says where a universe starts and how large it is, not how it is computed.
  const std::set<std::string> common{"width",   "height", "steps", "seed",
                                     "density", "torus",  "settle"};
  const Grid start = soup(517, 203, 9, 100);
  for (const Parameter& parameter : stage().info().parameters) {
    if (common.contains(parameter.name)) continue;
    int worked = 0;
    for (const std::uint64_t value : values_of(parameter))
      for (const Edge edge : edges()) {
        Parameters parameters = parameters_for(stage(), 517, 203, 37, edge);
        parameters.set(parameter.name, value);
        std::unique_ptr<Universe> universe;
        try {
          universe = stage().prepare_universe(parameters, start);
        } catch (const Error& error) {
          EXPECT_NE(value, parameter.value) << "the default is refused: " << error.what();
          EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
          continue;
        }
        ++worked;
        universe->run();
        ASSERT_EQ("", difference(oracle_run(start, 37, edge), universe->collect()))
            << parameter.name << " " << value << ", " << to_string(edge);
      }
    EXPECT_GE(worked, 1) << parameter.name;
  }
}

}  // namespace
}  // namespace ratchet::life
