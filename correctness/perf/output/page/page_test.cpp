// The data model of the HTML report, and what a page makes of it (perf/output/README.md). What
// a browser shows of it: browser/report_test.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "correctness/perf/output/files/outputs_fixture.h"
#include "correctness/support/error_of.h"
#include "perf/output/page/page.h"
#include "perf/output/page/sections.h"
#include "perf/output/page/series.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Page : public testing::Test {
 protected:
  fs::path folder() const { return scratch_.path(); }
  /// The section of a run made by hand, as the gate leaves it.
  json section_of(const gate::Outcome& outcome) {
    gate::write_outputs(folder(), outcome);
    return run_section(read_run(folder() / "gate.json"), "none");
  }
  static json row_of(const json& section, const std::string& name) {
    for (const json& row : section.at("rows"))
      if (row.at("name") == name) return row;
    ADD_FAILURE() << name << " is no row of the model";
    return {};
  }
  /// The data that lies in a page.
  static json data_of(const std::string& page) {
    const std::string begin = "id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    return json::parse(page.substr(at, page.find("</script>", at) - at));
  }

 private:
  ScratchFolder scratch_;
};

/// A page has room for so many runs of a row: the youngest.
TEST_F(Page, OfALongHistoryTheLastRunsAreShown) {
  history::HistoryStore store =
      history::open_store((folder() / "history.sqlite").string(), history::Access::write);
  constexpr int runs = 203;
  for (int i = 0; i < runs; ++i) {
    history::RowRecord row;
    row.name = "demo/cpu/01_a";
    row.throughput = 1000 + i;
    history::RunRecord run;
    run.id = fmt::format("{:032}", i);
    run.time = fmt::format("2026-01-01T{:02}:{:02}:00.000Z", i / 60, i % 60);
    run.rows = {row};
    store.append(run);
  }
  const json points = SeriesReader(store).series("demo/cpu/01_a", "").at("points");
  ASSERT_EQ(points.size(), 200u);
  EXPECT_EQ(points.back().at(1), 1000 + runs - 1);
}

TEST_F(Page, RowsStandWorstFirstWithTheFiguresOfTheRun) {
  const json section = section_of(gate::an_outcome());
  std::vector<std::string> verdicts;
  for (const json& row : section.at("rows")) verdicts.push_back(row.at("verdict"));
  EXPECT_EQ(verdicts, (std::vector<std::string>{"slower", "failed", "missing", "undecided", "same",
                                                "uncompared", "unavailable"}));
  const json slow = row_of(section, "demo/cpu/01_slow");
  EXPECT_DOUBLE_EQ(slow.at("ratio"), 0.9);
  EXPECT_DOUBLE_EQ(slow.at("low"), 0.89);  // the alarm's
  EXPECT_DOUBLE_EQ(slow.at("tolerance"), 0.03);
  EXPECT_DOUBLE_EQ(row_of(section, gate::odd_name).at("low"), 0.996);  // the row's own
  EXPECT_EQ(slow.at("now").at("ppm").size(), 9u);
  EXPECT_DOUBLE_EQ(slow.at("base").at("median"), 1e6);
  EXPECT_EQ(slow.at("now").at("ppm").at(0), -4000);
  EXPECT_EQ(section.at("counts"),
            json({{"rows", 7}, {"identical", 0}, {"measured", 3}, {"decided", 2}}));
  EXPECT_EQ(row_of(section, "demo/cpu/02_maybe").at("settles"),
            "both builds side by side: --base REV");
}

