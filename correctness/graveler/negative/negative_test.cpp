// Each check rejects a stage with the fault it is there for, and passes a right one.
#include <gtest/gtest.h>

#include <bit>

#include "correctness/graveler/checks/checks.h"
#include "correctness/graveler/negative/faulty_stage.h"
#include "kernels/contract/check.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/support/rng/xorwow.h"

namespace ratchet::graveler {
namespace {

constexpr std::uint64_t kBattles = 300'007;

/// Whether the tests reject, with one of the rejected tests named like `name`.
testing::AssertionResult rejects(const TestResults& tests, const std::string& name) {
  for (const auto& test : tests)
    if (test.rejected() && test.name.find(name) != std::string::npos)
      return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not rejected by '" << name << "': " << summary(tests);
}

testing::AssertionResult passes(const TestResults& tests) {
  if (!tests.empty() && !any_rejected(tests)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << summary(tests);
}

TestResults replay(Fault fault) { return check_replay(*faulty_stage(fault), 1, 8); }
TestResults histogram(Fault fault) {
  const auto stage = faulty_stage(fault);
  return check_histogram(stage->histogram(parameters_for(*stage, kBattles, 2)), kBattles,
                         BinomialLaw(kTurns));
}
TestResults independence(Fault fault) {
  return check_independence(own_trace(*faulty_stage(fault), 3, {16, 1 << 18}));
}
TestResults maximum(Fault fault) { return check_maximum(*faulty_stage(fault), 4, 3'001, 120); }
TestResults counts(Fault fault) { return check_counts(*faulty_stage(fault), 1025); }
TestResults seeds(Fault fault) { return check_seeds(*faulty_stage(fault)); }
TestResults related_seeds(Fault fault) { return check_related_seeds(*faulty_stage(fault)); }
TestResults first_run(Fault fault) { return check_first_run(*faulty_stage(fault), 257, 100); }

/// 300 maxima as the law of so many turns expects them.
Histogram maxima_of(unsigned turns) {
  Histogram maxima{};
  const std::vector<double> pmf = BinomialLaw(turns).maximum_pmf(kBattles);
  for (std::size_t k = 0; k < pmf.size(); ++k)
    maxima[k] = static_cast<std::uint64_t>(300 * pmf[k] + 0.5);
  return maxima;
}

TEST(GravelerMaxima, AreHeldAgainstTheTurnsThatAreReallyPlayed) {
  for (const unsigned turns : {kTurns, 224u}) {
    EXPECT_TRUE(passes(check_maxima(maxima_of(turns), kBattles, BinomialLaw(turns)))) << turns;
    EXPECT_TRUE(rejects(check_maxima(maxima_of(turns), kBattles, BinomialLaw(turns - 7)), "mean"));
  }
}

TEST(GravelerNegative, ARightStagePassesEverything) {
  EXPECT_TRUE(passes(check_layout(faulty_stage(Fault::none)->layout())));
  EXPECT_TRUE(passes(check_refusals(*faulty_stage(Fault::none))));
  EXPECT_TRUE(passes(replay(Fault::none)));
  EXPECT_TRUE(passes(histogram(Fault::none)));
  EXPECT_TRUE(passes(independence(Fault::none)));
  EXPECT_TRUE(passes(maximum(Fault::none)));
  EXPECT_TRUE(passes(counts(Fault::none)));
  EXPECT_TRUE(passes(seeds(Fault::none)));
  EXPECT_TRUE(passes(related_seeds(Fault::none)));
  EXPECT_TRUE(passes(first_run(Fault::none)));
  const CheckResult quick = quick_check(*faulty_stage(Fault::none));
  EXPECT_TRUE(quick.passed) << quick.detail;
}

TEST(GravelerNegative, MaskOneBitShort) {
  EXPECT_TRUE(rejects(replay(Fault::short_mask), "replay"));
  EXPECT_TRUE(rejects(replay(Fault::short_mask), "outcome bits in use"));
  EXPECT_TRUE(rejects(histogram(Fault::short_mask), "sum of ones"));
  EXPECT_TRUE(rejects(histogram(Fault::short_mask), "histogram"));
  EXPECT_TRUE(rejects(replay(Fault::long_mask), "outcome bits in use"));
}

TEST(GravelerNegative, ReusedWord) {
  EXPECT_TRUE(rejects(replay(Fault::reused_word), "replay"));
  EXPECT_TRUE(rejects(replay(Fault::reused_word), "outcome is the turns"));
  EXPECT_TRUE(rejects(histogram(Fault::reused_word), "variance"));
  EXPECT_TRUE(rejects(independence(Fault::reused_word), "pairs of turns"));
  EXPECT_TRUE(rejects(independence(Fault::reused_word), "turns by distance"));
}

TEST(GravelerNegative, ReusedBitInTheLayout) {
  Layout layout = paired_words_layout(32);
  const auto site = layout.site;
  layout.site = [site](std::uint32_t battle, std::uint32_t turn) {
    return site(battle, turn == 100 ? 36 : turn);
  };
  EXPECT_TRUE(rejects(check_layout(layout), "layout independence"));
  layout.site = [site](std::uint32_t battle, std::uint32_t turn) {
    Site shared = site(battle, turn);
    if (turn == 100) shared.bit_b = shared.bit_b + 1;  // the bit of turn 101
    return shared;
  };
  EXPECT_TRUE(rejects(check_layout(layout), "layout independence"));
  layout.site = [site](std::uint32_t battle, std::uint32_t turn) {
    Site same = site(battle, turn);
    if (turn == 100) same.word_b = same.word_a;
    return same;
  };
  EXPECT_TRUE(rejects(check_layout(layout), "layout independence"));
  layout.site = [](std::uint32_t, std::uint32_t turn) {
    return Site{.lane = 0, .word_a = turn / 16, .bit_a = 0, .word_b = turn / 16, .bit_b = 32};
  };
  EXPECT_TRUE(rejects(check_layout(layout), "layout range"));
  layout.words = 0;
  EXPECT_TRUE(rejects(check_layout(layout), "layout shape"));
}

/// 32 copies, one per bit, of a ring of outcomes of three words: each shares one with either
/// neighbour.
Layout ring_layout(std::uint32_t outcomes, std::uint32_t claimed) {
  Layout layout;
  layout.words = 2 * outcomes;
  layout.hit = 0;
  layout.independent_below = claimed;
  layout.site = [outcomes](std::uint32_t, std::uint32_t turn) {
    const std::uint32_t i = turn / 32, bit = turn % 32;
    return Site{.lane = 0,
                .word_a = i,
                .bit_a = bit,
                .word_b = (i + 1) % outcomes,
                .bit_b = bit,
                .word_m = outcomes + i,
                .bit_m = bit};
  };
  return layout;
}

TEST(GravelerNegative, MasksThatShareMoreThanClaimed) {
  // 231 turns fill eight outcome words but for 25 bits: eight on a ring depend on each other.
  EXPECT_TRUE(passes(check_layout(ring_layout(8, 8))));
  EXPECT_TRUE(rejects(check_layout(ring_layout(8, 9)), "layout independence"));
  EXPECT_TRUE(rejects(check_layout(ring_layout(8, 0)), "layout independence"));
  EXPECT_TRUE(rejects(check_layout(ring_layout(8, 4)), "layout independence"));
  EXPECT_TRUE(passes(check_layout(ring_layout(9, 0)))) << "a ring left open is a chain";
}

TEST(GravelerNegative, OrForAnd) {
  EXPECT_TRUE(rejects(replay(Fault::or_for_and), "replay"));
  EXPECT_TRUE(rejects(histogram(Fault::or_for_and), "sum of ones"));
  EXPECT_TRUE(rejects(maximum(Fault::or_for_and), "mean maximum"));
}

TEST(GravelerNegative, BiasedGenerator) {
  // Its words are biased, not its use of them: only the stage's own stream can show it.
  EXPECT_TRUE(passes(replay(Fault::biased_generator)));
  EXPECT_TRUE(rejects(histogram(Fault::biased_generator), "sum of ones"));
  EXPECT_TRUE(rejects(histogram(Fault::biased_generator), "histogram"));
  EXPECT_TRUE(rejects(independence(Fault::biased_generator), "frequency of each turn, all"));
}

TEST(GravelerNegative, WrongNumberOfBattles) {
  EXPECT_TRUE(rejects(counts(Fault::dropped_tail), "histogram's battles"));
  EXPECT_TRUE(rejects(counts(Fault::dropped_tail), "first run's battles"));
  EXPECT_TRUE(rejects(counts(Fault::one_too_many), "second run's battles"));
  EXPECT_TRUE(rejects(histogram(Fault::dropped_tail), "number of battles"));
  EXPECT_TRUE(rejects(maximum(Fault::one_too_many), "battles in the maximum"));
}

TEST(GravelerNegative, BattlesThatRememberTheOneBefore) {
  EXPECT_TRUE(passes(replay(Fault::sticky_battles)));
  const TestResults sticky = independence(Fault::sticky_battles);
  for (const char* test : {"joint outcomes at a lag", "same turn at a lag, all",
                           "turns of a battle with turns of the next battle"})
    EXPECT_TRUE(rejects(sticky, test));
}

TEST(GravelerNegative, NeighboursOnOneStream) {
  const TestResults equal = independence(Fault::equal_seeds);
  for (const char* test : {"no outcome repeats", "ones at a lag", "squared deviations at a lag",
                           "same turn at a lag", "turns of a battle with turns of the next group"})
    EXPECT_TRUE(rejects(equal, test));
  EXPECT_TRUE(rejects(independence(Fault::overlapping_streams), "no outcome repeats"));
}

TEST(GravelerNegative, BattlesThatOnlyThreeTogetherBetray) {
  const TestResults linear = independence(Fault::linear_battles);
  EXPECT_TRUE(rejects(linear, "same turn of three battles"));
  EXPECT_FALSE(rejects(linear, "same turn at a lag"));
  EXPECT_FALSE(rejects(linear, "turns of a battle"));
}

TEST(GravelerNegative, WordsThatOnlyThreeTogetherBetray) {
  const TestResults linear = independence(Fault::linear_words);
  EXPECT_TRUE(rejects(linear, "same bit of three words"));
  EXPECT_FALSE(rejects(linear, "pairs of turns"));
}

TEST(GravelerNegative, MaximumThatLeavesBattlesOut) {
  EXPECT_TRUE(rejects(first_run(Fault::lost_groups), "maximum of the first run"));
  EXPECT_TRUE(rejects(first_run(Fault::claimed_battles), "maximum of the first run"));
  EXPECT_TRUE(
      rejects(check_maximum(*faulty_stage(Fault::lost_groups), 4, 16, 1500), "mean maximum"));
  EXPECT_TRUE(
      rejects(check_maximum(*faulty_stage(Fault::lost_groups), 4, 301, 1500), "mean maximum"));
  EXPECT_TRUE(rejects(check_maximum(*faulty_stage(Fault::lost_groups), 4, 301, 1500),
                      "distribution of maxima"));
}

TEST(GravelerNegative, SeedsAndRuns) {
  EXPECT_TRUE(rejects(seeds(Fault::seed_ignored), "differs"));
  EXPECT_TRUE(rejects(seeds(Fault::stale_state), "each run draws afresh"));
}

TEST(GravelerNegative, RelatedSeeds) {
  EXPECT_TRUE(rejects(related_seeds(Fault::seed_ignored), "outcomes of two related seeds"));
  EXPECT_TRUE(rejects(related_seeds(Fault::seed_cut), "outcomes of two related seeds"));
  EXPECT_TRUE(rejects(related_seeds(Fault::shifted_seeds), "no outcome repeats"));
  EXPECT_FALSE(rejects(related_seeds(Fault::shifted_seeds), "outcomes of two related seeds"));
}

TEST(GravelerNegative, CountsThatAreNotTheOutcomes) {
  EXPECT_TRUE(rejects(replay(Fault::ones_off), "ones are the outcome's"));
  EXPECT_TRUE(rejects(replay(Fault::ones_off), "replay"));
}

TEST(GravelerNegative, TailsOfTheHistogram) {
  Histogram histogram =
      faulty_stage(Fault::none)->histogram(parameters_for(*faulty_stage(Fault::none), kBattles, 2));
  ASSERT_TRUE(passes(check_histogram(histogram, kBattles, BinomialLaw(kTurns))));
  Histogram fat = histogram;
  fat[57] -= 150;
  fat[90] += 150;
  EXPECT_TRUE(rejects(check_histogram(fat, kBattles, BinomialLaw(kTurns)), "upper tail"));
  histogram[57] -= 1;
  histogram[130] += 1;
  EXPECT_TRUE(rejects(check_histogram(histogram, kBattles, BinomialLaw(kTurns)), "highest bin"));
}

TEST(GravelerNegative, QuickCheck) {
  for (const Fault fault : {Fault::short_mask, Fault::reused_word, Fault::or_for_and,
                            Fault::biased_generator, Fault::dropped_tail, Fault::one_too_many,
                            Fault::lost_groups, Fault::ones_off, Fault::claimed_battles})
    EXPECT_FALSE(quick_check(*faulty_stage(fault)).passed) << static_cast<int>(fault);
}

TEST(GravelerNegative, AsPrinted) {
  const auto printed = faulty_stage(Fault::printed, "graveler/cuda/02p_as_printed");
  EXPECT_TRUE(passes(check_as_printed(*printed, kBattles)));
  // The quick check takes the same way, which a name without an error described ends at once: of
  // this one it would play a GPU's hundred million.
  const CheckResult quick = quick_check(*faulty_stage(Fault::printed));
  EXPECT_NE(quick.detail.find("describes none for this stage"), std::string::npos) << quick.detail;
  // A stage that is right, or wrong in another way, does not show the error described.
  const auto right = faulty_stage(Fault::none, "graveler/cuda/02p_as_printed");
  const TestResults of_right = check_as_printed(*right, kBattles);
  EXPECT_TRUE(rejects(of_right, "231 turns refuted"));
  EXPECT_TRUE(rejects(of_right, "battles too many"));
  EXPECT_TRUE(rejects(check_as_printed(*faulty_stage(Fault::printed), kBattles), "printed error"));
}

// The check of neighbouring seeds tells XORWOW seeded as the text seeds it from mixed seeds.

/// What a thread of graveler/cuda/02_xorwow plays, on a CPU: nothing but its trace.
class Xorwows final : public GravelerStage {
 public:
  explicit Xorwows(bool mixed)
      : GravelerStage(stage_info({.name = "graveler/cuda/02_xorwow",
                                  .summary = "traces of it on a CPU",
                                  .source = "ratchet",
                                  .parameters = common_parameters(kBillion)})),
        mixed_(mixed) {}
  Trace trace(const Parameters& parameters, Stream, std::uint32_t groups,
              std::uint32_t rounds) const override {
    Trace trace;
    trace.groups = groups;
    trace.rounds = rounds;
    const std::uint64_t first = run_seed(parameters.at("seed"), 0);
    for (std::uint32_t thread = 0; thread < groups; ++thread) {
      Xorwow words(mixed_ ? mix64(first + thread) : first + thread);
      for (std::uint32_t round = 0; round < rounds; ++round) trace.ones.push_back(battle(words));
    }
    return trace;
  }
  std::unique_ptr<Simulation> prepare_simulation(const Parameters&) const override { return {}; }
  Histogram histogram(const Parameters&) const override { return {}; }
  Layout layout() const override { return paired_words_layout(32); }

 private:
  static std::uint16_t battle(Xorwow& words) {
    int ones = 0;
    for (int pair = 0; pair < 8; ++pair) {
      const std::uint32_t a = words.next32(), both = a & words.next32();
      ones += std::popcount(pair < 7 ? both : both & ~((1u << 25) - 1));
    }
    return static_cast<std::uint16_t>(ones);
  }
  bool mixed_;
};

TEST(GravelerNeighbouringSeeds, LeanAtFirstUnlessMixed) {
  const TestResults printed = check_neighbouring_seeds(Xorwows(false));
  EXPECT_FALSE(any_rejected(printed)) << summary(printed);
  const TestResults mixed = check_neighbouring_seeds(Xorwows(true));
  ASSERT_EQ(mixed.size(), 2u);
  EXPECT_TRUE(mixed[0].rejected()) << summary(mixed);
  EXPECT_FALSE(mixed[1].rejected()) << summary(mixed);
}

}  // namespace

}  // namespace ratchet::graveler
