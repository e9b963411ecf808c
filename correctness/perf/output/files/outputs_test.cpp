// What a gate run leaves for people and for GitHub: tables, summary, annotations; and that all of
// it is written, or nothing of it lost.
#include <fmt/format.h>

#include <regex>
#include <tuple>

#include "correctness/perf/output/files/outputs_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/output/delivery.h"
#include "perf/output/files/formats.h"
#include "perf/output/files/output.h"
#include "perf/output/files/output_row.h"
#include "perf/stats/sequential.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(Outputs, TableFitsWhateverTheRowsAreCalled) {
  std::vector<RowReport> reports = an_outcome().reports;
  reports.push_back(report("demo/cpu/" + std::string(60, 'n'), Verdict::same, "short"));
  reports.push_back(report("demo/cpu/06", Verdict::failed, std::string(300, 'w')));
  reports.push_back(report("demo/cpu/07", Verdict::failed,
                           "first words of a reason that is far too long for what is left of the "
                           "line and goes on below in its own column, éééé, last"));
  const std::string table = terminal_table(reports, {.all_rows = true});
  reports.push_back(compared("demo/cpu/08", Verdict::faster, 1e200));
  for (const std::string& line : lines_of(table + terminal_table(reports, {.all_rows = true}))) {
    EXPECT_LE(characters(line), 120u) << line;
    EXPECT_EQ(line, printable(line));
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_HAS(table, "slower       demo/cpu/01_slow ");
  EXPECT_HAS(table, "-10.00 %");
  EXPECT_HAS(table, "-11.00 ... -9.00 %");  // the simultaneous interval
  EXPECT_HAS(table, "+0.10 %");
  EXPECT_HAS(table, "-0.40 ... +0.60 %");  // the plain one, which decided
  EXPECT_HAS(table, "3.4 %");
  EXPECT_HAS(table, "9 + 9");
  EXPECT_HAS(table, odd_name + "\n");
  EXPECT_HAS(table, std::string(60, 'n') + "\n");  // a line of its own, not cut
  EXPECT_HAS(table, "\n               first words of a reason");
  // No word of a reason is lost.
  std::string joined = std::regex_replace(table, std::regex("\\s+"), "");
  EXPECT_HAS(joined, std::string(300, 'w'));
  EXPECT_HAS(joined, "initsowncolumn,éééé,last");
}

TEST_F(Outputs, RowsShowBeforeAndAfterInTheirUnitAndTheirClock) {
  RowReport slow = compared("demo/cpu/01", Verdict::slower, 0.9);
  slow.before = {1.03e9, 15.4e-6};
  slow.now = {0.927e9, 17.1e-6};
  slow.basis = "bytes_per_second";
  const std::string table = terminal_table({slow}, {.all_rows = true});
  EXPECT_HAS(table,
             "verdict  row          throughput change, interval   tol.  MDE    before -> after     "
             "clock  launches");
  EXPECT_HAS(table,
             "slower   demo/cpu/01  -10.00 %  -11.00 ... -9.00 %  3 %   3.4 %  1.03 -> 0.927 GB/s  "
             "cpu    9 + 9");
  const std::string summary = markdown_summary({slow}, {}, "");
  EXPECT_HAS(summary,
             "| verdict | row | throughput change | interval of the change | tolerance | MDE "
             "(minimum detectable "
             "effect) | before -> after | time per call | clock | launches | reason |");
  EXPECT_HAS(summary,
             "| slower | demo/cpu/01 | -10.00 % | -11.00 ... -9.00 % | 3 % | 3.4 % | 1.03 -> 0.927 "
             "GB/s | 15.4 -> 17.1 us | cpu | 9 + 9 |");
}

/// Calls of another amount of work have no common throughput.
TEST_F(Outputs, ChangedRowsShowNoComparison) {
  RowReport changed = report("demo/cpu/01", Verdict::changed);
  changed.basis = "items_per_second";
  changed.before = {1.17e-5, 0.2};
  changed.now = {178e9, 1e-6};
  const OutputRow shown = output_row(changed, {});
  EXPECT_EQ(throughput_text(shown), "178 G items/s");
  EXPECT_EQ(call_text(shown), "1.00 us");
}

