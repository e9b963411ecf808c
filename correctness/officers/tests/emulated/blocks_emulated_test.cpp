// The sources of the text's kernels (officers/cuda/01 to 08) on a CPU, blocks of threads that wait
// for each other in many orders.
#include "correctness/officers/tests/emulated/device_on_host.h"
// After it:
#include "kernels/officers/blocks/chain.cuh"
#include "kernels/officers/blocks/steps.cuh"
#include "kernels/officers/blocks/whole.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <functional>

#include "correctness/officers/checks/facts.h"
#include "correctness/officers/checks/planted.h"
#include "kernels/officers/blocks/plan.h"
#include "kernels/officers/front/plan.h"
#include "kernels/officers/values/compressed.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

using namespace blocks;

struct Launched {
  Control control{};
  std::vector<std::uint16_t> values;
};

using Launch = std::function<void(const Job& job, unsigned blocks)>;

Launched launch(const State& from, std::uint32_t count, std::uint32_t threads, unsigned blocks,
                const Launch& run, std::uint64_t patience = ~0ull) {
  const front::Tables tables = front::make_tables(from, threads);
  const std::uint32_t chunks = (count + threads - 1) / threads;
  std::vector<std::uint8_t> values(kKeep + chunks * threads);
  std::copy(tables.values.begin(), tables.values.end(), values.begin());
  const std::vector<std::uint32_t> ends = step_ends(tables.rares, threads, blocks);
  std::vector<std::uint32_t> masks(8 * blocks * threads);
  std::vector<std::uint64_t> fresh(kSlots * threads / 4);
  Launched made;
  meetings.clear();
  run({chunks, values.data(), tables.rares.data(), static_cast<std::uint32_t>(tables.rares.size()),
       &made.control, patience, ends.data(), masks.data(), fresh.data()},
      blocks);
  for (std::uint32_t i = 0; i < count; ++i)
    made.values.push_back(static_cast<std::uint16_t>(uncompress(values[kKeep + i], false)));
  return made;
}

template <class Shape>
void chain_of(const Job& job, unsigned blocks) {
  on_host::launch(chain<Shape>, blocks, Shape::kBlock, sizeof(BlockMemory<Shape>), job);
}
template <class Shape>
void speculate_on(const Job& job, unsigned blocks) {
  on_host::launch(speculate<Shape, 3>, blocks, Shape::kBlock, sizeof(BlockMemory<Shape>),
                        job);
}

/// All threads of all blocks.
struct GridOnHost {
  std::uint64_t* arrived;
  unsigned threads;
  void operator()() const {
    const std::uint64_t all = (*arrived / threads + 1) * threads;
    ++*arrived, grid.happened();
    while (*arrived < all) grid.wait();
  }
};
template <class Shape>
void in_steps(const Job& job, unsigned blocks) {
  std::uint64_t arrived = 0;
  on_host::launch(steps<Shape, GridOnHost>, blocks, Shape::kBlock, sizeof(BlockMemory<Shape>),
                        job, GridOnHost{&arrived, blocks * Shape::kBlock});
}
template <class Shape>
void step_by_step(const Job& job, unsigned blocks) {
  for (std::uint32_t step = 0; step < job.chunks; ++step)
    on_host::launch(one_step<Shape>, blocks, Shape::kBlock, sizeof(BlockMemory<Shape>), job,
                          step);
}

template <Forward kForward>
using Small = Shape<32, ShiftedMex, kForward>;
using Speculative = Small<Forward::speculate>;

struct Way {
  const char* name;
  Launch run;
};
const Way kWays[] = {{"in order", chain_of<Small<Forward::in_order>>},
                     {"speculation", chain_of<Speculative>},
                     {"suffix", chain_of<Small<Forward::suffix>>},
                     {"relaunch", step_by_step<Speculative>},
                     {"steps", in_steps<Speculative>},
                     {"whole blocks", speculate_on<Speculative>}};

