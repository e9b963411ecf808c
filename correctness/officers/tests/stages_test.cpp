// Every registered officers stage against the stored values, and those against the definition.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/officers/checks/planted.h"
#include "correctness/officers/checks/stage_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/paths.h"
#include "kernels/contract/check.h"
#include "kernels/officers/bytes/order.h"
#include "kernels/officers/front/near_rares.h"
#include "kernels/officers/front/plan.h"
#include "kernels/officers/officers.h"
#include "kernels/officers/start/start.h"
#include "kernels/officers/values/checkpoint.h"
#include "kernels/officers/values/compressed.h"
#include "kernels/support/counter_stream.h"
#include "kernels/support/ranks/part.h"
#include "perf/support/error.h"
#include "reference/officers.h"

namespace ratchet::officers {
namespace {

TEST(OfficersReference, EqualsTheStoredValues) {
  const auto values = reference::officers::grundy_values(8192);
  for (std::size_t n = 0; n < values.size(); ++n) ASSERT_EQ(oracle_values()[n], values[n]) << n;
}

TEST(OfficersReference, StoredValuesSumUp) {
  const State state = oracle_state(131072);
  EXPECT_EQ(14'665'322u, state.sum);
  EXPECT_EQ(oracle_rares(), state.rares);
  EXPECT_EQ(1584u, state.rares.size());
}

TEST(OfficersBytes, ComeBackWhole) {
  for (std::uint32_t value = 0; value < kValues; ++value) {
    EXPECT_EQ(value, uncompress(compress(value), is_rare(value)));
    EXPECT_EQ(value, restore_top_bit(drop_top_bit(value), is_rare(value)));
    for (std::uint32_t other = 0; other < kValues; ++other) {
      EXPECT_EQ(compress(value ^ other), compress(value) ^ compress(other));
      if (!is_rare(value) && !is_rare(other)) {
        EXPECT_EQ(value < other, compress(value) < compress(other));
      }
    }
  }
}

/// The bytes of either kind ascend by value, and each common one knows how many rare ones are less.
template <class Compression>
void expect_order() {
  const ByteOrder<Compression>& order = kByteOrder<Compression>;
  std::uint32_t commons = 0, rares = 0;
  for (std::uint32_t value = 0; value < kValues; ++value) {
    if (is_rare(value)) {
      EXPECT_EQ(Compression::byte(value), order.rare[rares++]) << value;
    } else {
      EXPECT_EQ(rares, order.rares_below[commons]) << value;
      EXPECT_EQ(Compression::byte(value), order.common[commons++]) << value;
    }
  }
  EXPECT_EQ(rares, order.rares_below[commons]) << "all";
}
TEST(OfficersBytes, AreInOrder) {
  expect_order<WithoutTopBit>();
  expect_order<WithoutBit1>();
}

TEST(OfficersNearRares, AreThoseOfTheOracle) {
  std::size_t i = 0;
  for (const Rare& rare : oracle_rares()) {
    if (rare.position >= front::kNearEnd) break;
    ASSERT_LT(i, std::size(front::kNearRares));
    EXPECT_EQ(rare.position, front::kNearRares[i].position);
    EXPECT_EQ(compress(rare.value), front::kNearRares[i++].byte);
  }
  EXPECT_EQ(std::size(front::kNearRares), i);
}

/// The kernels of a GPU go on from no state that their constants do not fit.
TEST(OfficersNearRares, AreThoseOfAStateToLaunchFrom) {
  const State good = oracle_state(120'000);
  EXPECT_TRUE(front::can_launch(good));
  State other = good, fewer = good, more = good, many = good;
  other.rares[3].value ^= 1;
  fewer.rares.erase(fewer.rares.begin() + 100);
  more.rares.insert(more.rares.begin() + 3, {3, 2});
  const Rare far{kLastRare - 1, good.rares.back().value};
  many.rares.insert(many.rares.end() - 1, device::kMostRares + 1 - many.rares.size(), far);
  for (const State* state : {&other, &fewer, &more, &many}) {
    EXPECT_FALSE(front::can_launch(*state));
    EXPECT_THROW(front::require_launch("a stage", *state), Error);
  }
  many.rares.erase(many.rares.end() - 2);
  EXPECT_TRUE(front::can_launch(many));
}

TEST(OfficersStart, GoesBackByOne) {
  // Further than any stage's point before, so that the second cuts the first back.
  for (const std::uint64_t start : {kDefaultStart + 70, kDefaultStart + 69})
    EXPECT_EQ(state_at(start).next, start);
}

/// A start among the first values is prepared by them alone.
TEST(OfficersStart, AnyOfTheFirstValues) {
  for (const std::uint64_t start : {255, 256, 300, 2048, 4096, 8191, 8192, 41255}) {
    const State state = state_at(start);
    EXPECT_EQ(start, state.next);
    EXPECT_EQ(oracle_state(start).digest, state.digest) << start;
  }
}

class Officers : public OfficersFixture {};

TEST_P(Officers, SmallRunForSanitizers) {
  expect_stored(65536, std::min<std::uint64_t>(300, most()));
  EXPECT_TRUE(correctness::runs_on_many_threads(stage()));
}

TEST_P(Officers, EveryCount) {
  for (const std::uint64_t count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257})
    if (count <= most()) expect_stored(70001, count);
}

TEST_P(Officers, EveryStart) {
  for (const std::uint64_t start : {0, 1, 2, 3, 20626, 20628, 41255, 41256, 41257, 41271, 65535})
    if (start >= first()) expect_stored(start, std::min<std::uint64_t>(most(), 200));
}

TEST_P(Officers, AnyNumberOfThreads) {
  if (!stage().info().threaded()) GTEST_SKIP() << "one thread";
  for (const std::uint64_t threads : correctness::thread_counts())
    for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{70001}}) {
      const auto run = stage().prepare_run(
          stage().defaults().set("count", 1'021).set(stage().info().threads, threads),
          oracle_state(start));
      run->run();
      const Result result = run->collect();
      ASSERT_EQ(1'021u, result.values.size());
      for (std::uint64_t i = 0; i < result.values.size(); ++i)
        ASSERT_EQ(oracle_values()[start + i], result.values[i])
            << "position " << start + i << ", " << threads << " threads";
    }
}

/// A last block of values of few: where an option of it is missing, a value in a thousand is wrong.
TEST_P(Officers, ThreadsEndAnywhere) {
  if (!stage().info().threaded()) GTEST_SKIP() << "one thread";
  State state = oracle_state(60'000);
  while (state.next < 72'000) {
    const std::uint64_t count = 1 + state.next % 17;
    const Result result = compute(state, count);
    for (std::uint64_t i = 0; i < count; ++i)
      ASSERT_EQ(oracle_values()[state.next + i], result.values[i])
          << "position " << state.next + i << " of " << count << " from " << state.next;
    state.append(oracle_values()[state.next]);
  }
}

/// What is said to have been done: by any number of threads the same, and by a second run.
TEST_P(Officers, CountsTheWorkOfOneRun) {
  if (stage().info().backend != Backend::cpu)
    GTEST_SKIP() << "threads of a GPU race for some of it";
  const std::uint64_t count = std::min<std::uint64_t>(most(), 1'021);
  const auto work_of = [&](std::uint64_t threads, int runs) {
    Parameters parameters = stage().defaults().set("count", count);
    if (stage().info().threaded()) parameters.set(stage().info().threads, threads);
    const auto run = stage().prepare_run(parameters, oracle_state(70'001));
    for (int i = 0; i < runs; ++i) run->run();
    return run->collect().work;
  };
  const Work once = work_of(1, 1);
  if (once.options > 0) {
    EXPECT_EQ(once.options, count * oracle_rares().size());
  }
  for (const std::uint64_t threads : {1, 2, 3, 7}) {
    const Work work = work_of(threads, 2);
    EXPECT_EQ(work.options, once.options) << threads;
    EXPECT_EQ(work.verifying, once.verifying) << threads;
    EXPECT_EQ(work.deepest, once.deepest) << threads;
    EXPECT_EQ(work.blocks, once.blocks) << threads;
  }
}

/// Every block of values is computed once at least.
TEST_P(Officers, CountsSpeculationsOfEveryBlockCuda) {
  if (stage().info().backend == Backend::cpu) GTEST_SKIP() << "speculates on nothing";
  const std::uint64_t count = std::min<std::uint64_t>(most(), 50'000);
  const auto run =
      stage().prepare_run(stage().defaults().set("count", count), oracle_state(70'001));
  run->run();
  const Work work = run->collect().work;
  if (work.speculations == 0) GTEST_SKIP() << "does not count any";
  EXPECT_GE(work.speculations, work.blocks);
}

/// The definition where nothing of the game holds: values by lot, whose sums are below 64, but
/// those of two heaps in the middle, which are below 128.
TEST_P(Officers, AnyValuesBefore) {
  if (stage().info().backend != Backend::cpu || stage().defaults().at("count") > 1000)
    GTEST_SKIP() << "takes for granted what the game's values are";
  constexpr std::uint64_t known = 300'000;
  std::vector<std::uint32_t> values(known);
  for (std::uint64_t n = 0; n < known; ++n)
    values[n] = counter_word32(3, n, 0) & (n > 131'072 && n < 168'928 ? 127 : 63);
  State from = initial_state(std::uint64_t{1} << 20);
  for (const std::uint32_t value : values) from.append(value);
  for (const std::uint16_t value : compute(from, 5).values) {
    ASSERT_EQ(reference::officers::next_value(values), value) << values.size();
    values.push_back(value);
  }
}

TEST_P(Officers, AllStoredValues) {
  const std::uint64_t start = std::max<std::uint64_t>(first(), 131072 - most());
  expect_stored(start, 131072 - start);
}

/// A run does the same work each time: the first, the second and the hundredth.
TEST_P(Officers, EveryRunIsAlike) {
  const std::uint64_t start = 90000, count = std::min<std::uint64_t>(most(), 500);
  const auto run = stage().prepare_run(stage().defaults().set("count", count), oracle_state(start));
  const int last = most() < 1000 ? 3 : 100;  // the slowest take a second a run
  for (int i = 1; i <= last; ++i) {
    run->run();
    if (i != 1 && i != 2 && i != last) continue;
    const Result result = run->collect();
    ASSERT_EQ(start, result.start);
    ASSERT_EQ(count, result.values.size());
    EXPECT_EQ(count, run->units());
    for (std::uint64_t k = 0; k < count; ++k)
      ASSERT_EQ(oracle_values()[start + k], result.values[k]) << "run " << i << ", " << start + k;
  }
}

/// Each parameter's other values, as the benchmark has them, compute the same.
TEST_P(Officers, EveryPointOfItsSweepAndSurvey) {
  for (const ParameterPoint& point : joined(stage().info().sweep, stage().info().survey)) {
    Parameters parameters =
        stage().defaults().set(point).set("count", std::min<std::uint64_t>(most(), 3000));
    if (!ranks::enough_ranks(ranks::ranks_of(parameters)).ok) continue;  // a larger job's
    const auto run = stage().prepare_run(parameters, oracle_state(80000));
    run->run();
    const Result result = run->collect();
    for (std::uint64_t k = 0; k < result.values.size(); ++k)
      ASSERT_EQ(oracle_values()[80000 + k], result.values[k])
          << point[0].first << " = " << point[0].second << ", position " << 80000 + k;
  }
}

/// A value of 512 or more is a clear error, whoever meets it.
TEST_P(Officers, AValueOf512IsAnError) {
  EXPECT_HAS(error_of([&] { compute(too_large_state(), std::min<std::uint64_t>(most(), 40)); }),
             "position 120000 is 512 or more");
}

/// What a verified stage must find, and a speculative one cannot.
TEST_P(Officers, APlantedRareValue) {
  const State from = planted_state(120000, 1);
  const auto values = compute(from, std::min<std::uint64_t>(most(), 40)).values;
  EXPECT_EQ(stage().verified(), values[0] == 1) << values[0];
  if (!stage().verified()) GTEST_SKIP() << "speculative: it verifies nothing";
  expect_by_definition(from, values);
}

/// Values that another way brings, once there are many, are counted by nobody.
TEST_P(Officers, ItsWorkGrowsWithTheValues) {
  const std::string& name = stage().info().name;
  if (name == "officers/cpu/01_naive_set" || name == "officers/cpu/02_half_loop")
    GTEST_SKIP() << "it goes through all splits and counts none";
  const std::uint64_t count = std::min<std::uint64_t>(most(), 16384);
  const auto work = [&](std::uint64_t values) {
    const Work done = compute(oracle_state(100000), values).work;
    return done.options + done.verifying;
  };
  const std::uint64_t eighth = work(count / 8);
  EXPECT_GT(eighth, 0u) << "no work is counted";
  EXPECT_GE(work(count), 6 * eighth) << count << " values";
}

/// The values after one know of it: an option more each, which seldom decides.
TEST_P(Officers, PlantedRareValuesOfAllSizes) {
  if (!stage().verified()) GTEST_SKIP() << "speculative: it verifies nothing";
  std::uint32_t planted = 0;
  for (std::uint32_t rare = 1; planted < 12; ++rare) {
    if (!is_rare(rare)) continue;
    ++planted;
    const State from = planted_state(120000, rare);
    const auto seen = compute(from, std::min<std::uint64_t>(most(), 100)).values;
    EXPECT_EQ(rare, seen[0]);
    SCOPED_TRACE(rare);
    ASSERT_NO_FATAL_FAILURE(expect_by_definition(from, seen));
  }
}

/// No sum beyond the last that counts verifies a value: that of the last rare position and a common
/// one, which has the byte of the rare value sought.
TEST_P(Officers, APlantedRareValueThatASumOfARarePositionLooksLike) {
  if (!stage().verified()) GTEST_SKIP() << "speculative: it verifies nothing";
  constexpr std::uint64_t kNext = 120000;
  const auto& values = oracle_values();
  const auto like = [&](std::uint64_t position) {
    return uncompress(compress(values[kLastRare] ^ values[position - 1 - kLastRare]), true);
  };
  // Where it is smallest, it is less than any other value that is left.
  std::uint64_t position = kNext;
  for (std::uint64_t n = kNext; n < kNext + std::min<std::uint64_t>(most(), 100); ++n)
    if (like(n) < like(position)) position = n;
  const State from = planted_state(position, like(position));
  const auto seen = compute(from, position - kNext + 1).values;
  ASSERT_NO_FATAL_FAILURE(expect_by_definition(from, seen));
  if (most() >= 100) {
    EXPECT_EQ(like(position), seen.back()) << "nothing was planted";
  }
}

/// By a checkpoint each time.
TEST_P(Officers, GoesOnWhereItWasCut) {
  State state = oracle_state(100000);
  for (const std::uint64_t count : {1, 7, 128, 129, 40}) {
    state = state_after(state, compute(state, std::min<std::uint64_t>(count, most())));
    state = state_from_bytes(checkpoint_bytes(state), "the checkpoint");
  }
  EXPECT_EQ(oracle_state(state.next), state);
}

TEST_P(Officers, PassesItsCheck) {
  const CheckResult result = quick_check(stage());
  EXPECT_TRUE(result.passed) << result.detail;
}

INSTANTIATE_TEST_SUITE_P(Stages, Officers, testing::ValuesIn(stages()), test_name);

}  // namespace
}  // namespace ratchet::officers