/// The machine runs at another speed; the code does the same.
TEST_F(Outputs, IdenticalWorkShowsNoChange) {
  RowReport drifted = compared("demo/cpu/01", Verdict::same, 0.5836);
  drifted.identical_work = true;
  drifted.reason = IdenticalWork{};
  for (const std::string& text :
       {terminal_table({drifted}, {.all_rows = true}), markdown_summary({drifted}, {}, ""),
        sentence(output_row(drifted, {}))}) {
    EXPECT_LACKS(text, "-41.");
    EXPECT_LACKS(text, "1.00 ->");
    EXPECT_HAS(text, "identical work");
  }
  EXPECT_HAS(markdown_summary({drifted}, {}, ""),
             "| same | demo/cpu/01 | - | - | 3 % | - | 584 k items/s |");
}

TEST_F(Outputs, UndecidedSaysWhatIsProven) {
  const auto reason = [](double low, double high) {
    RowReport row = compared("demo/cpu/01", Verdict::undecided, 1);
    row.decision->per_comparison = stats::Bounds{low, high, 0.05};
    row.decision->simultaneous.reset();
    return output_row(row, {}).reason;
  };
  EXPECT_HAS(reason(0.983, 1.009),
             "same within 1.7 %: may have lost up to 1.7 % or gained up to 0.9 %");
  EXPECT_HAS(reason(0.991, 1.017),
             "same within 1.7 %: may have lost up to 0.9 % or gained up to 1.7 %");
  EXPECT_HAS(reason(0.085, 11.668), "nothing is known of it: between -92 % and +1067 %");
  EXPECT_LACKS(reason(0.085, 11.668), "same within");
  EXPECT_EQ(reason(0.98, 3).find("same within"), std::string::npos) << "its loss is bounded";
  EXPECT_HAS(reason(0.98, 3), "may have lost up to 2.0 % or gained up to 200.0 %");
  EXPECT_HAS(reason(1.002, 1.03), "a loss is no longer possible, a gain of 3.0 % is");
  EXPECT_HAS(reason(0.95, 0.998), "may have lost up to 5.0 %, a gain is no longer possible");
  RowReport contended = compared("demo/cpu/01", Verdict::undecided, 1);
  contended.decision->per_comparison = stats::Bounds{0.2, 0.7, 0.05};
  contended.reason = OthersHeldCpu{20, 20};
  EXPECT_TRUE(output_row(contended, {}).reason.starts_with("other processes used the CPU"));
}

TEST_F(Outputs, ARunThatDecidedNothingDoesNotSayPass) {
  const auto line = [](std::initializer_list<Verdict> verdicts) {
    std::vector<RowReport> reports;
    for (const Verdict verdict : verdicts) reports.push_back(report("demo/cpu/01", verdict));
    EXPECT_HAS(markdown_summary(reports, {}, ""), headline(reports, exit_code(reports, {})) + "\n");
    return headline(reports, exit_code(reports, {}));
  };
  using enum Verdict;
  EXPECT_EQ(line({undecided, undecided}), "NOTHING DECIDED (exit 0): 2 undecided");
  EXPECT_TRUE(line({uncompared, added}).starts_with("NOTHING DECIDED (exit 0): "));
  EXPECT_EQ(line({undecided, same}), "PASS (exit 0): 1 undecided, 1 same");
  EXPECT_EQ(line({undecided, same, undecided}), "MOSTLY UNDECIDED (exit 0): 2 undecided, 1 same");
  std::vector<RowReport> nodes = {report("demo/cpu/01", undecided),
                                  report("demo/cpu/02", undecided)};
  nodes[0].remarks.push_back(OverNodes{2, 2});  // whatever else is decided
  EXPECT_EQ(headline(nodes, ExitCode::pass), "UNDECIDED (exit 0): 2 undecided");
  std::vector<RowReport> one = {report("demo/cpu/01", undecided), report("demo/cpu/02", same)};
  one[0].tolerance = 0.01;
  one[0].decision = Decision{};
  one[0].decision->per_comparison = stats::Bounds{0.68, 0.7, 0.05};
  EXPECT_EQ(headline(one, ExitCode::pass),
            "UNDECIDED (exit 0): 1 undecided, 1 same; 1 of the undecided seems slower");
  one[0].decision->per_comparison->high = 1;
  EXPECT_EQ(headline(one, ExitCode::pass), "PASS (exit 0): 1 undecided, 1 same");
  EXPECT_EQ(headline({report("a", added), report("b", same)}, ExitCode::undecided),
            "INCOMPLETE (exit 3): 1 new, 1 same");
  EXPECT_TRUE(line({faster}).starts_with("PASS (exit 0)"));
  EXPECT_TRUE(line({unavailable}).starts_with("NOTHING RAN (exit 77)"));
  EXPECT_TRUE(
      headline({report("a", undecided)}, ExitCode::undecided).starts_with("UNDECIDED (exit 3)"));
}

