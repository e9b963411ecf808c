// No rolls of a battle, of two battles or of neighbouring rounds show an exact relation of ring15;
// those of the taps that it had before do.
#include "correctness/graveler/checks/ring15/relations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "correctness/graveler/checks/ring15/parities.h"
#include "correctness/graveler/checks/ring15/search.h"
#include "correctness/support/error_of.h"
#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

/// A stage that draws from ring15, and which rolls make a battle in it.
struct RingStage {
  const char* name;
  std::vector<BattleRolls> (*battles)();
  RingSchedule (*schedule)() = shipped_schedule;
};

/// Named by stage, so that ci/lab mutate finds what a stage's generator has to pass.
class RingRelations : public testing::TestWithParam<RingStage> {};

TEST_P(RingRelations, NeitherABattleNorTwoShowOne) {
  for (const Scope& scope : scopes_of(GetParam().battles()))
    for (const Meeting& meeting : meetings(GetParam().schedule(), scope.words))
      ADD_FAILURE() << scope.name << ": " << text_of(meeting);
}

TEST_P(RingRelations, ABattleShowsNoneInEightRounds) {
  EXPECT_TRUE(long_runs_are_free(GetParam().schedule(), GetParam().battles(), kLongRun));
}

TEST_P(RingRelations, ABattleWouldShowNoneWereStepsLinearAtAllBits) {
  EXPECT_TRUE(battles_are_free_at_all_bits(GetParam().schedule(), GetParam().battles()));
}

INSTANTIATE_TEST_SUITE_P(
    Stages, RingRelations,
    testing::Values(RingStage{"graveler_cuda_05_shared_masks", rolls_of_shared_masks},
                    RingStage{"graveler_cuda_06_tensor_count", rolls_of_tensor_count},
                    RingStage{"graveler_cuda_07_more_multiplications", rolls_of_tensor_count,
                              rows_schedule}),
    [](const auto& info) { return std::string(info.param.name); });

/// The words of `rounds` rounds of a stream.
template <class Ring>
std::vector<std::uint32_t> drawn(std::uint64_t stream, unsigned rounds) {
  Ring ring(20261122, stream);
  std::vector<std::uint32_t> words;
  for (unsigned n = 0; n < rounds * Ring15::kRound; ++n)
    words.push_back(ring.step(n % Ring15::kRound));
  return words;
}

template <class Ring>
void expect_relations_of(const RingSchedule& schedule) {
  for (std::uint64_t stream = 0; stream < 64; ++stream) {
    const std::vector<std::uint32_t> words = drawn<Ring>(stream, 3);
    for (int n = kRingWords; n < static_cast<int>(words.size()); ++n) {
      std::uint32_t sum = 0;
      for (const WordBit& at : relation(schedule, n))
        sum ^= words[static_cast<std::size_t>(at.word)] >> at.bit & 1;
      ASSERT_EQ(sum, 0u) << "stream " << stream << ", step " << n;
    }
  }
}

// The algebra is about the words of ring15 and not about those of an idea of it.
TEST(RingRelation, HoldsForEveryStepOfEveryStream) {
  expect_relations_of<Ring15>(shipped_schedule());
  expect_relations_of<Ring15Rows>(rows_schedule());
}

TEST(RingRelation, SixRollsOfTheFourthBattleShowedOne) {
  const BattleRolls battle = rolls_of_words_in_turn()[3];
  const std::vector<Meeting> found = meetings(sampled_schedule(), battle.words);
  ASSERT_EQ(found.size(), 1u);
  const std::vector<Roll> rolls{{0, 21, 0}, {0, 22, 0}, {0, 23, 0},
                                {0, 24, 0}, {0, 25, 0}, {0, 27, 0}};
  EXPECT_EQ(found[0].rolls, rolls);
  EXPECT_EQ(found[0].steps, (std::vector<int>{39, 40}));
  for (unsigned other = 0; other < 3; ++other)
    EXPECT_TRUE(meetings(sampled_schedule(), rolls_of_words_in_turn()[other].words).empty());
}

/// Parities that never change at bit 0, over 2^10 windows: 2^k - 1 for a space of dimension k.
std::size_t constant_parities(const RingSchedule& schedule, const RollWords& rolls) {
  const Sample sample{3, 1 << 10};
  auto counts = count_differences(schedule, independent_differences(rolls), {0}, sample);
  walsh_transform(counts[0]);
  return static_cast<std::size_t>(
      std::count_if(counts[0].begin() + 1, counts[0].end(), [&](std::int32_t sum) {
        return static_cast<std::uint64_t>(std::abs(sum)) == sample.windows;
      }));
}

/// Rolls at bit 0 of a battle and of some outcomes more, which makes relations show.
RollWords with_more(const BattleRolls& battle, unsigned from, unsigned to) {
  RollWords rolls = whole_words(battle.words);
  for (unsigned outcome = from; outcome < to; ++outcome)
    if (std::none_of(rolls.begin(), rolls.end(),
                     [outcome](const RollWord& word) { return word.outcome == outcome; }))
      rolls.push_back({0, outcome, 1});
  for (RollWord& word : rolls) word.bits = 1;
  return rolls;
}

// Sampling sees every parity that is constant, so it must see those of the algebra and no more.
TEST(RingRelation, AlgebraAndSamplingFindTheSameOnes) {
  std::set<std::size_t> seen;
  for (const RingSchedule& schedule : {shipped_schedule(), sampled_schedule()})
    for (const auto& battles : {rolls_of_shared_masks(), rolls_of_words_in_turn()})
      for (const BattleRolls& battle : battles)
        for (const unsigned from : {0u, 10u, 20u}) {
          const RollWords rolls = with_more(battle, from, from + 4);
          const std::size_t found = meetings(schedule, rolls).size();
          EXPECT_EQ(constant_parities(schedule, rolls), (std::size_t{1} << found) - 1)
              << battle.name << " and outcomes from " << from;
          seen.insert(found);
        }
  EXPECT_GE(seen.size(), 3u);  // none, one and more
}

