// Every registered officers stage from states that its way through them depends on: where it
// changes from one way to another, and what a way hands over to the next.
#include <gtest/gtest.h>

#include "correctness/officers/checks/planted.h"
#include "correctness/officers/checks/stage_fixture.h"
#include "correctness/support/error_of.h"

namespace ratchet::officers {
namespace {

class OfficersStates : public OfficersFixture {
 protected:
  /// The stage is quick enough for tens of thousands of values in a test.
  bool quick() const { return stage().defaults().at("count") >= 16384; }
};

/// The next run does not begin with what a run has found. From the first rare positions and from
/// the last ones, whose values are options of the next at once.
TEST_P(OfficersStates, EveryRunBeginsWithTheSameRareValues) {
  if (first() > 0) GTEST_SKIP() << "starts where all rare positions are before";
  const auto& rares = oracle_rares();
  for (std::size_t i = 0; i < rares.size(); i = i == 4 ? rares.size() - 3 : i + 1)
    expect_stored(rares[i].position, std::min<std::uint64_t>(most(), 64), 2);
}

/// One run from before the last rare positions to where they are all that options are made of:
/// those that it finds on its way count.
TEST_P(OfficersStates, FromRareValuesToTheCommonOnes) {
  if (first() > 0 || !quick()) GTEST_SKIP() << "it starts later, or would take seconds";
  expect_stored(8'192, kCommonFrom - 8'192 + 1'000);
}

/// Of the game's values none is left to the slow way: it would be right, and a thousand times
/// slower.
TEST_P(OfficersStates, TheFastWayDoesForTheGamesValues) {
  if (!quick() || stage().info().backend == Backend::cuda)
    GTEST_SKIP() << "slow, or the device decides";
  EXPECT_EQ(0u, compute(oracle_state(70'000), std::min<std::uint64_t>(most(), 20'000)).work.exact);
}

/// A value that a stage's fast way leaves to another is known to those after it.
TEST_P(OfficersStates, GoesOnFromValuesFoundInAnotherWay) {
  if (stage().info().backend == Backend::cuda) GTEST_SKIP() << "takes rare positions for granted";
  for (std::uint64_t more = 0; more < 3; ++more) {
    const State from = late_sum_state(kCommonFrom + more);
    SCOPED_TRACE(from.next);
    const Result result = compute(from, std::min<std::uint64_t>(most(), 400));
    ASSERT_NO_FATAL_FAILURE(expect_by_definition(from, result.values));
  }
}

/// The greatest of the rare values that verification looks for, whichever common value it is for:
/// of any positions, and of values of 256 or more, below which most are still sought at first.
TEST_P(OfficersStates, APlantedRareValueJustBelowTheCommonOne) {
  if (!stage().verified()) GTEST_SKIP() << "speculative: it verifies nothing";
  for (std::uint64_t position = 120'000, tried = 0; tried < 16; ++position) {
    std::uint32_t below = oracle_values()[position];
    if (tried >= 8 && below < 256) continue;
    ++tried;
    while (!is_rare(below)) --below;
    const State from = planted_state(position, below, position);
    EXPECT_EQ(below, compute(from, 1).values.at(0)) << "position " << position;
  }
}

/// Never a value that was not verified, be it for want of those that are no longer kept.
TEST_P(OfficersStates, AValueThatNeedsForgottenOnesIsAnError) {
  if (!stage().verified()) GTEST_SKIP() << "speculative: it verifies nothing";
  const State from = forgetful_state();
  if (!stage().takes(from)) GTEST_SKIP() << "it does not start there";
  const std::string said = error_of([&] { compute(from, 1); });
  EXPECT_TRUE(said.find("is not kept") != said.npos || said.find("the state keeps") != said.npos)
      << said;
}

/// The first and the last values may be all that is kept, with a gap between them. A stage that
/// reads them as one refuses, or computes the right values.
TEST_P(OfficersStates, TheLastValuesAreNotTakenForTheFirst) {
  const State from = oracle_state(kLeastReach + 1'000, kLeastReach);
  if (!stage().takes(from)) GTEST_SKIP() << "it does not start there";
  std::vector<std::uint16_t> values;
  const std::string said = error_of([&] { values = compute(from, 5).values; });
  if (values.empty()) {
    EXPECT_NE(said.find("the state keeps"), said.npos) << said;
    return;
  }
  const auto at = oracle_values().begin() + static_cast<std::ptrdiff_t>(from.next);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), at)) << "other values";
}

INSTANTIATE_TEST_SUITE_P(Stages, OfficersStates, testing::ValuesIn(stages()), test_name);

}  // namespace
}  // namespace ratchet::officers