TEST_F(Outputs, CommandsRepeatTheOptionsOfTheirRun) {
  EXPECT_EQ(argument_words({"--size=a b", "-x"}), " -- '--size=a b' -x");
  EXPECT_EQ(argument_words({}), "");
  EXPECT_EQ(command_for("r gate {row} -x", "a<b>", " --y"), "r gate 'a<b>' --y -x");
  EXPECT_EQ(command_for("r gate {row} --exec 'a --y 2' --y 3 --z -- --y 4", "a", " --y 5"),
            "r gate a --y 5 --exec 'a --y 2' --z -- --y 4");
  EXPECT_EQ(command_for("r gate {row} --y 3", "a", " --y 5"), "r gate a --y 5");
}

TEST_F(Outputs, AnUndecidedRowSaysWhatWouldSettleIt) {
  RowReport wide = compared("demo/cpu/01", Verdict::undecided, 1);
  wide.tolerance = 0.01;
  wide.launches = 10;
  EXPECT_EQ(what_would_settle_row(wide), "");  // not measured in pairs
  wide.pair_s = 1;
  wide.decision->ratio = std::exp(-0.04);
  wide.decision->per_comparison = stats::Bounds{std::exp(-0.06), std::exp(-0.02), 0.05};
  // As many pairs as are likely to prove the loss, and half as many seconds more for a busier
  // machine; or, where no loss would be hidden, the interval as the tolerance.
  EXPECT_EQ(what_would_settle_row(wide), "about 108 s of this row alone");
  wide.decision->per_comparison = stats::Bounds{std::exp(-0.06), std::exp(0.001), 0.05};
  EXPECT_HAS(what_would_settle_row(wide), "a tolerance of 5.9 %");
  // Beyond any plan.
  wide.decision->ratio = 1;
  wide.decision->per_comparison = stats::Bounds{std::exp(-0.09), std::exp(0.09), 0.05};
  EXPECT_EQ(what_would_settle_row(wide),
            "a tolerance of 9.5 %; more pairs are unlikely to suffice");
  // A wide tolerance is no advice: it would hide what a gate is for.
  wide.launches = 100;
  wide.decision->per_comparison = stats::Bounds{std::exp(-0.4), std::exp(0.4), 0.05};
  EXPECT_EQ(what_would_settle_row(wide),
            "a tolerance up to 10 % is unlikely to suffice; more pairs are unlikely to suffice");
  // Too few pairs to know what more would show.
  wide.launches = 10;
  wide.decision->ratio = std::exp(-0.01);
  wide.decision->per_comparison = stats::Bounds{std::exp(-0.025), std::exp(0.005), 0.05};
  EXPECT_EQ(what_would_settle_row(wide),
            "a tolerance of 2.5 %; whether more pairs suffice cannot be told yet");
  wide.verdict = Verdict::same;
  EXPECT_EQ(what_would_settle_row(wide), "");
}