TEST(RingSchedule, CostsTheMultiplicationsOfItsGoalAndRotatesNoTwoStepsAlike) {
  for (const auto& [schedule, goal] :
       {std::pair{shipped_schedule(), SearchGoal{}}, std::pair{rows_schedule(), kRowsGoal}}) {
    const std::multiset<unsigned> rotations(schedule.rotation.begin(), schedule.rotation.end());
    EXPECT_EQ(rotations.count(0), goal.multiplications);
    for (unsigned r = 1; r < 32; ++r) EXPECT_LE(rotations.count(r), 1u) << "by " << r;
    for (unsigned n = 0; n < Ring15::kRound; ++n) EXPECT_NE(schedule.tap[n], n % kRingWords);
  }
}

TEST(RingSchedule, HasNoFaultThatTheSearchLooksFor) {
  EXPECT_EQ(faults_of(shipped_schedule(), rolls_of_shared_masks()), 0u);
  EXPECT_GT(faults_of(sampled_schedule(), rolls_of_shared_masks()), 0u);
  EXPECT_TRUE(is_free(shipped_schedule(), rolls_of_shared_masks(), rolls_of_tensor_count()));
  EXPECT_EQ(faults_of(rows_schedule(), rolls_of_tensor_count(), kRowsGoal), 0u);
  EXPECT_TRUE(is_free(rows_schedule(), {}, rolls_of_tensor_count()));
}

// Why 05 has another: seven words of one stream see what two or three do not.
TEST(RingSchedule, OfMoreMultiplicationsIsNotForBattlesOfOneStream) {
  EXPECT_GT(faults_of(rows_schedule(), rolls_of_shared_masks(), kRowsGoal), 0u);
  EXPECT_FALSE(is_free(rows_schedule(), rolls_of_shared_masks(), rolls_of_tensor_count()));
}

// Sampling (ring15_test) sees three rolls of these taps correlated at bit 0 as strongly as can be.
TEST(RingSchedule, ThreeRollsOfTwoRoundsDoNotDepend) {
  EXPECT_EQ(fewest_dependent_rolls(shipped_schedule()), 4u);
  EXPECT_EQ(fewest_dependent_rolls(rows_schedule()), 4u);
  const RingSchedule other = chosen_schedule(
      "14,2,6,14,11,0,0,0,10,0,13,12,7,11,9,1,13,7,2,6,11,12,6,7,0,5,2,3,7,2,6,8,0,1,6,13,10,12,6,"
      "4,5,9,6,7,8",
      "0,0,17,0,0,5,0,24,0,7,0,0,0,1,0,16,25,10,22,2,0,27,8,3,31,0,20,0,0,30,0,13,0,28,23,0,18,12,"
      "0,19,6,0,14,0,26");
  EXPECT_EQ(faults_of(other, rolls_of_shared_masks()), 0u);
  EXPECT_EQ(fewest_dependent_rolls(other), 3u);
}

TEST(RingSchedule, OfTheSearchShowsNothing) {
  std::mt19937_64 random(5);
  const Annealed found = anneal_schedule(rolls_of_shared_masks(), random);
  ASSERT_EQ(found.faults, 0u);
  EXPECT_NE(found.schedule, shipped_schedule());
  for (const Scope& scope : scopes_of(rolls_of_shared_masks()))
    EXPECT_TRUE(meetings(found.schedule, scope.words).empty()) << scope.name;
}

// Annealing alone leaves three rolls that depend on each other.
TEST(RingSchedule, OfMoreMultiplicationsIsFoundByPartingThreeRolls) {
  const auto battles = rolls_of_tensor_count();
  std::mt19937_64 random(1);
  const Annealed found = anneal_schedule(battles, random, kRowsGoal);
  ASSERT_EQ(found.faults, 0u);
  EXPECT_EQ(fewest_dependent_rolls(found.schedule), 3u);
  const RingSchedule parted = part_three_rolls(found.schedule, battles, random, kRowsGoal);
  EXPECT_EQ(fewest_dependent_rolls(parted), 4u);
  EXPECT_EQ(faults_of(parted, battles, kRowsGoal), 0u);
}

std::string refusal(const std::string& taps, const std::string& rotations) {
  return error_of([&] { chosen_schedule(taps, rotations); });
}

TEST(RingSchedule, SaysWhatIsWrongWithOneThatIsGiven) {
  std::string taps = "1", rotations = "0";
  for (unsigned n = 1; n < Ring15::kRound; ++n) {
    taps += fmt::format(",{}", (n + 1) % kRingWords);
    rotations += fmt::format(",{}", n % 32);
  }
  EXPECT_EQ(chosen_schedule(taps, rotations).tap[44], 0u);
  EXPECT_EQ(refusal(taps + ",1", rotations), "--taps: 46 entries, a round has 45");
  EXPECT_EQ(refusal(taps, fmt::format("32{}", rotations.substr(1))),
            "--rotations: entry 0 is 32, give 0 to 31");
  EXPECT_EQ(refusal(fmt::format("0{}", taps.substr(1)), rotations),
            "--taps: step 0 adds the word that it replaces");
  EXPECT_EQ(refusal(taps, ""), "--rotations: 0 entries, a round has 45");
}

}  // namespace
}  // namespace ratchet::graveler
