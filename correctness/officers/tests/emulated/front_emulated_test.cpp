// The sources of the front kernels (officers/cuda/10_front, 11_lean_front) on a CPU: blocks of
// threads that wait for each other, in many orders.
#include "correctness/officers/tests/emulated/device_on_host.h"
// After it:
#include "kernels/officers/front/kernel.cuh"
#include "kernels/officers/lean_front/kernel.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <type_traits>

#include "correctness/officers/checks/planted.h"
#include "kernels/officers/front/plan.h"
#include "kernels/officers/simd/simd.h"
#include "perf/support/error.h"
#include "reference/officers.h"

namespace ratchet::officers {
namespace {

using namespace front;
/// A front kernel and its shapes, with blocks of 32 values and as the stage has it.
struct Front10 {
  using Small = front::Shape<32, 4, 3, 192>;
  using Full = front::Shape<128, 4, 3, 768>;
  template <class Shape>
  static constexpr auto kExtend = front::extend<Shape>;
};
struct Front11 {
  using Small = lean::Shape<32, 4, 4, 192>;
  using Full = lean::Shape<128, 4, 4, 768>;
  template <class Shape>
  static constexpr auto kExtend = lean::extend<Shape>;
};

struct Launched {
  Control control{};
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> undecided;
};

template <class Front, class Shape = typename Front::Small>
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
  const Job job{count,
                chunks,
                values.data(),
                fresh.data(),
                candidates.data(),
                tables.rares.data(),
                static_cast<std::uint32_t>(tables.rares.size()),
                tables.far_rares,
                tables.head.data(),
                tables.head_rare.data(),
                preparers,
                verifiers,
                made.undecided.data(),
                &made.control,
                patience};
  meetings.clear();
  on_host::launch(Front::template kExtend<Shape>, 1 + preparers + verifiers, Shape::kThreads,
                  Shape::kSharedBytes, job);
  made.undecided.resize(made.control.undecided);
  made.bytes.assign(values.begin() + kKeep, values.begin() + kKeep + count);
  return made;
}

template <class Front, class Shape = typename Front::Small>
void expect_stored(std::uint64_t start, std::uint32_t count, std::uint32_t preparers,
                   std::uint32_t verifiers) {
  const State from = oracle_state(start);
  const Launched made = launch<Front, Shape>(from, count, preparers, verifiers);
  ASSERT_EQ(0u, made.control.stop);
  EXPECT_GT(made.control.verifying, 100ull * count);
  Work work;
  const auto values = decide(from, made.bytes, made.undecided, work);
  for (std::uint32_t i = 0; i < count; ++i)
    ASSERT_EQ(oracle_values()[start + i], values[i]) << "position " << start + i;
}

template <class Front>
class OfficersFront : public testing::Test {
  void SetUp() override { grid.random.seed(1), grid.stays = false; }
};
struct Names {
  template <class Front>
  static std::string GetName(int) {
    return std::is_same_v<Front, Front10> ? "cuda_10_front" : "cuda_11_lean_front";
  }
};
using Fronts = testing::Types<Front10, Front11>;
TYPED_TEST_SUITE(OfficersFront, Fronts, Names);

TYPED_TEST(OfficersFront, SmallRunForSanitizers) { expect_stored<TypeParam>(65536, 100, 1, 1); }

TYPED_TEST(OfficersFront, CountsAroundABlock) {
  for (const std::uint32_t count : {1, 31, 32, 33, 65})
    expect_stored<TypeParam>(kCommonFrom, count, 2, 1);
}

TYPED_TEST(OfficersFront, InManyOrders) {
  for (const bool stays : {false, true})
    for (unsigned seed = 2; seed < 4; ++seed) {
      grid.random.seed(seed), grid.stays = stays;
      expect_stored<TypeParam>(70001 + seed, 320, 3, 2);
    }
}

TYPED_TEST(OfficersFront, TheShapeOfTheStage) {
  expect_stored<TypeParam, typename TypeParam::Full>(80000, 1300, 3, 2);
}

/// The sums that verify each value, one value after the other: 512 at a time of the head's order,
/// until each smaller value is among them.
std::uint64_t sums_to_verify(const State& from, const std::vector<std::uint8_t>& bytes) {
  const Tables tables = make_tables(from, Front10::Small::kLookback);
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
TYPED_TEST(OfficersFront, EveryValueIsVerifiedOnceWhenItIsThere) {
  const State from = oracle_state(90000);
  for (const std::uint32_t verifiers : {1, 2, 3}) {
    const Launched made = launch<TypeParam>(from, 7 * TypeParam::Small::kBlock + 5, 2, verifiers);
    EXPECT_TRUE(made.undecided.empty());
    EXPECT_EQ(made.control.verifying, sums_to_verify(from, made.bytes)) << verifiers;
  }
}

/// Slots are used again: what is left in them of earlier blocks is taken for nothing.
TYPED_TEST(OfficersFront, MoreBlocksThanSlots) {
  expect_stored<TypeParam>(100000, TypeParam::Small::kBlock * (kSlots + 10), 3, 1);
}

/// What no sum gives is found by the verification, and what comes after it is done again.
TYPED_TEST(OfficersFront, APlantedRareValue) {
  const State from = planted_state(120000, 1);
  const Launched made = launch<TypeParam>(from, 48, 2, 1);
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
TYPED_TEST(OfficersFront, AValueBeyondAllCandidates) {
  const State from = far_value_state(TypeParam::Small::kLookback);
  const Launched made = launch<TypeParam>(from, 64, 2, 1);
  EXPECT_GT(made.control.exact, 0u);
  Work work;
  EXPECT_EQ(SimdValues(from).compute(64), decide(from, made.bytes, made.undecided, work));
}

TYPED_TEST(OfficersFront, AValueOf512IsAnError) {
  const Launched made = launch<TypeParam>(too_large_state(), 64, 2, 1);
  EXPECT_EQ(static_cast<std::uint32_t>(Reason::value_too_large), made.control.stop);
  EXPECT_THROW(check_control(made.control, 120000), Error);
}

/// A grid in which nobody prepares ends by its own watch, and says who waited.
TYPED_TEST(OfficersFront, AStuckKernelEnds) {
  const Launched made = launch<TypeParam>(oracle_state(65536), 64, 0, 1, 3);
  EXPECT_EQ(static_cast<std::uint32_t>(Reason::waited_too_long), made.control.stop);
  EXPECT_THROW(check_control(made.control, 65536), Error);
}

}  // namespace
}  // namespace ratchet::officers