TEST_F(Outputs, AReportCanBeMadeOfWhatARunLeaves) {
  Outcome outcome = an_outcome();
  outcome.note = "first\n\nsecond\x1b\n";
  outcome.circumstances.load = {1.5, 1, 0.5};
  outcome.circumstances.machine = {{"load", doctor::State::hurts, "2 busy", "noise", "wait"}};
  outcome.circumstances.against = "baselines in here";
  outcome.reports[0].listing = {"+mov", "-add\x1b"};
  // A row measured beside its baseline's build: its pairs, and not the stored launches, were
  // compared.
  outcome.pairs_before.rows["demo/cpu/01_slow"] = row("demo/cpu/01_slow", 2);
  outcome.pairs_now.rows["demo/cpu/01_slow"] = row("demo/cpu/01_slow", 1.8);
  outcome.pairs_now.rows["demo/cpu/01_slow"].launches[0].counters["cpu_mhz"] = 3000;
  write_outputs(folder(), outcome);
  const nlohmann::json gate = read_json(file("gate.json"))["context"]["ratchet"];
  EXPECT_EQ(gate["run"]["exit_code"], 1);
  EXPECT_EQ(gate["run"]["mode"], "stored");
  EXPECT_EQ(gate["run"]["note"], nlohmann::json::array({"first", "second\xef\xbf\xbd"}));
  EXPECT_EQ(gate["run"]["load"], nlohmann::json::array({1.5, 1, 0.5}));
  EXPECT_EQ(gate["run"]["doctor"][0]["state"], "hurts");
  EXPECT_EQ(gate["rows"]["demo/cpu/01_slow"]["listing"],
            nlohmann::json::array({"+mov", "-add\xef\xbf\xbd"}));
  EXPECT_EQ(gate["rows"]["demo/cpu/01_slow"]["plain_low"], 0.895);
  const auto speed = [&](const char* name) {
    const nlohmann::json content = read_json(file(name));
    for (const auto& launch : content["benchmarks"])
      if (launch["name"] == "demo/cpu/01_slow") return launch["units_per_second"].get<double>();
    return 0.0;
  };
  EXPECT_NEAR(speed("compare_base.json"), 2e6, 2e4);
  EXPECT_NEAR(speed("compare_new.json"), 1.8e6, 2e4);
  EXPECT_EQ(read_json(file("compare_new.json"))["benchmarks"][0]["cpu_mhz"], 3000);
}

TEST_F(Outputs, ALoadedCpuIsSaidOnce) {
  std::vector<RowReport> reports;
  for (const double share : {0.3, 0.4, 0.01, 0.48}) {
    reports.push_back(report(fmt::format("demo/cpu/{}", reports.size()), Verdict::same, ""));
    reports.back().remarks = {Layout{0.1}, Waits{false, share}};
  }
  reports.push_back(report("demo/cpu/sleeps", Verdict::same, ""));
  reports.back().remarks = {Waits{true, 0.01}};
  const std::string note = taken_cpu_note(reports);
  EXPECT_HAS(note, "Others used the CPU during 3 of 5 rows, which got 30 to 48 % of its time");
  for (const std::size_t alike : {0, 1, 3}) EXPECT_EQ(reports[alike].remarks.size(), 1u);
  EXPECT_EQ(reports[2].remarks.size(), 2u) << "gets much less than the others";
  EXPECT_EQ(reports[4].remarks.size(), 1u) << "judged by wall time";
  EXPECT_EQ(taken_cpu_note(reports), "") << "one row speaks for itself";
  EXPECT_EQ(reports[2].remarks.size(), 2u);
  for (const std::size_t i : {0, 1}) reports[i].remarks = {Waits{false, i == 0 ? 0.488 : 0.491}};
  EXPECT_HAS(taken_cpu_note(reports), "which got 49 % of its time");
}

TEST_F(Outputs, CommandsAreWordsForAShell) {
  EXPECT_EQ(shell_quoted("life/cpu/04:8"), "life/cpu/04:8");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
  GateCall call{"ratchet", "/my bench", false, "", "baselines", "results"};
  EXPECT_EQ(gate_commands(call).at("repeat"),
            "ratchet gate {row} --bench '/my bench' --baseline-dir baselines");
  call.given = {{"gate", " --by-time"}, {"explain", " --name 'x y'"}, {"profile", " --output p"}};
  EXPECT_EQ(gate_commands(call).at("repeat"),
            "ratchet gate {row} --bench '/my bench' --baseline-dir baselines --by-time");
  EXPECT_FALSE(gate_commands(call).contains("explain"));
  call.recordable = true;  // a program whose rows it records
  EXPECT_EQ(gate_commands(call).at("explain"),
            "ratchet explain {row} --bench '/my bench' --baseline-dir baselines --name 'x y'");
  call.results = "runs/1";
  EXPECT_HAS(gate_commands(call).at("explain"), " --results runs/1");
  EXPECT_FALSE(gate_commands(call).contains("profile"));
  call.recordable = false;
  call.explainable = true;
  EXPECT_LACKS(gate_commands(call).at("explain"), "--results");
  EXPECT_TRUE(gate_commands(call).at("profile").ends_with(" --output p"));
  call.profiles = false;  // a tool without the command
  EXPECT_FALSE(gate_commands(call).contains("profile"));
  call.base = "main";
  EXPECT_EQ(gate_commands(call).at("explain"),
            "ratchet explain {row} --bench '/my bench' --base main --name 'x y'");
  EXPECT_FALSE(gate_commands(call).contains("accept"));  // pairs are no baseline
}

