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
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
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
                            Launch(chain_of<Shape<32, MembersMex, Forward::in_order>>),
                            Launch(chain_of<Shape<32, IndexedMex, Forward::in_order>>)})
    expect_stored(launch(from, 200, 32, 1, run), 80000, "mex");
}

/// Rares that the shape itself has, as those in constant memory.
struct OwnRares : Small<Forward::in_order> {
  static inline std::vector<std::uint32_t> rares;
  static std::uint32_t rare_of(std::uint32_t j) { return rares[j]; }
};

TEST_F(OfficersBlocks, RaresCanLieWhereTheShapeHasThem) {
  const Launch run = [](const Job& job, unsigned blocks) {
    OwnRares::rares.assign(job.rares, job.rares + job.all_rares);
    chain_of<OwnRares>(job, blocks);
  };
  expect_stored(launch(oracle_state(80000), 200, 32, 2, run), 80000, "rares of the shape");
}

/// "Multiple Blocks" as printed: options of B < p < B K - 1 wait, those of p up to B do not.
template <class Shape>
void printed_window(const Job& job) {
  constexpr std::uint32_t size = Shape::kBlock;
  Block<Shape> block(job, *reinterpret_cast<BlockMemory<Shape>*>(shared_memory()));
  block.load(0);
  for (std::uint32_t chunk = blockIdx.x; chunk < job.chunks; chunk += gridDim.x) {
    typename Shape::Mex mex;
    for (std::uint32_t j = 0; j < job.all_rares; ++j) {
      const std::uint32_t p = job.rares[j] >> 8, end = (chunk + 1) * size - 1;
      const bool danger = p > size && p < size * gridDim.x - 1;
      // The last thread reads the value before place end - p.
      if (danger && end >= p + 1 && !block.await((end - 1 - p) / size + 1)) return;
      block.add_known(mex, chunk, j, j + 1);
    }
    if (!block.hand_out(chunk, block.forward(mex, chunk))) return;
  }
}

/// Of all rares, or of those alone that are not in B < p < 2 B - 1.
Launch without_near_rares(const Launch& run, bool without) {
  return [=](const Job& job, unsigned blocks) {
    std::vector<std::uint32_t> rares(job.rares, job.rares + job.all_rares);
    if (without)
      std::erase_if(rares, [](std::uint32_t rare) { return rare >> 8 > 32 && rare >> 8 < 63; });
    Job fewer = job;
    fewer.rares = rares.data(), fewer.all_rares = static_cast<std::uint32_t>(rares.size());
    run(fewer, blocks);
  };
}

/// It is right for the game's rares only because one of B < p < 2 B - 1 has waited for the block
/// before. Without those the options of p up to B read values that are not there yet.
TEST_F(OfficersBlocks, ThePrintedWindowIsSafeByOtherRaresAlone) {
  using InOrder = Small<Forward::in_order>;
  const Launch printed = [](const Job& job, unsigned blocks) {
    on_host::launch(printed_window<InOrder>, blocks, 32, sizeof(BlockMemory<InOrder>), job);
  };
  const State from = oracle_state(90000);
  const Launch right_fewer = without_near_rares(chain_of<InOrder>, true);
  const Launched wanted = launch(from, 320, 32, 1, right_fewer);
  unsigned wrong = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    grid.random.seed(seed);
    expect_stored(launch(from, 320, 32, 3, without_near_rares(printed, false)), 90000, "all rares");
    EXPECT_EQ(wanted.values, launch(from, 320, 32, 3, right_fewer).values);
    wrong += wanted.values != launch(from, 320, 32, 3, without_near_rares(printed, true)).values;
  }
  EXPECT_GT(wrong, 0u);
}

/// "Speculating in the Forward Phase" as printed, of one block of values: no barrier is between the
/// first store of `done`, or that of a later round, and the test of it by other warps. kMended:
/// one.
template <bool kMended>
void printed_flag(const Job& job) {
  std::uint8_t* const own = shared_memory();
  volatile std::uint8_t& done = own[blockDim.x];
  std::uint8_t* const place = job.values + kKeep + threadIdx.x;
  MembersMex known;
  for (std::uint32_t j = 0; j < job.all_rares; ++j) {
    const std::uint32_t p = job.rares[j] >> 8;
    if (threadIdx.x <= p) known.add(*(place - 1 - p) ^ (job.rares[j] & 0xff));
  }
  std::uint32_t before = known.lowest();
  own[threadIdx.x] = static_cast<std::uint8_t>(before);
  __syncthreads();
  if (threadIdx.x == 0) done = 0;
  if (kMended) __syncthreads();
  while (!done) {
    if (kMended) __syncthreads();
    MembersMex mex = known;
    for (std::uint32_t j = 0; j < job.all_rares; ++j) {
      const std::uint32_t p = job.rares[j] >> 8;
      if (threadIdx.x > p) mex.add(own[threadIdx.x - 1 - p] ^ (job.rares[j] & 0xff));
    }
    const std::uint32_t value = mex.lowest();
    own[threadIdx.x] = static_cast<std::uint8_t>(value);
    if (threadIdx.x == 0) done = 1;
    __syncthreads();
    if (value != before) done = 0;
    __syncthreads();
    before = value;
  }
  *place = own[threadIdx.x];
}

/// A warp that tests `done` late sees what the next round has stored, or what was there before the
/// first, and leaves with values that are not confirmed.
TEST_F(OfficersBlocks, ThePrintedFlagLetsWarpsLeaveTooEarly) {
  unsigned wrong = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::uint64_t start = 90000 + 128 * seed;
    const auto of = [&](void (*kernel)(const Job&)) {
      grid.random.seed(seed);
      return launch(oracle_state(start), 128, 128, 1,
                    [=](const Job& job, unsigned) { on_host::launch(kernel, 1, 128, 256, job); });
    };
    expect_stored(of(printed_flag<true>), start, "with barriers");
    const Launched printed = of(printed_flag<false>);
    wrong += !std::equal(printed.values.begin(), printed.values.end(),
                         oracle_values().begin() + static_cast<std::ptrdiff_t>(start));
  }
  EXPECT_GT(wrong, 0u);
}

TEST(OfficersMex, AllWaysGiveTheLeastNotSeen) {
  std::mt19937 random(3);
  PredicatedMex predicated;
  ShiftedMex shifted;
  MembersMex members;
  IndexedMex indexed;
  std::vector<bool> seen(256);
  EXPECT_EQ(0u, members.lowest());
  for (int i = 0; i < 4000; ++i) {
    // The least missing often, so that the end is reached.
    const auto least =
        static_cast<std::uint32_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
    const std::uint32_t byte = i % 2 == 0 && least < 256 ? least : random() % 256;
    seen[byte] = true;
    predicated.add(byte), shifted.add(byte), members.add(byte), indexed.add(byte);
    const auto expected =
        static_cast<std::uint32_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
    ASSERT_EQ(expected, predicated.lowest());
    ASSERT_EQ(expected, shifted.lowest());
    ASSERT_EQ(expected, members.lowest());
    ASSERT_EQ(expected, indexed.lowest());
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
    EXPECT_HAS(error_of([&] { check_control(made.control, 120000); }), "512 or more") << way.name;
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
