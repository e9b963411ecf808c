// A gate run as people see it: in colour with a line that renews itself before a terminal, plain
// elsewhere, short where it is to be quiet.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/perf/output/files/outputs_fixture.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/in_terminal.h"
#include "perf/gate/baseline/units.h"
#include "perf/output/delivery.h"
#include "perf/output/files/output.h"
#include "perf/output/files/output_row.h"
#include "perf/stats/sequential.h"

namespace ratchet {
namespace {

class GateTerminal : public GateFixture {
 protected:
  void SetUp() override {
    GateFixture::SetUp();
    for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"}) unsetenv(name);
    store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
    plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 0.3e6 1000"});
  }
  std::vector<std::string> command(const std::vector<std::string>& more) {
    std::vector<std::string> words = {built_program("perf/ratchet"),
                                      "gate",
                                      "--bench",
                                      worker(),
                                      "--baseline-dir",
                                      baselines(),
                                      "--results",
                                      folder() / "results"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string before_terminal(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = command(more);
    return in_terminal([&] {
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
    });
  }
};

TEST_F(GateTerminal, BeforeATerminalVerdictsAreColouredAndProgressIsGone) {
  plan({"demo/cpu/01_a slowpoint 1e6 1000", "demo/cpu/02_b slowpoint 0.3e6 1000"});
  const std::string text = before_terminal();
  EXPECT_HAS(text, "\x1b[1;31mslower\x1b[0m");
  EXPECT_HAS(text, "\x1b[1;32msame\x1b[0m");
  EXPECT_HAS(text, "\x1b[1;31mREGRESSION\x1b[0m (exit 1)");
  EXPECT_HAS(text, "\r\x1b[Kratchet: checking demo/cpu/0");
  const std::string screen = screen_of(text);
  EXPECT_LACKS(screen, "checking");
  EXPECT_LACKS(screen, "launches of");
  EXPECT_HAS(screen, "timing them now") << "a remark stays";
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 0.3e6 1000"});
  setenv("NO_COLOR", "1", 1);
  const std::string plain = before_terminal();
  unsetenv("NO_COLOR");
  EXPECT_LACKS(plain, "\x1b[1;");
}

TEST_F(GateTerminal, BeforeATerminalAcceptMayAsk) {
  std::filesystem::remove_all(baselines());
  std::filesystem::create_directory(baselines());
  const std::string screen = screen_of(before_terminal({"--budget-s", "2"}));
  EXPECT_HAS(screen, " accept --from ");
  EXPECT_LACKS(screen, "--yes");
  EXPECT_HAS(run_process(command({"--budget-s", "2"}), 60).output, " --yes --reason ");
}

TEST_F(GateTerminal, ElsewhereLinesArePlain) {
  const ProcessResult run = run_process(command({}), 60);
  EXPECT_EQ(run.exit_code, 1) << run.errors;
  EXPECT_LACKS(run.output + run.errors, "\x1b");
  EXPECT_LACKS(run.output + run.errors, "\r");
  EXPECT_HAS(run.errors, "timing them now");
  const ProcessResult forced = run_process(command({}), 60, {{"FORCE_COLOR", "1"}});
  EXPECT_HAS(forced.output, "\x1b[1;31mslower");
  EXPECT_LACKS(forced.errors, "\r");
}

TEST_F(GateTerminal, QuietSaysWhatIsNotTheSameAndTheVerdict) {
  const ProcessResult run = run_process(command({"--quiet"}), 60);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.errors, "");
  EXPECT_HAS(run.output, "demo/cpu/02_b");
  EXPECT_LACKS(run.output, "demo/cpu/01_a");
  EXPECT_HAS(run.output, "results in");  // of what did not pass
  EXPECT_LACKS(run.output, "report: ");
  EXPECT_TRUE(run.output.ends_with("REGRESSION (exit 1): 1 slower, 1 same\n")) << run.output;
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
  EXPECT_EQ(run_process(command({"-q"}), 60).output, "PASS (exit 0): 2 same\n");
  EXPECT_EQ(screen_of(before_terminal({"-q"})).substr(0, 10), "\x1b[1;32mPAS");
}

}  // namespace

TEST(OutputRow, SaysWhatIsStoredWhereBeforeIsAnotherFigure) {
  gate::RowReport slow = gate::compared("demo/cpu/01", gate::Verdict::slower, 0.9);
  const auto reason = [&] { return output_row(slow, {}).reason; };
  EXPECT_LACKS(reason(), "stored: ");
  slow.now.throughput = 0.95e6;  // a faster machine than on the day of the baseline
  EXPECT_HAS(reason(), "before: at the machine's present speed");
  EXPECT_HAS(reason(), "stored: " + rate_text(1e6, output_row(slow, {}).unit) + ", ");
  slow.before.call_s = 2e-3;
  EXPECT_HAS(reason(), "stored: " + time_text(2e-3) + ", ");
  slow.paired = true;
  EXPECT_LACKS(reason(), "stored: ");
}

// What a run says would settle its undecided rows.

namespace gate {
namespace {

/// Ten pairs of a second each show a loss of 4 %; the plan's 88 are likely to prove it.
RowReport open_row() {
  RowReport open = compared("demo/cpu/01", Verdict::undecided, std::exp(-0.04));
  open.tolerance = 0.01;
  open.launches = 10;
  open.pair_s = 1;
  open.decision->per_comparison = stats::Bounds{std::exp(-0.06), std::exp(-0.02), 0.05};
  return open;
}

TEST_F(Outputs, UndecidedSaysWhatWouldSettleIt) {
  const RowReport wide = open_row();
  RowReport hopeless = wide;  // beyond what an hour or any plan can do
  hopeless.decision->ratio = 1;
  hopeless.decision->per_comparison = stats::Bounds{std::exp(-0.09), std::exp(0.09), 0.05};
  const RowReport same = compared("demo/cpu/03", Verdict::same, 1);
  const std::string text = what_would_settle({wide, hopeless, same}, 280);
  EXPECT_HAS(text, "2 undecided after 10 pairs in 280 s");
  EXPECT_HAS(text, "--budget-s 600 is likely to settle 1 of 2");
  EXPECT_LACKS(text, "--tolerance") << "it would hide the loss of the first row";
  EXPECT_LACKS(what_would_settle_row(wide), "tolerance");
  RowReport level = wide;
  level.decision->per_comparison->high = std::exp(0.02);
  EXPECT_HAS(what_would_settle({level, hopeless, same}, 280),
             "--tolerance 0.1 would have settled 2");
  EXPECT_HAS(what_would_settle_row(level), "a tolerance of ");
  EXPECT_EQ(what_would_settle({same}, 10), "");
  EXPECT_HAS(what_would_settle({hopeless}, 280), "not even an hour");
  hopeless.launches = stats::plan_pairs(1).back().launches;
  EXPECT_HAS(what_would_settle({hopeless}, 280), " pairs (a run takes no more) in 280 s");
}

TEST_F(Outputs, EveryUndecidedRowIsCountedInWhatWouldSettleThem) {
  const RowReport open = open_row();
  // Three pairs of eight, and each clean one cost a contended one.
  RowReport few = report("demo/cpu/02 a", Verdict::undecided);
  few.reason = FewPairs{3, 8};
  few.launches = few.contended = 3;
  few.pair_s = 8;
  few.decision.emplace();
  RowReport none = few;  // no pair yet
  none.name = "demo/cpu/03";
  none.launches = none.contended = 0;
  const RowReport stored = compared("demo/cpu/04", Verdict::undecided, 0.97);
  const std::string all =
      what_would_settle({few, none, open, stored}, 90, "ratchet gate {row} --bench ./b -- -x");
  EXPECT_HAS(all,
             "4 undecided after 0 to 10 pairs and 9 launches in 90 s; --budget-s 300 is likely to "
             "settle 1");
  EXPECT_HAS(
      all,
      "; 2 have too few pairs for an interval, at least 8 are needed and one takes up to 8 s "
      "(other processes spoiled 3): --budget-s 600 is likely to give these");
  EXPECT_HAS(all, "; 1 compared with stored launches: --base REV ");
  EXPECT_HAS(all,
             "\nA row that is named alone has the whole budget:\n"
             "  ratchet gate 'demo/cpu/02 a' --budget-s 600 --bench ./b -- -x");
  const std::string one = what_would_settle({open}, 90, "ratchet gate {row}");
  EXPECT_HAS(one, "\nThis row alone, with the whole budget:\n");
  EXPECT_LACKS(one, "is likely to settle") << "one budget is enough";
  EXPECT_TRUE(one.ends_with("\n  ratchet gate demo/cpu/01 --budget-s 120")) << one;
  EXPECT_EQ(what_would_settle({stored}, 9, "ratchet gate {row}"),
            "1 undecided after 9 launches in 9 s; 1 compared with stored launches: --base "
            "REV measures both builds side by side");
  EXPECT_EQ(
      what_would_settle({stored}, 9, "ratchet gate {row}", "`a command` does"),
      "1 undecided after 9 launches in 9 s; 1 compared with stored launches: `a command` does");
  EXPECT_HAS(what_would_settle({open}, 40, "", "", 60),
             " in 40 s (no next analysis fits into the rest of 60 s); ");
  EXPECT_HAS(what_would_settle({open}, 59, "", "", 60), " in 59 s (the budget of 60 s ended); ");
  RowReport most = open;
  most.launches = stats::plan_pairs(2).back().launches;
  EXPECT_HAS(what_would_settle({most, most}, 59, "", "", 60), " pairs (a run takes no more) in 59");
  EXPECT_HAS(what_would_settle({open, most}, 59, "", "", 60),
             fmt::format("2 undecided after 10 to {} pairs in 59 s (the budget of 60 s ended)",
                         most.launches));
  few.pair_s = 800;
  EXPECT_TRUE(what_would_settle({few}, 9, "ratchet gate {row}")
                  .ends_with(": one hour is unlikely to give these"));
  // No budget is foretold where others spoil most pairs.
  few.pair_s = 8;
  few.contended = 4;
  EXPECT_EQ(what_would_settle({few}, 90, "ratchet gate {row}"),
            "1 undecided after 3 pairs in 90 s; the machine is too busy for 1: other processes "
            "spoiled most of its pairs, so measure on a quieter one (`ratchet doctor` names them)");
}

TEST_F(Outputs, TooFewLaunchesAreSaidWithTheBudgetThatGivesThem) {
  RowReport stored = compared("demo/cpu/04", Verdict::undecided, 0.07);
  stored.launches = 6;
  stored.reason = FewLaunches{6, 10};
  EXPECT_HAS(what_would_settle({stored}, 30),
             "; 1 has fewer than the 10 launches that a verdict needs: --budget-s 120 is likely to "
             "give these; 1 compared with stored launches");
  stored.reason = FewLaunches{6, 30};  // more than undecided rows get by themselves
  EXPECT_HAS(what_would_settle({stored}, 30), ": --launches 30 --budget-s 300 is likely to give ");
  stored.launches = 1;
  EXPECT_HAS(what_would_settle({stored}, 30), "1 undecided after 1 launch in 30 s");
}

TEST_F(Outputs, NotesOfferTheFunctionsOfARowAndNotOfAMetric) {
  Outcome outcome;
  outcome.side_by_side = true;
  outcome.explainable = false;
  outcome.circumstances.commands["explain"] = "ratchet explain {row} --base main";
  outcome.reports = {compared("demo/Parse", Verdict::slower, std::exp(-0.1))};
  outcome.reports[0].basis = "items_per_second";
  EXPECT_HAS(notes_of(outcome),
             "which functions take longer: ratchet explain demo/Parse --base main");
  outcome.reports[0].basis = "MB (smaller is better)";
  EXPECT_LACKS(notes_of(outcome), "which functions take longer");
}

TEST_F(Outputs, RowsOfSeveralNumbersOfThreadsHaveALineTogether) {
  Outcome outcome;
  for (int group = 0; group < 7; ++group)
    for (int threads = 1; threads < 4; ++threads) {
      RowReport report = compared(fmt::format("demo/S{}/threads:{}", group, threads),
                                  threads == 1 ? Verdict::undecided : Verdict::same, 0.999);
      report.paired = true;
      report.by_launches = report.decision;
      outcome.reports.push_back(report);
    }
  outcome.reports[1].by_launches->ratio = 1.003;
  for (const bool side_by_side : {true, false}) {
    outcome.side_by_side = side_by_side;
    const std::string note = notes_of(outcome);
    EXPECT_HAS(
        note,
        "demo/S0 at 3 numbers of threads, as one: +0.03 % (-0.36 % ... +0.42 %); 1 row undecided.");
    EXPECT_HAS(note, "demo/S4 at 3 numbers of threads, as one: -0.10 % (");
    EXPECT_LACKS(note, "demo/S5 at 3");
    EXPECT_HAS(note, "gate.json has 2 more such groups.");
  }
  const nlohmann::json groups = kept_results(outcome).context["ratchet"]["run"]["thread_groups"];
  ASSERT_EQ(groups.size(), 7u);
  EXPECT_EQ(groups[0]["name"], "demo/S0");
  EXPECT_EQ(groups[0]["rows"][2], "demo/S0/threads:3");
  EXPECT_NEAR(groups[0]["ratio"], 1.00033, 1e-4);
  EXPECT_LT(groups[0]["low"], groups[0]["ratio"]);
  EXPECT_GT(groups[0]["high"], groups[0]["ratio"]);
  outcome.reports.resize(2);
  EXPECT_LACKS(notes_of(outcome), "numbers of threads");
  EXPECT_FALSE(kept_results(outcome).context["ratchet"]["run"].contains("thread_groups"));
}

TEST_F(Outputs, NotesBeginWithASourceThatIsNewerThanTheProgram) {
  Outcome outcome;
  outcome.reports = {compared("demo/Parse", Verdict::same, 0)};
  for (const bool side_by_side : {true, false})
    for (const char* nothing : {"", "no base"}) {
      outcome.side_by_side = side_by_side;
      outcome.nothing_to_compare = nothing;
      outcome.stale = "bench is older than a.cpp";
      EXPECT_TRUE(notes_of(outcome).starts_with("bench is older than a.cpp\n"));
      outcome.stale = "";
      EXPECT_LACKS(notes_of(outcome), "bench is older");
    }
}

TEST_F(Outputs, NotesSayWhatTheRunKeptAndWhatBaseWouldMeasure) {
  Outcome outcome;
  outcome.reports = {compared("demo/cpu/01", Verdict::undecided, 1),
                     report("demo/cpu/02", Verdict::added)};
  outcome.reports[0].reason = FewLaunches{9, 10};
  std::string& now = outcome.circumstances.provenance.now.commit;
  std::string& base = outcome.circumstances.provenance.base.commit;
  EXPECT_HAS(notes_of(outcome), "`ratchet compare --exec OLD --exec NEW`");
  now = std::string(40, 'a');
  EXPECT_HAS(notes_of(outcome),
             "the baseline's revision is unknown in this repository; --base REV, with a commit "
             "that you name, measures both builds");
  outcome.circumstances.no_base = "bench lies in no build folder";
  EXPECT_HAS(notes_of(outcome), "no other revision can be built: bench lies in no build folder");
  EXPECT_LACKS(notes_of(outcome), "--base");
  outcome.circumstances.no_base.clear();
  base = now;
  outcome.revision = "aaaaaaaaaaaa-dirty";
  EXPECT_HAS(notes_of(outcome), "--base aaaaaaaaaaaa measures both builds");
  outcome.circumstances.commands["repeat"] = "ratchet gate {row} --stored";
  EXPECT_HAS(notes_of(outcome), "--base aaaaaaaaaaaa in place of --stored measures both builds");
  outcome.revision = "aaaaaaaaaaaa";
  EXPECT_HAS(notes_of(outcome), "the baseline is of this very commit, so only more launches");
  outcome.interrupted = true;
  EXPECT_HAS(notes_of(outcome),
             "1 of 2 rows were measured and are in the result files; nothing is ")
      << "a new row was not launched";
}

TEST_F(Outputs, WhatIsSlowerByTimeAloneIsNoRegressionOfTheCode) {
  Outcome outcome;
  outcome.side_by_side = true;
  outcome.reports = {compared("demo/cpu/01", Verdict::slower, 0.9)};
  outcome.reports[0].same_by_time = true;
  EXPECT_HAS(headline(outcome.reports, ExitCode::regression), "SLOWER BY TIME ALONE (exit 1)");
  EXPECT_HAS(notes_of(outcome),
             "1 row is slower by time alone: both sides execute the same code, so layout");
  outcome.reports.push_back(compared("demo/cpu/02", Verdict::slower, 0.9));
  EXPECT_HAS(headline(outcome.reports, ExitCode::regression), "REGRESSION (exit 1)");
  outcome.reports.erase(outcome.reports.begin());
  EXPECT_LACKS(notes_of(outcome), "by time alone");
}

TEST_F(Outputs, TheTimeOfTheBasesBuildStandsApart) {
  Outcome outcome;
  outcome.side_by_side = true;
  outcome.circumstances.seconds = 12;
  outcome.seconds_measuring = 9;
  EXPECT_HAS(notes_of(outcome), "12 s, 25.0 % of them overhead of the gate.\n");
  outcome.build_s = 75;
  EXPECT_HAS(notes_of(outcome),
             "12 s, 25.0 % of them overhead of the gate; before that, building the base took "
             "1 min 15 s.\n");
  outcome.reports = {compared("demo/cpu/01", Verdict::same, 1)};
  EXPECT_HAS(notes_of(outcome), "overhead of the gate");
  outcome.reports[0].same_work = true;
  EXPECT_HAS(notes_of(outcome), "12 s; before that") << "hardly anything was to be measured";
}

TEST_F(Outputs, ACallThatDoesMoreOnPurposeIsKnownByItsItems) {
  Outcome outcome;
  outcome.side_by_side = true;
  outcome.reports = {compared("demo/cpu/01", Verdict::slower, 0.9)};
  outcome.reports[0].basis = "1/cpu_time";
  EXPECT_HAS(notes_of(outcome),
             "demo/cpu/01 states no items and no bytes: if its call does more on ");
  outcome.of_two_rows = true;
  EXPECT_LACKS(notes_of(outcome), "states no items") << "neither row was changed";
  outcome.of_two_rows = false;
  outcome.reports[0].basis = "items_per_second";
  EXPECT_LACKS(notes_of(outcome), "states no items");
}

/// gate.json says to scripts what the terminal suggests: each command, in the order of the notes.
TEST_F(Outputs, NextIsWhatTheNotesSuggest) {
  Outcome outcome;
  outcome.reports = {compared("demo/cpu/01", Verdict::slower, 0.9), open_row(),
                     report("demo/cpu/03", Verdict::missing)};
  outcome.reports[0].moved = true;
  outcome.reports[0].executes = Facts::Executes::other;
  outcome.circumstances.commands = {{"repeat", "ratchet gate {row} --bench ./b"},
                                    {"explain", "ratchet explain {row}"},
                                    {"bisect", "ratchet bisect A B {row}"},
                                    {"profile", "ratchet profile {row}"}};
  outcome.accept_command = "ratchet accept demo/cpu/03";
  using Steps = std::vector<std::pair<std::string, std::string>>;
  const auto next = [&] {
    outcome.next = next_of(outcome);
    Steps steps;
    std::size_t at = 0;
    const std::string notes = notes_of(outcome);
    const nlohmann::json run = run_json(outcome);
    for (const auto& step : run.at("next")) {
      steps.emplace_back(step["purpose"], step["command"]);
      at = notes.find(" " + steps.back().second + "\n", at);
      EXPECT_NE(at, std::string::npos) << steps.back().second << " is not next in\n" << notes;
    }
    return steps;
  };
  EXPECT_EQ(next(), (Steps{{"repeat", "ratchet gate demo/cpu/01 --budget-s 300 --bench ./b"},
                           {"explain", "ratchet explain demo/cpu/01"},
                           {"bisect", "ratchet bisect A B demo/cpu/01"},
                           {"accept", "ratchet accept demo/cpu/03"}}));
  outcome.circumstances.no_bisect = "the change is not committed";
  EXPECT_EQ(next().size(), 3u);
  outcome.accept_faster = "ratchet accept demo/cpu/04 --reason faster";
  EXPECT_EQ(next().back().second, outcome.accept_faster);
  outcome.accept_faster.clear();
  outcome.side_by_side = true;  // of which nothing is accepted
  EXPECT_EQ(next().size(), 2u);
  outcome.interrupted = true;
  EXPECT_EQ(next(), Steps());
  Outcome first;
  first.reports = {report("demo/cpu/01", Verdict::uncompared)};
  first.accept_command = "ratchet accept --reason \"first\"";
  outcome = first;
  EXPECT_EQ(next(), (Steps{{"accept", first.accept_command}}));
  outcome.nothing_to_compare = "the base is forty zeros";
  EXPECT_EQ(next(), Steps());
}

}  // namespace
}  // namespace gate
}  // namespace ratchet