TEST_F(Outputs, RowsThatNeedNoLineEachAreCounted) {
  std::vector<RowReport> reports = {report("demo/cpu/01", Verdict::slower, "why")};
  for (int i = 0; i < 60; ++i) {
    reports.push_back(
        report(fmt::format("{}/cpu/{}", i % 2 ? "demo" : "toy", i), Verdict::same, ""));
    reports.back().identical_work = true;
  }
  for (int i = 0; i < 40; ++i)
    reports.push_back(report(fmt::format("demo/cuda/{}", i), Verdict::unavailable, "no GPU"));
  const std::string table = terminal_table(reports, {});
  EXPECT_LE(lines_of(table).size(), 6u) << table;
  EXPECT_HAS(table, "demo/cpu/01");
  EXPECT_HAS(table, "60 rows same (identical work): 30 demo, 30 toy\n");
  EXPECT_HAS(table, "40 rows unavailable: 40 no GPU\n");
  EXPECT_EQ(lines_of(terminal_table(reports, {.all_rows = true})).size(), 102u);
  // The first parts of these names are no families.
  const auto parsed = [](const std::string& name) {
    RowReport row = report(name, Verdict::same, "");
    row.identical_work = true;
    return row;
  };
  EXPECT_HAS(terminal_table({parsed("Parse/8"), parsed("Sort"), parsed("Sum")}, {}),
             "3 rows same (identical work)\n");
}

TEST_F(Outputs, SummaryStaysUnderGitHubsLimitAndEscapes) {
  std::vector<RowReport> many(5000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].name = "demo/cpu/01_row" + std::to_string(i);
    many[i].reason = fmt::format("{:x>300} a|b\nc <img> `d` *e* \\", "");
  }
  const std::string text = markdown_summary(many, {}, "");
  EXPECT_LT(text.size(), 1u << 20);
  EXPECT_HAS(text, "more rows are in the results file");
  EXPECT_HAS(text, "a\\|b c \\<img> \\`d\\` \\*e\\* \\\\ |");
  EXPECT_LE(markdown_summary(many, {}, "", {}, 2000).size(), 2000u);
}

TEST_F(Outputs, S31WhatDiffersStandsBelowTheRow) {
  Outcome outcome = an_outcome();
  outcome.reports[0].reasons = {"step(): 24 -> 31 instructions: imul +3", std::string(150, 'x'),
                                "table <t>|%: 1 byte"};
  const std::string table = terminal_table(outcome.reports, {.all_rows = true});
  const std::size_t row = table.find("demo/cpu/01_slow"), next = table.find("demo/cpu/05_fail");
  const std::size_t first = table.find("* step(): 24 -> 31 instructions: imul +3\n");
  ASSERT_NE(first, std::string::npos) << table;
  EXPECT_LT(row, first);
  EXPECT_LT(table.find("* table <t>|%: 1 byte\n"), next);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(characters(line), 120u) << line;
  const std::string summary = markdown_summary(outcome.reports, {}, "");
  EXPECT_HAS(summary,
             "\n### What differs in the executed code\n\ndemo/cpu/01_slow, slower:\n\n"
             "- step(): 24 -> 31 instructions: imul +3\n");
  EXPECT_HAS(summary, "- table \\<t>\\|%: 1 byte\n");
  EXPECT_LE(markdown_summary(outcome.reports, {}, "", {}, 900).size(), 900u);
  EXPECT_HAS(github_annotations(outcome.reports, {}),
             "%0A- step(): 24 -> 31 instructions: imul +3%0A- xxx");
  const std::string junit = junit_xml(outcome.reports, {});
  EXPECT_HAS(junit, "\n- table &lt;t&gt;|%: 1 byte</failure>");
  EXPECT_HAS(junit, "<property name=\"differs\" value=\"step(): 24 -&gt; 31");
  RowReport over = report("demo/cpu/03", Verdict::same);
  over.limits = {AtLimit{"< 5 ms", "ms", AtLimit::State::exceeded}};
  EXPECT_HAS(junit_xml({over}, {}), "type=\"limit exceeded\"");
  write_outputs(folder(), outcome);
  const nlohmann::json gate = read_json(file("gate.json"));
  EXPECT_EQ(gate["context"]["ratchet"]["rows"]["demo/cpu/01_slow"]["reasons"].size(), 3u);
  EXPECT_FALSE(gate["context"]["ratchet"]["rows"]["demo/cpu/02_maybe"].contains("reasons"));
}