void expect_stored(const Launched& made, std::uint64_t start, const char* what) {
  ASSERT_EQ(0u, made.control.stop) << what;
  for (std::size_t i = 0; i < made.values.size(); ++i)
    ASSERT_EQ(oracle_values()[start + i], made.values[i]) << what << ", position " << start + i;
}

class OfficersBlocks : public testing::Test {
  void SetUp() override { grid.random.seed(1), grid.stays = false; }
};

TEST_F(OfficersBlocks, CountsAroundABlock) {
  for (const Way& way : kWays)
    for (const std::uint32_t count : {1, 31, 32, 33, 65})
      expect_stored(launch(oracle_state(kCommonFrom), count, 32, 2, way.run), kCommonFrom,
                    way.name);
}

TEST_F(OfficersBlocks, AnyNumberOfTurns) {
  for (const Way& way : kWays)
    for (const unsigned blocks : {1, 2, 3, 7})
      expect_stored(launch(oracle_state(70001), 480, 32, blocks, way.run), 70001, way.name);
}

TEST_F(OfficersBlocks, InManyOrders) {
  for (const Way& way : kWays)
    for (const bool stays : {false, true})
      for (unsigned seed = 2; seed < 5; ++seed) {
        grid.random.seed(seed), grid.stays = stays;
        expect_stored(launch(oracle_state(90000 + seed), 640, 32, 4, way.run), 90000 + seed,
                      way.name);
      }
}

TEST_F(OfficersBlocks, EveryWayToKeepAMex) {
  const State from = oracle_state(80000);
  for (const Launch& run : {Launch(chain_of<Shape<32, PredicatedMex, Forward::in_order>>),
                            Launch(chain_of<Shape<32, ShiftedMex, Forward::in_order>>),
                            Launch(chain_of<Shape<32, MembersMex, Forward::in_order>>)})
    expect_stored(launch(from, 200, 32, 1, run), 80000, "mex");
}

TEST(OfficersMex, AllWaysGiveTheLeastNotSeen) {
  std::mt19937 random(3);
  PredicatedMex predicated;
  ShiftedMex shifted;
  MembersMex members;
  std::vector<bool> seen(256);
  EXPECT_EQ(0u, members.lowest());
  for (int i = 0; i < 4000; ++i) {
    // The least missing often, so that the end is reached.
    const auto least =
        static_cast<std::uint32_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
    const std::uint32_t byte = i % 2 == 0 && least < 256 ? least : random() % 256;
    seen[byte] = true;
    predicated.add(byte), shifted.add(byte), members.add(byte);
    const auto expected =
        static_cast<std::uint32_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
    ASSERT_EQ(expected, predicated.lowest());
    ASSERT_EQ(expected, shifted.lowest());
    ASSERT_EQ(expected, members.lowest());
  }
  EXPECT_EQ(kNoneLeft, members.lowest());
}

TEST_F(OfficersBlocks, TheShapesOfTheStages) {
  const State from = oracle_state(100000);
  using Wide = Shape<256, MembersMex, Forward::speculate>;
  expect_stored(launch(from, 1300, 256, 3, chain_of<Wide>), 100000, "chain");
  expect_stored(launch(from, 1300, 256, 3, in_steps<Shape<256, ShiftedMex, Forward::speculate>>),
                100000, "steps");
  expect_stored(
      launch(from, 1300, 128, 5, speculate_on<Shape<128, MembersMex, Forward::speculate>>), 100000,
      "whole blocks");
}

/// Speculation takes as many rounds on the kernel as by the arithmetic alone.
TEST_F(OfficersBlocks, RoundsAreThoseOfTheValues) {
  const std::uint64_t start = 100000;
  const Launched made = launch(oracle_state(start), 3200, 32, 3, chain_of<Speculative>);
  EXPECT_EQ(rounds_of(oracle_values(), start, 32, 100).total, made.control.rounds);
  const Launched suffix =
      launch(oracle_state(start), 3200, 32, 3, chain_of<Small<Forward::suffix>>);
  EXPECT_EQ(made.control.rounds, suffix.control.rounds);
}