TEST_F(Page, TheVerdictIsASentence) {
  gate::Outcome outcome = gate::an_outcome();
  const auto verdict = [&] { return section_of(outcome).at("verdict"); };
  EXPECT_EQ(verdict().at("state"), "regression");
  EXPECT_EQ(verdict().at("sentence"),
            "1 row got slower: demo/cpu/01_slow lost 10.0 % of its throughput (9.0 to 11.0 %).");
  outcome.reports.erase(outcome.reports.begin());
  EXPECT_EQ(verdict().at("sentence"), "2 of 5 rows cannot be judged: 1 failed, 1 missing.");
  outcome.reports.erase(outcome.reports.begin(), outcome.reports.begin() + 2);
  EXPECT_EQ(verdict().at("state"), "pass");
  EXPECT_EQ(verdict().at("sentence"), "Nothing got slower: 1 row; 1 undecided; 1 not compared.");
  outcome.policy.strict = true;
  EXPECT_EQ(verdict().at("exit_code"), 3);
  EXPECT_EQ(verdict().at("sentence"),
            "Nothing is known to be slower, but 1 of 3 rows stayed undecided.");
  outcome.policy.strict = false;
  outcome.reports = {gate::report("demo/cpu/04_here", gate::Verdict::uncompared)};
  EXPECT_EQ(verdict().at("state"), "nothing");
  outcome.reports = {gate::report("demo/cpu/04_here", gate::Verdict::added)};
  EXPECT_EQ(verdict().at("state"), "nothing");  // as the headline: nothing was decided
  outcome.reports = {gate::report("other/cuda/02_x", gate::Verdict::unavailable)};
  EXPECT_EQ(verdict().at("exit_code"), 77);
}

TEST_F(Page, TheHeadlineNamesTheSurestLossNotTheNoisiest) {
  gate::Outcome outcome = gate::an_outcome();
  gate::RowReport noisy = gate::compared("demo/cpu/09_noisy", gate::Verdict::slower, 0.87);
  noisy.decision->simultaneous = stats::Bounds{0.79, 0.96, 0.0005};
  outcome.reports.insert(outcome.reports.begin(), noisy);
  const json section = section_of(outcome);
  EXPECT_EQ(section.at("verdict").at("sentence"),
            "2 rows got slower, most certainly demo/cpu/01_slow lost 10.0 % of its throughput (9.0 "
            "to 11.0 %).");
  EXPECT_EQ(section.at("rows").at(0).at("name"), "demo/cpu/09_noisy") << "rows stay worst first";
}

TEST_F(Page, IdenticalWorkShowsNoChangeAndEachRowItsUnitAndClock) {
  gate::Outcome outcome = gate::an_outcome();
  gate::RowReport& drifted = outcome.reports.at(4);
  drifted.identical_work = true;
  drifted.decision->ratio = 0.58;
  const json section = section_of(outcome);
  const json same = row_of(section, gate::odd_name), slow = row_of(section, "demo/cpu/01_slow");
  for (const char* key : {"ratio", "low", "high", "detectable"}) EXPECT_FALSE(same.contains(key));
  EXPECT_EQ(slow.at("unit"), "items");
  EXPECT_EQ(slow.at("clock"), "cpu");
}

/// A call of the rows made here takes a millisecond of wall time, and half of one of CPU time.
TEST_F(Page, TheTimeOfACallIsByTheClockOfTheRow) {
  gate::Outcome outcome = gate::an_outcome();
  for (auto* side : {&outcome.measured, &outcome.base})
    for (auto& [name, row] : side->rows)
      for (Launch& launch : row.launches) launch.cpu_ms = launch.real_ms / 2;
  const json slow = row_of(section_of(outcome), "demo/cpu/01_slow");
  EXPECT_NEAR(slow.at("call_ms").get<double>(), 0.5 / 0.9, 1e-6);
  EXPECT_NEAR(slow.at("call_before_ms").get<double>(), 0.5, 1e-6);
}

TEST_F(Page, ResultsOfBeforeHaveAReportToo) {
  section_of(gate::an_outcome());
  json old = read_json(folder() / "gate.json");
  old["context"]["ratchet"].erase("run");
  for (auto& [name, row] : old["context"]["ratchet"]["rows"].items())
    for (const char* key : {"plain_low", "plain_high", "settles", "baseline_launches"})
      row.erase(key);
  write_atomically(folder() / "gate.json", old.dump());
  fs::remove(folder() / "compare_base.json");
  fs::remove(folder() / "compare_new.json");
  const json section = run_section(read_run(folder() / "gate.json"), "none");
  EXPECT_EQ(section.at("verdict").at("exit_code"), 1);
  EXPECT_FALSE(section.at("doctor_asked"));
  EXPECT_FALSE(section.contains("commands"));
  EXPECT_FALSE(row_of(section, "demo/cpu/01_slow").contains("base"));
  EXPECT_EQ(row_of(section, "demo/cpu/01_slow").at("now").at("ppm").size(), 9u);
}