TEST_F(Outputs, AnnotationsNameTheTenWorstAndEscape) {
  const Outcome outcome = an_outcome();
  const auto lines = lines_of(github_annotations(outcome.reports));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            "::error title=ratchet%3A slower::demo/cpu/01_slow: slower: throughput -10.00 %25 "
            "(-11.00 ... -9.00 %25), 1.00 -> 0.900 M items/s, tolerance 3 %25, minimum detectable "
            "effect 3.4 %25, 9 + 9 launches");
  EXPECT_TRUE(lines[1].starts_with("::error title=ratchet%3A failed::demo/cpu/05_fail"));
  EXPECT_TRUE(lines[3].starts_with("::warning title=ratchet%3A undecided::"));
  EXPECT_EQ(lines_of(github_annotations(outcome.reports, {.strict = true})).size(),
            5u);  // and uncompared
  EXPECT_EQ(github_annotations({compared("a/cpu/b", Verdict::same, 1)}), "");

  std::vector<RowReport> many;
  for (int i = 0; i < 25; ++i)
    many.push_back(report("a::b,c%\r\n" + std::to_string(i), Verdict::failed, "x\r\n::error::y"));
  const auto worst = lines_of(github_annotations(many));
  ASSERT_EQ(worst.size(), 11u);
  EXPECT_EQ(worst[0], "::error title=ratchet%3A failed::a::b,c%25  0: failed: x  ::error::y");
  EXPECT_HAS(worst[10], "::notice title=ratchet%3A more rows::15 more rows");

  RowReport why = compared("a/cpu/b", Verdict::slower, 0.5);
  why.reasons = {"one", "two"};
  EXPECT_TRUE(github_annotations({why}).ends_with("%0A- one%0A- two\n"));
}

TEST_F(Outputs, StepSummaryIsAppendedAndNeverTooLarge) {
  const Outcome outcome = an_outcome();
  const auto append = [&] { return append_step_summary(file("step.md"), outcome.reports, {}, ""); };
  std::ofstream(file("step.md")) << "before\n";
  EXPECT_EQ(append(), "");
  EXPECT_TRUE(read("step.md").starts_with("before\n## ratchet: REGRESSION"));
  EXPECT_HAS(read("step.md"), "demo/cpu/01_slow");
  // Nearly full: what fits is written, and says so.
  fs::resize_file(file("step.md"), (1 << 20) - 700);
  EXPECT_EQ(append(), "");
  EXPECT_LE(fs::file_size(file("step.md")), 1u << 20);
  EXPECT_HAS(read("step.md"), "more rows are in the results file");
  // Full, or no file at all: said, and left.
  fs::resize_file(file("step.md"), (1 << 20) - 10);
  EXPECT_HAS(append(), "1 MiB");
  EXPECT_EQ(fs::file_size(file("step.md")), (1u << 20) - 10);
  EXPECT_HAS(append_step_summary(folder() / "no" / "step.md", outcome.reports, {}, ""),
             "was not written: No such file or directory");
}

