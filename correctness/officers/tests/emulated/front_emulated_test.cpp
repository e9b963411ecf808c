// The source of the front kernel (officers/cuda/10_front) on a CPU: blocks of threads that wait for
// each other, in many orders.
#include "correctness/officers/tests/emulated/device_on_host.h"
// After it:
#include "kernels/officers/front/kernel.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "correctness/officers/checks/planted.h"
#include "kernels/officers/front/plan.h"
#include "kernels/officers/simd/simd.h"
#include "perf/support/error.h"
#include "reference/officers.h"

namespace ratchet::officers {
namespace {

using namespace front;
using Small = Shape<32, 4, 3, 192>;

struct Launched {
  Control control{};
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> undecided;
};

template <class Shape>
Launched launch(const State& from, std::uint32_t count, std::uint32_t preparers,
                std::uint32_t verifiers, std::uint64_t patience = ~0ull) {
  const Tables tables = make_tables(from, Shape::kLookback);
  const std::uint32_t chunks = (count + Shape::kBlock - 1) / Shape::kBlock;
  std::vector<std::uint8_t> values(kKeep + chunks * Shape::kBlock);
  std::copy(tables.values.begin(), tables.values.end(), values.begin());
  std::vector<std::uint64_t> fresh(kSlots * Shape::kBlock / 4);
  std::vector<std::uint64_t> candidates(kSlots * 3 * Shape::kBlock);
  Launched made;
  made.undecided.resize(kMostUndecided);
  const Job job{count, chunks, values.data(), fresh.data(), candidates.data(),
                tables.rares.data(), static_cast<std::uint32_t>(tables.rares.size()),
                tables.far_rares, tables.head.data(), tables.head_rare.data(),
                preparers, verifiers, made.undecided.data(), &made.control, patience};
  meetings.clear();
  on_host::launch(extend<Shape>, 1 + preparers + verifiers, Shape::kThreads,
                        Shape::kSharedBytes, job);
  made.undecided.resize(made.control.undecided);
  made.bytes.assign(values.begin() + kKeep, values.begin() + kKeep + count);
  return made;
}

template <class Shape>
void expect_stored(std::uint64_t start, std::uint32_t count, std::uint32_t preparers,
                   std::uint32_t verifiers) {
  const State from = oracle_state(start);
  const Launched made = launch<Shape>(from, count, preparers, verifiers);
  ASSERT_EQ(0u, made.control.stop);
  EXPECT_GT(made.control.verifying, 100ull * count);
  Work work;
  const auto values = decide(from, made.bytes, made.undecided, work);
  for (std::uint32_t i = 0; i < count; ++i)
    ASSERT_EQ(oracle_values()[start + i], values[i]) << "position " << start + i;
}

class OfficersFront : public testing::Test {
  void SetUp() override { grid.random.seed(1), grid.stays = false; }
};

TEST_F(OfficersFront, SmallRunForSanitizers) { expect_stored<Small>(65536, 100, 1, 1); }

TEST_F(OfficersFront, CountsAroundABlock) {
  for (const std::uint32_t count : {1, 31, 32, 33, 65}) expect_stored<Small>(kCommonFrom, count, 2, 1);
}

TEST_F(OfficersFront, InManyOrders) {
  for (const bool stays : {false, true})
    for (unsigned seed = 2; seed < 4; ++seed) {
      grid.random.seed(seed), grid.stays = stays;
      expect_stored<Small>(70001 + seed, 320, 3, 2);
    }
}

TEST_F(OfficersFront, TheShapeOfTheStage) {
  expect_stored<Shape<128, 4, 3, 768>>(80000, 1300, 3, 2);
}

/// The sums that verify each value, one value after the other: 512 at a time of the head's order,
/// until each smaller value is among them.
std::uint64_t sums_to_verify(const State& from, const std::vector<std::uint8_t>& bytes) {
  const Tables tables = make_tables(from, Small::kLookback);
  std::vector<std::uint8_t> values = tables.values, head(kHead), rare(kHead);
  values.insert(values.end(), bytes.begin(), bytes.end());
  std::memcpy(head.data(), tables.head.data(), kHead);
  std::memcpy(rare.data(), tables.head_rare.data(), kHead);
  std::uint64_t sums = 0;
  for (std::size_t at = kKeep; at < values.size(); ++at) {
    const std::uint32_t value = values[at];
    const std::uint32_t end =
        (value & ~1u) + (uncompress(value, true) < uncompress(value, false) ? 2 : 0);
    std::array<bool, 256> seen{};
    std::uint32_t missing = end, k = 0;
    do {
      for (const std::uint32_t last = k + 512; k < last; ++k) {
        const std::size_t partner =
            k < kDescendingHead ? at - kDescendingHead + k : at - kHead + k - kDescendingHead;
        const std::uint32_t sum = (values[partner] ^ head[k]) | rare[k];
        missing -= sum < end && !seen[sum] ? 1 : 0;
        seen[sum] = true;
      }
    } while (missing > 0 && k < kHead);
    sums += k;
  }
  return sums;
}

/// None twice, none not at all, and none before it is there: each would be another number of sums.
TEST_F(OfficersFront, EveryValueIsVerifiedOnceWhenItIsThere) {
  const State from = oracle_state(90000);
  for (const std::uint32_t verifiers : {1, 2, 3}) {
    const Launched made = launch<Small>(from, 7 * Small::kBlock + 5, 2, verifiers);
    EXPECT_TRUE(made.undecided.empty());
    EXPECT_EQ(made.control.verifying, sums_to_verify(from, made.bytes)) << verifiers;
  }
}

/// Slots are used again: what is left in them of earlier blocks is taken for nothing.
TEST_F(OfficersFront, MoreBlocksThanSlots) {
  expect_stored<Small>(100000, Small::kBlock * (kSlots + 10), 3, 1);
}

/// What no sum gives is found by the verification, and what comes after it is done again.
TEST_F(OfficersFront, APlantedRareValue) {
  const State from = planted_state(120000, 1);
  const Launched made = launch<Small>(from, 48, 2, 1);
  Work work;
  const auto values = decide(from, made.bytes, made.undecided, work);
  ASSERT_FALSE(made.undecided.empty());
  EXPECT_EQ(1u, values[0]);
  std::vector<std::uint32_t> expected;
  for (std::uint64_t n = 0; n < from.next; ++n) expected.push_back(from.value(n));
  for (const std::uint16_t value : values) {
    ASSERT_EQ(reference::officers::next_value(expected), value) << "position " << expected.size();
    expected.push_back(value);
  }
  EXPECT_EQ(values, SimdValues(from).compute(48));
}

/// Nothing is left of the candidates that were prepared: the value comes of all options.
TEST_F(OfficersFront, AValueBeyondAllCandidates) {
  const State from = far_value_state(Small::kLookback);
  const Launched made = launch<Small>(from, 64, 2, 1);
  EXPECT_GT(made.control.exact, 0u);
  Work work;
  EXPECT_EQ(SimdValues(from).compute(64), decide(from, made.bytes, made.undecided, work));
}

TEST_F(OfficersFront, AValueOf512IsAnError) {
  const Launched made = launch<Small>(too_large_state(), 64, 2, 1);
  EXPECT_EQ(static_cast<std::uint32_t>(Reason::value_too_large), made.control.stop);
  EXPECT_THROW(check_control(made.control, 120000), Error);
}

/// A grid in which nobody prepares ends by its own watch, and says who waited.
TEST_F(OfficersFront, AStuckKernelEnds) {
  const Launched made = launch<Small>(oracle_state(65536), 64, 0, 1, 3);
  EXPECT_EQ(static_cast<std::uint32_t>(Reason::waited_too_long), made.control.stop);
  EXPECT_THROW(check_control(made.control, 65536), Error);
}

}  // namespace
}  // namespace ratchet::officers