TEST_F(Page, WhatIsNoResultIsRefusedByName) {
  const auto refusal = [&](const std::string& text) {
    write_atomically(folder() / "gate.json", text);
    return error_of([&] { run_section(read_run(folder() / "gate.json"), "none"); });
  };
  EXPECT_NE(refusal("{\"context\": {").find("gate.json"), std::string::npos);
  EXPECT_NE(refusal(R"({"context": {"ratchet": {"format": 1}}, "benchmarks": []})")
                .find("launches and no verdicts"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"context": {"ratchet": {"format": 1, "rows": {"a": {"verdict": 3}}}},)"
                    R"( "benchmarks": []})")
                .find("gate.json.context.ratchet.rows.a.verdict"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"context": {"ratchet": {"format": 1, "rows": {"a": {"verdict": "odd"}}}},)"
                    R"( "benchmarks": []})")
                .find("gate.json.context.ratchet.rows.a.verdict: \"odd\" is a verdict that"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"context": {"ratchet": {"format": 1, "rows": {"a": {"verdict": "same",)"
                    R"( "ratio": -1}}}}, "benchmarks": []})")
                .find("ratio"),
            std::string::npos);
  fs::remove(folder() / "gate.json");
  EXPECT_NE(error_of([&] {
              report_sections({{folder()}, "none"});
            }).find("holds no results"),
            std::string::npos);
}

TEST_F(Page, NothingInTheDataEndsTheScriptThatItLiesIn) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \"]} \xff";
  const std::string page =
      html_page(json::array({{{"kind", "run"}, {"title", hostile}}}), json::array());
  EXPECT_EQ(page.find("</script><script>alert"), std::string::npos);
  EXPECT_EQ(data_of(page).at("sections").at(0).at("title"),
            "</script><script>alert(1)</script><!-- \"]} \xef\xbf\xbd");
  EXPECT_EQ(data_of(page).at("version"), model_version);
  EXPECT_EQ(data_of(page).at("verdicts").at("slower").at("change"), -1);
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(page.find("unsafe-"), std::string::npos);
}

TEST_F(Page, AContendedLaunchAndItsClockAreKept) {
  Row row = gate::row("demo/cpu/01_slow", 1);
  for (Launch& launch : row.launches) {
    launch.counters["one_cpu"] = 1;
    launch.counters["cpu_mhz"] = 3012.4;
    launch.cpu_ms = launch.real_ms;
  }
  EXPECT_TRUE(launch_series(row).at("quiet"));
  row.launches[2].cpu_ms = 0.9 * row.launches[2].real_ms;
  const json series = launch_series(row);
  EXPECT_EQ(series.at("contended"), json::array({2}));
  EXPECT_EQ(series.at("mhz"), json(std::vector<int>(9, 3012)));
  EXPECT_EQ(series.at("away"), json({0, 0, 10, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(series.contains("quiet"));
}

TEST_F(Page, ASiteHasAnIndexOfEverySection) {
  gate::write_outputs(folder(), gate::an_outcome());
  const json sections = report_sections({{folder(), folder()}, "none"});
  write_site(folder() / "site", sections);
  const json index = data_of(read_text(folder() / "site" / "index.html")).at("sections").at(0);
  std::vector<std::string> pages;
  for (const json& page : index.at("pages")) pages.push_back(page.at("href"));
  EXPECT_EQ(pages, (std::vector<std::string>{"gate.html", "gate-2.html"}));
  for (const std::string& page : pages)
    EXPECT_EQ(data_of(read_text(folder() / "site" / page)).at("links").size(), 3u);
}

}  // namespace
}  // namespace ratchet::report