TEST_F(Outputs, EverythingIsWrittenAndStaleFilesGo) {
  Outcome outcome = an_outcome();
  const auto told = write_outputs(folder(), outcome);
  for (const char* name :
       {"gate.json", "summary.md", "junit.xml", "tracker.json", "throughput.json", "bencher.json",
        "compare_base.json", "compare_new.json"}) {
    EXPECT_GT(fs::file_size(file(name)), 0u) << name;
    EXPECT_HAS(told, name);
  }
  EXPECT_EQ(read_measurements(file("gate.json")).rows.size(), 4u);
  // Nothing compared: no stale files for compare.py. Nothing measured: no empty throughput.json.
  outcome.base = {};
  EXPECT_LACKS(write_outputs(folder(), outcome), "compare_base.json");
  EXPECT_FALSE(fs::exists(file("compare_base.json")));
  EXPECT_TRUE(fs::exists(file("throughput.json")));
  outcome.measured = {};
  const auto nothing = write_outputs(folder(), outcome);
  EXPECT_LACKS(nothing, "tracker.json");
  EXPECT_FALSE(fs::exists(file("throughput.json")));
  EXPECT_FALSE(fs::exists(file("tracker.json")));
}

TEST_F(Outputs, TheHistoryKeepsWhatTheFileSays) {
  const Outcome outcome = an_outcome();
  write_outputs(folder(), outcome);
  const history::RunRecord kept = history_record(outcome, ExitCode::regression);
  const history::RunRecord read = history::record_of(read_measurements(file("gate.json")), {});
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_EQ(kept.revision, read.revision);
  EXPECT_EQ(kept.machine, read.machine);
  ASSERT_EQ(kept.rows.size(), outcome.reports.size() - 1);  // one is unavailable
  ASSERT_EQ(kept.rows.size(), read.rows.size());
  for (std::size_t i = 0; i < kept.rows.size(); ++i) {
    const auto figures = [](const history::RowRecord& row) {
      return std::tuple(row.name, row.verdict, row.reason, row.ratio, row.low, row.high,
                        row.detectable, row.tolerance, row.code_hash, row.units, row.measurement,
                        row.launches.size());
    };
    EXPECT_EQ(figures(kept.rows[i]), figures(read.rows[i])) << kept.rows[i].name;
  }
}

TEST_F(Outputs, GitHubIsToldOnlyOnGitHub) {
  const Outcome outcome = an_outcome();
  std::ostringstream out;
  std::ostringstream progress;
  unsetenv("GITHUB_ACTIONS");
  unsetenv("GITHUB_STEP_SUMMARY");
  tell_github(outcome, out, progress);
  EXPECT_EQ(out.str() + progress.str(), "");
  setenv("GITHUB_ACTIONS", "true", 1);
  setenv("GITHUB_STEP_SUMMARY", file("step.md").c_str(), 1);
  tell_github(outcome, out, progress);
  EXPECT_HAS(out.str(), "::error title=");
  EXPECT_HAS(read("step.md"), "REGRESSION");
  EXPECT_EQ(progress.str(), "");
  setenv("GITHUB_STEP_SUMMARY", (folder() / "no" / "step.md").c_str(), 1);
  tell_github(outcome, out, progress);
  EXPECT_HAS(progress.str(), "ratchet: the step summary");
  EXPECT_HAS(progress.str(), "was not written: No such file or directory");
  unsetenv("GITHUB_ACTIONS");
  unsetenv("GITHUB_STEP_SUMMARY");
}

TEST_F(Outputs, GitHubShowsAnErrorThatEndsACommand) {
  std::ostringstream out;
  unsetenv("GITHUB_ACTIONS");
  setenv("GITHUB_STEP_SUMMARY", file("error.md").c_str(), 1);
  tell_github_of_error("no such base: 50 %", out);
  EXPECT_EQ(out.str(), "");
  EXPECT_FALSE(std::filesystem::exists(file("error.md")));
  setenv("GITHUB_ACTIONS", "true", 1);
  tell_github_of_error("no such base: 50 %", out);
  EXPECT_EQ(out.str(), "::error title=ratchet%3A failed::no such base: 50 %25\n");
  EXPECT_EQ(read("error.md"), "## ratchet: failed (exit 2)\n\n    no such base: 50 %\n");
  unsetenv("GITHUB_ACTIONS");
  unsetenv("GITHUB_STEP_SUMMARY");
}

}  // namespace
}  // namespace ratchet::gate