/// Slots are used again: what is left in them of earlier blocks is taken for nothing.
TEST_F(OfficersBlocks, MoreBlocksThanSlots) {
  const Launched made =
      launch(oracle_state(100000), 32 * (kSlots + 20), 32, 6, speculate_on<Speculative>);
  expect_stored(made, 100000, "whole blocks");
}

/// Blocks do compute from unconfirmed values: more often than there are blocks.
TEST_F(OfficersBlocks, WholeBlocksAreSpeculatedOn) {
  const Launched made = launch(oracle_state(100000), 3200, 32, 6, speculate_on<Speculative>);
  EXPECT_GT(made.control.speculations, 110u);
}

/// The text's kernels take every candidate for the value: a planted rare value escapes them.
TEST_F(OfficersBlocks, DoNotSeeARareValue) {
  const State from = planted_state(120000, 1);
  std::uint64_t sums = 0;
  ASSERT_TRUE(is_rare(exact_value(from, sums)));
  for (const Way& way : kWays)
    EXPECT_FALSE(is_rare(launch(from, 32, 32, 2, way.run).values[0])) << way.name;
}

/// A state all of whose options are excluded has a value of 512 or more: the launch ends, says
/// where, and nobody hangs.
TEST_F(OfficersBlocks, AValueOf512IsAnError) {
  for (const Way& way : kWays) {
    const Launched made = launch(too_large_state(), 320, 32, 3, way.run);
    EXPECT_EQ(static_cast<std::uint32_t>(Reason::value_too_large), made.control.stop) << way.name;
    try {
      check_control(made.control, 120000);
      ADD_FAILURE() << way.name;
    } catch (const Error& error) {
      EXPECT_NE(std::string::npos, std::string(error.what()).find("512 or more")) << error.what();
    }
  }
}

/// A grid whose first block does nothing ends by its own watch, and says who waited.
TEST_F(OfficersBlocks, AStuckKernelEnds) {
  const auto without_first = [](void (*kernel)(Job)) {
    return [=](const Job& job, unsigned blocks) {
      const auto others = [&](const Job& all) {
        if (blockIdx.x != 0) kernel(all);
      };
      on_host::launch(others, blocks, 32, sizeof(BlockMemory<Speculative>), job);
    };
  };
  for (const Launch& run : {Launch(without_first(chain<Speculative>)),
                            Launch(without_first(speculate<Speculative, 3>))}) {
    const Launched made = launch(oracle_state(65536), 128, 32, 2, run, 3);
    EXPECT_EQ(static_cast<std::uint32_t>(Reason::waited_too_long), made.control.stop);
    EXPECT_THROW(check_control(made.control, 65536), Error);
  }
}

TEST(OfficersSteps, EveryOptionOnceAndNoneBeforeItsValuesAreKnown) {
  const front::Tables tables = front::make_tables(oracle_state(65536), 256);
  for (const std::uint32_t block : {32u, 256u})
    for (const std::uint32_t turns : {1u, 2u, 8u, 100u}) {
      const auto ends = step_ends(tables.rares, block, turns);
      ASSERT_EQ(turns, ends.size());
      EXPECT_EQ(tables.rares.size(), ends[0]);
      for (std::uint32_t left = 1; left < turns; ++left) {
        EXPECT_LE(ends[left], ends[left - 1]);
        // The block's last value reads p + 1 places before: no later than `left` blocks before its
        // first.
        for (std::uint32_t j = 0; j < ends[left]; ++j)
          ASSERT_GE(tables.rares[j] >> 8, block * (left + 1));
      }
    }
}

}  // namespace
}  // namespace ratchet::officers
