// What a run keeps of the launches of a row: whole pairs or nothing.
#include "perf/gate/run/ledger.h"

#include <gtest/gtest.h>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"

namespace ratchet::gate {
namespace {

class LedgerOfPairs : public testing::Test {
 protected:
  inline static const std::string row = "demo/cpu/01_a";

  static LaunchOutcome launched(double ms, bool contended = false) {
    LaunchOutcome outcome;
    outcome.launch.emplace();
    outcome.launch->real_ms = ms;
    outcome.launch->cpu_ms = contended ? ms / 2 : ms;
    outcome.launch->counters = {{"units", 10}, {"units_per_second", 1e4 / ms}, {"one_cpu", 1}};
    outcome.context = {{"cpu.model", "A"}};
    return outcome;
  }

  static LaunchOutcome failed_launch(const std::string& why) {
    LaunchOutcome outcome;
    outcome.failure = why;
    return outcome;
  }

  std::size_t kept(std::size_t side) const {
    const auto found = ledger_.measured(side).rows.find(row);
    return found == ledger_.measured(side).rows.end() ? 0 : found->second.launches.size();
  }
  std::string said_;
  Progress progress_{[this](const std::string& line) { said_ += line + "\n"; }};
  Ledger ledger_{{{"base", nullptr}, {"new", nullptr}}, {row, "demo/cpu/02_b"}, false, progress_};
};

TEST_F(LedgerOfPairs, LaunchIOfOneSideBelongsToLaunchIOfTheOther) {
  ledger_.keep(row, {launched(1), launched(2)}, 0.5, 1);
  ledger_.keep(row, {launched(3), launched(4)}, 0.7, 2);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(ledger_.measured(0).rows.at(row).launches.at(i).real_ms, i == 0 ? 1 : 3);
    EXPECT_EQ(ledger_.measured(1).rows.at(row).launches.at(i).real_ms, i == 0 ? 2 : 4);
    EXPECT_EQ(ledger_.measured(1).rows.at(row).launches.at(i).index, static_cast<int>(i));
  }
  EXPECT_DOUBLE_EQ(ledger_.launch_s(row), 0.55) << "one slow pair is not the time of the next";
  EXPECT_EQ(ledger_.call_s(row), 0.001);
}

TEST_F(LedgerOfPairs, S13OneSideThatFailsFailsTheRowAndNoOther) {
  ledger_.keep(row, {launched(1), launched(1)}, 0.5, 1);
  ledger_.keep(row, {launched(1), failed_launch("killed by signal 9")}, 0.5, 2);
  EXPECT_EQ(kept(0) + kept(1), 0u);
  EXPECT_EQ(ledger_.failures().at(row).reason, "new build, launch 2: killed by signal 9");
  EXPECT_EQ(said_, row + ": new build, launch 2: killed by signal 9\n");
  EXPECT_EQ(ledger_.alive(), std::set<RowId>{"demo/cpu/02_b"});
}

TEST_F(LedgerOfPairs, LaunchesOfOtherUnitsFailTheRow) {
  ledger_.keep(row, {launched(1), launched(1)}, 0.5, 1);
  LaunchOutcome other = launched(1);
  other.launch->counters["units"] = 11;
  ledger_.keep(row, {other, launched(1)}, 0.5, 2);
  EXPECT_HAS(ledger_.failures().at(row).reason,
             "base build, launch 2: its launches differ in units");
}

TEST_F(LedgerOfPairs, S30APairIsPutAsideWhicheverSideWasContended) {
  ledger_.keep(row, {launched(1, true), launched(1)}, 0.5, 1);
  ledger_.keep(row, {launched(1), launched(1, true)}, 0.5, 2);
  EXPECT_EQ(ledger_.contended(row), 2u);
  EXPECT_EQ(ledger_.clean_launches(row), 0u);
  EXPECT_EQ(kept(0), 0u);
  // A row without others is shown by them, until it has another.
  ledger_.show_contended({row});
  EXPECT_EQ(kept(0), 2u);
  EXPECT_EQ(kept(1), 2u);
  EXPECT_EQ(ledger_.clean_launches(row), 0u);
  ledger_.keep(row, {launched(1, true), launched(1, true)}, 0.5, 3);
  EXPECT_EQ(kept(0), 2u);
  ledger_.keep(row, {launched(1), launched(1)}, 0.5, 4);
  EXPECT_EQ(kept(0), 1u);
  EXPECT_EQ(ledger_.clean_launches(row), 1u);
  EXPECT_EQ(ledger_.contended(row), 3u);
}

TEST_F(LedgerOfPairs, S30ProgramsThatWaitedForACpuInTurnArePairs) {
  LaunchOutcome queued = launched(1);
  queued.launch->counters["queued"] = 0.5;
  ASSERT_TRUE(queued.launch->contended());
  ledger_.keep(row, {queued, launched(1)}, 0.5, 1);
  EXPECT_EQ(ledger_.contended(row), 0u);
  EXPECT_EQ(kept(1), 1u);
}

TEST_F(LedgerOfPairs, WhatEverySideSkipsIsSkippedAndWhatOneSkipsHasFailed) {
  LaunchOutcome skips = failed_launch("no GPU");
  skips.skipped = true;
  ledger_.keep(row, {skips, skips}, 0.5, 1);
  EXPECT_TRUE(ledger_.failures().at(row).skipped);
  EXPECT_EQ(ledger_.failures().at(row).reason, "no GPU");
  ledger_.keep("demo/cpu/02_b", {launched(1), skips}, 0.5, 1);
  EXPECT_FALSE(ledger_.failures().at("demo/cpu/02_b").skipped);
  EXPECT_EQ(ledger_.failures().at("demo/cpu/02_b").reason, "new build, launch 1: no GPU");
}

TEST_F(LedgerOfPairs, AMachineThatChangesIsAnError) {
  ledger_.keep(row, {launched(1), launched(1)}, 0.5, 1);
  LaunchOutcome elsewhere = launched(1);
  elsewhere.context["cpu.model"] = "B";
  EXPECT_HAS(error_of([&] {
               ledger_.keep(row, {launched(1), elsewhere}, 0.5, 2);
             }),
             "the machine changed during the run: cpu.model was A, now B");
}

}  // namespace
}  // namespace ratchet::gate
