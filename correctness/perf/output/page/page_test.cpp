// The data model of the HTML report, and what a page makes of it (perf/output/README.md). What
// a browser shows of it: browser/.
#include "perf/output/page/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "correctness/perf/output/files/outputs_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
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
  const json points = SeriesReader(store).series("demo/cpu/01_a", "").at(0).at("points");
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
            "both builds side by side: --base REV, with a commit that you name");
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
  EXPECT_EQ(verdict().at("sentence"), "Nothing got slower in 1 row; 1 undecided; 1 not compared.");
  const auto open = std::find_if(
      outcome.reports.begin(), outcome.reports.end(),
      [](const gate::RowReport& row) { return row.verdict == gate::Verdict::undecided; });
  const auto kept = *open;
  open->decision = gate::Decision{};
  open->decision->per_comparison = stats::Bounds{0.68, 0.7, 0.05};
  open->decision->simultaneous = stats::Bounds{0.5, 1.2, 0.01};
  EXPECT_EQ(verdict().at("state"), "undecided");
  EXPECT_EQ(verdict().at("sentence"),
            "Nothing is known to be slower, but 1 of 3 rows stayed undecided, of which 1 seems "
            "slower.");
  *open = kept;
  outcome.policy.strict = true;
  EXPECT_EQ(verdict().at("exit_code"), 3);
  EXPECT_EQ(verdict().at("sentence"),
            "Nothing is known to be slower, but 1 of 3 rows stayed undecided.");
  outcome.policy.strict = false;
  outcome.reports = {gate::report("demo/cpu/04_here", gate::Verdict::uncompared)};
  EXPECT_EQ(verdict().at("state"), "nothing");
  outcome.reports = {gate::report("demo/cpu/04_here", gate::Verdict::added)};
  EXPECT_EQ(verdict().at("state"), "nothing");  // as the headline: nothing was decided
  // Where no other row is left, nothing is said of others.
  outcome.reports = {gate::report("demo/cpu/01_slow", gate::Verdict::slower)};
  outcome.reports.front().accepted = gate::AcceptedBy{"abc", 0.1, "why", true};
  EXPECT_EQ(verdict().at("sentence"), "1 row is slower, which a commit accepts.");
  outcome.reports.push_back(gate::report("demo/cpu/04_here", gate::Verdict::added));
  EXPECT_EQ(verdict().at("sentence"), "1 row is slower, which a commit accepts. 1 new.");
  outcome.reports = {gate::report("demo/cpu/04_here", gate::Verdict::added)};
  outcome.interrupted = true;
  EXPECT_EQ(verdict().at("sentence"), "The run was interrupted: 0 of 1 row judged.");
  outcome.interrupted = false;
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
  write_atomically(folder() / "bisect.json", "{}");  // a search that goes on beside it
  EXPECT_EQ(report_sections({{folder()}, "none"}).size(), 1u);
  EXPECT_NE(error_of([&] {
              report_sections({{folder() / "bisect.json"}, "none"});
            }).find("holds no conclusion"),
            std::string::npos);
  const json section = run_section(read_run(folder() / "gate.json"), "none");
  EXPECT_EQ(section.at("verdict").at("exit_code"), 1);
  EXPECT_FALSE(section.at("doctor_asked"));
  EXPECT_FALSE(section.contains("commands"));
  EXPECT_FALSE(row_of(section, "demo/cpu/01_slow").contains("base"));
  EXPECT_EQ(row_of(section, "demo/cpu/01_slow").at("now").at("ppm").size(), 9u);
}

TEST_F(Page, NamesTheFoldersOfResultsThatItLeavesOut) {
  section_of(gate::an_outcome());
  for (const char* nested : {"text", "python/small"}) {
    fs::create_directories(folder() / nested);
    fs::copy_file(folder() / "gate.json", folder() / nested / "gate.json");
  }
  const auto said = [&](const std::vector<fs::path>& results) {
    testing::internal::CaptureStderr();
    const std::size_t sections = report_sections({results, "none"}).size();
    return std::to_string(sections) + ": " + testing::internal::GetCapturedStderr();
  };
  const std::string outer = folder().string();
  EXPECT_EQ(said({folder()}), "1: ratchet: left out the results in " + outer + "/python/small, " +
                                  outer + "/text; name these folders, too, to have them\n");
  EXPECT_EQ(said({folder(), folder() / "text", folder() / "python"}), "3: ");
  EXPECT_EQ(said({folder() / ".", folder() / "text", folder() / "python"}), "3: ");
  fs::remove(folder() / "gate.json");
  EXPECT_EQ(said({folder()}), "2: ");
}

json a_profile() {
  const json function = {{"function", "f"}, {"before", 1}, {"now", 2}, {"only", "now"}};
  const json root = {{"parent", 0}, {"function", "row"}, {"before", 1}, {"now", 2}};
  return {{"row", "row"},
          {"tool", "callgrind"},
          {"unit", "instructions"},
          {"time", "2026-01-01"},
          {"revision", "0123456789ab"},
          {"not_perf", "perf is not installed"},
          {"before", {{"total", 1}, {"commit", "ba9876543210fedc"}, {"why", "--base"}}},
          {"now", {{"total", 2}}},
          {"functions", json::array({function})},
          {"tree", json::array({root, root})}};
}

/// Next to the run that it is about, or alone.
TEST_F(Page, ProfilesAreReadStrictly) {
  const auto section = [&](const json& profile) {
    write_atomically(folder() / "profile.json", json{{"profiles", {profile}}}.dump());
    return report_sections({{folder()}, "none"}).at(0);
  };
  const json model = section(a_profile());
  EXPECT_EQ(model.at("kind"), "profile");
  const json profile = model.at("profiles").at(0);
  EXPECT_EQ(profile.at("functions").at(0).at("only"), "now");
  EXPECT_EQ(profile.at("facts").at(0), (json::array({"before", "ba9876543210 (--base)"})));
  EXPECT_EQ(profile.at("facts").at(4), (json::array({"not by perf", "perf is not installed"})));
  json cyclic = a_profile();
  cyclic["tree"][1]["parent"] = 1;
  EXPECT_HAS(error_of([&] { section(cyclic); }), "profiles[0].tree[1].parent");
  json negative = a_profile();
  negative["functions"][0]["now"] = -1;
  EXPECT_HAS(error_of([&] { section(negative); }), "functions[0].now is negative");
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
                .find("gate.json: context.ratchet.rows.a.verdict is not a text"),
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
  EXPECT_EQ(data_of(page).at("verdicts").at("new").at("shape"), "+") << "in every font";
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
  Row queued = row;
  queued.launches[2].counters["queued"] = 0.3;  // which makes it contended to the rules
  EXPECT_EQ(launch_series(queued).at("away").at(2), 30);
  EXPECT_FALSE(launch_series(queued).contains("quiet"));
  row.launches[2].cpu_ms = 0.9 * row.launches[2].real_ms;
  const json series = launch_series(row);
  EXPECT_EQ(series.at("contended"), json::array({2}));
  EXPECT_EQ(series.at("mhz"), json(std::vector<int>(9, 3012)));
  EXPECT_EQ(series.at("away"), json({0, 0, 10, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(series.contains("quiet"));
}

TEST_F(Page, ASiteHasAnIndexOfEverySection) {
  gate::write_outputs(folder(), gate::an_outcome());
  json sections = report_sections({{folder(), folder()}, "none"});
  json& rows = sections.at(0).at("rows");
  rows.push_back(rows.at(0));  // its verdict twice
  write_site(folder() / "site", sections, "swift");
  const json index = data_of(read_text(folder() / "site" / "index.html")).at("sections").at(0);
  EXPECT_EQ(index.at("title"), "swift");
  std::vector<std::string> pages;
  for (const json& page : index.at("pages")) pages.push_back(page.at("href"));
  EXPECT_EQ(pages, (std::vector<std::string>{"gate-abc.html", "gate-abc-2.html"}));
  json counts = {{"slower", 1}, {"failed", 1},     {"missing", 1},    {"undecided", 1},
                 {"same", 1},   {"uncompared", 1}, {"unavailable", 1}};
  EXPECT_EQ(index.at("pages").at(1).at("counts"), counts);
  counts[rows.back().at("verdict").get<std::string>()] = 2;
  EXPECT_EQ(index.at("pages").at(0).at("counts"), counts);
  EXPECT_EQ(index.at("pages").at(0).at("verdict"), sections.at(0).at("verdict"));
  EXPECT_NE(index.at("pages").at(0).at("title"), index.at("pages").at(1).at("title"));
  for (const std::string& page : pages)  // the index, and the other run
    EXPECT_EQ(data_of(read_text(folder() / "site" / page)).at("links").size(), 2u);
}

/// A run of that time and commit, without rows.
json run_at(const std::string& time, const std::string& revision) {
  return {{"kind", "run"},         {"title", "Gate"},
          {"time", time},          {"revision", revision},
          {"rows", json::array()}, {"verdict", {{"state", "pass"}, {"sentence", "."}}}};
}

TEST_F(Page, ASiteListsTheNewestRunFirstAndLinksItToItsNeighbours) {
  const json older = run_at("2026-01-30T09:00:00.000Z", "aaaaaaaaaaaa");
  const json middle = run_at("2026-01-31T09:00:00.000Z", "bbbbbbbbbbbb");
  const json newest = run_at("2026-02-01T09:00:00.000Z", "cccccccccccc-dirty");
  const json other = {{"kind", "history"}, {"title", "History"}};
  write_site(folder() / "site", {older, newest, other, middle}, "swift");
  const auto data = [&](const std::string& page) {
    return data_of(read_text(folder() / "site" / page));
  };
  std::vector<std::string> pages;
  const json index = data("index.html").at("sections").at(0);
  for (const json& page : index.at("pages")) pages.push_back(page.at("href"));
  const std::string of_middle = "gate-2026-01-31-09-00-bbbbbbbbbbbb.html";
  EXPECT_EQ(pages,
            (std::vector<std::string>{"gate-2026-02-01-09-00-cccccccccccc-dirty.html", of_middle,
                                      "gate-2026-01-30-09-00-aaaaaaaaaaaa.html", "history.html"}));
  std::vector<std::string> links;
  const json shown = data(of_middle).at("links");
  for (const json& link : shown) links.push_back(link.at("title"));
  EXPECT_EQ(links, (std::vector<std::string>{"Index", "History",
                                             "Newer: Gate, 2026-02-01 09:00, cccccccccccc-dirty",
                                             "Older: Gate, 2026-01-30 09:00, aaaaaaaaaaaa"}));
  EXPECT_EQ(data(of_middle).at("sections").at(0).at("project"), "swift");
  EXPECT_EQ(data("history.html").at("sections").at(0).at("project"), "swift");
}

TEST_F(Page, ARunShowsTheCommitsThatItsResultsName) {
  gate::Outcome outcome = gate::an_outcome();
  gate::Provenance& provenance = outcome.circumstances.provenance;
  provenance.project = "swift";
  provenance.url = "https://github.com/o/swift";
  provenance.ci_run = "javascript:alert(1)";
  provenance.now = {"0123456789abcdef",
                    "<script>\x1b[31m",
                    "Ann",
                    "topic",
                    "2026-01-31T12:00:00.000Z",
                    "https://github.com/o/swift/commit/0123",
                    "build"};
  provenance.base = {"fedcba", "older", "Bob", "main", "", "javascript:alert(1)", "results/base/x"};
  const json section = section_of(outcome);
  EXPECT_EQ(section.at("project"), "swift");
  EXPECT_EQ(section.at("url"), "https://github.com/o/swift");
  EXPECT_EQ(row_of(section, "demo/cpu/02_maybe").at("settles"),
            "both builds side by side: --base fedcba");
  EXPECT_FALSE(section.contains("ci_run"));
  EXPECT_EQ(section.at("commits").at("now"),
            json({{"commit", "0123456789abcdef"},
                  {"subject", "<script>\xef\xbf\xbd[31m"},
                  {"author", "Ann"},
                  {"branch", "topic"},
                  {"date", "2026-01-31T12:00:00.000Z"},
                  {"url", "https://github.com/o/swift/commit/0123"},
                  {"build", "build"}}));
  EXPECT_EQ(section.at("commits").at("base").at("build"), "results/base/x");
  EXPECT_FALSE(section.at("commits").at("base").contains("url"));
  // Older results lack these keys, and still have their report.
  const json old = section_of(gate::an_outcome());
  EXPECT_FALSE(old.contains("project"));
  EXPECT_FALSE(old.contains("commits"));
}

class PageOfHistory : public Page {
 protected:
  std::string file() const { return (folder() / "history.sqlite").string(); }
  /// A run of one row.
  void append(const std::string& day, double throughput, gate::Verdict verdict, double ratio,
              const std::string& mode, const std::string& name = "demo/cpu/01_a",
              const std::string& clock = "wall", const std::string& accepted = "") {
    history::HistoryStore store = history::open_store(file(), history::Access::write);
    history::RowRecord row;
    row.name = name;
    row.throughput = throughput;
    row.clock = clock;
    row.verdict = verdict;
    row.ratio = ratio;
    row.accepted = accepted;
    history::RunRecord run;
    run.id = day + name;
    run.time = "2026-01-" + day + "T00:00:00.000Z";
    run.revision = mode == "compare" ? "unknown" : "rev" + day;
    run.mode = mode;
    run.commit = {{"subject", "day " + day}, {"url", "https://example.org/" + day}};
    if (mode == "base") run.commit["against"] = "abc";
    run.rows = {row};
    store.append(run);
  }
};

TEST_F(PageOfHistory, ARunThatSaysSlowerIsNeverPassedOver) {
  append("01", 1000, gate::Verdict::same, 1, "base");
  append("02", 926, gate::Verdict::slower, 0.926, "base");
  append("03", 925, gate::Verdict::same, 1, "base");
  const json section = history_section(file());
  EXPECT_EQ(section.at("verdict").at("state"), "regression");
  EXPECT_EQ(section.at("verdict").at("sentence"),
            "A gate called 1 of 1 series slower; the largest loss: demo/cpu/01_a, -7.4 % (the gate "
            "of rev02 against abc). No change point in 1 series.");
  const json series = section.at("series").at(0);
  EXPECT_EQ(series.at("slower"), 1);
  EXPECT_FALSE(series.contains("changes") || series.contains("lost")) << series;
  EXPECT_EQ(series.at("points"),
            json::parse(R"([[0, 1000], [1, 926, "slower", 0.926], [2, 925]])"));
  EXPECT_EQ(section.at("runs").at(1),
            json::parse(R"(["2026-01-02T00:00Z", "rev02", "base",)"
                        R"( {"subject": "day 02", "url": "https://example.org/02",)"
                        R"( "against": "abc"}])"));
  // Nor among steady series, of which chance alone shows one loss.
  for (const char* steady : {"demo/cpu/02_b", "demo/cpu/03_c"})
    append("03", 1000, gate::Verdict::same, 1, "base", steady);
  EXPECT_EQ(history_section(file()).at("verdict").at("state"), "regression");
  append("04", 1001, gate::Verdict::faster, 1.08, "base");
  EXPECT_EQ(history_section(file()).at("verdict").at("state"), "pass");
}

TEST_F(PageOfHistory, ASlowdownThatACommitAcceptsIsShownAndNoLoss) {
  append("01", 1000, gate::Verdict::same, 1, "base");
  append("02", 926, gate::Verdict::slower, 0.926, "base", "demo/cpu/01_a", "wall",
         "commit abc accepts it");
  const json section = history_section(file());
  EXPECT_EQ(section.at("verdict").at("state"), "pass");
  const json series = section.at("series").at(0);
  EXPECT_EQ(series.at("verdict"), "slower, accepted");
  EXPECT_EQ(series.at("points").at(1),
            json::parse(R"([1, 926, "slower", 0.926, "commit abc accepts it"])"));
  append("03", 850, gate::Verdict::slower, 0.92, "base");  // a further one
  EXPECT_EQ(history_section(file()).at("verdict").at("state"), "regression");
}

TEST_F(PageOfHistory, AgainstStoredFiguresALossIsSaidUntilItIsUndone) {
  append("01", 1000, gate::Verdict::same, 1, "stored");
  append("02", 926, gate::Verdict::slower, 0.926, "stored");
  append("03", 925, gate::Verdict::slower, 0.925, "stored");
  EXPECT_EQ(history_section(file()).at("verdict").at("state"), "regression");
  EXPECT_HAS(history_section(file()).at("verdict").at("sentence").get<std::string>(),
             "-7.5 % (the gate of rev03 against stored figures)");
  append("04", 999, gate::Verdict::same, 0.999, "stored");
  EXPECT_EQ(history_section(file()).at("verdict").at("state"), "pass");
}

TEST_F(PageOfHistory, GatesAgainstOneBaseAreNoChangePoints) {
  for (int day = 10; day < 14; ++day)
    append(std::to_string(day), 1000 + day % 3, gate::Verdict::faster, 1.1, "base");
  const json section = history_section(file());
  EXPECT_EQ(section.at("verdict").at("sentence"),
            "No series lost throughput. No change point in 1 series.");
  EXPECT_FALSE(section.at("series").at(0).contains("changes"));
}

TEST_F(PageOfHistory, ARunOfNoKnownCommitIsNamedByItsTime) {
  append("01", 900, gate::Verdict::slower, 0.9, "compare");
  EXPECT_EQ(
      history_section(file()).at("verdict").at("sentence"),
      "A gate called 1 of 1 series slower; the largest loss: demo/cpu/01_a, -10.0 % (the gate "
      "of 2026-01-01T00:00Z against a build whose commit is not known). No change point in 1 "
      "series.");
}

TEST_F(PageOfHistory, ChangePointsAreThoseOfTheTerminal) {
  for (int i = 0; i < 250; ++i)  // more than a page shows
    append(std::to_string(100 + i),
           (i < 30    ? 1000
            : i < 225 ? 900
                      : 950) +
               i % 3,
           gate::Verdict::undecided, 1, "base");
  history::HistoryStore store = history::open_store(file(), history::Access::read);
  const auto changes = history::find_changes(store.series("demo/cpu/01_a"), 0.01);
  ASSERT_EQ(changes.size(), 2u);
  const json shown = history_section(file()).at("series").at(0).at("changes");
  ASSERT_EQ(shown.size(), 1u);  // the first lies before what the page shows
  EXPECT_EQ(shown.at(0), json({changes[1].point - 50, changes[1].before, changes[1].after}));
}

TEST_F(PageOfHistory, ALossAtAChangePointIsARegression) {
  for (int day = 10; day < 30; ++day)
    append(std::to_string(day), (day < 20 ? 1000 : 900) + day % 3, gate::Verdict::undecided, 1,
           "base");
  const json section = history_section(file());
  const json changes = section.at("series").at(0).at("changes");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes.at(0).at(0), 10);
  EXPECT_EQ(section.at("verdict").at("state"), "regression");
  EXPECT_EQ(section.at("verdict").at("sentence"),
            "1 of 1 series lost throughput at its last change point; the largest loss: "
            "demo/cpu/01_a, -10.0 % at rev20. 1 change point in 1 series.");
}

TEST_F(PageOfHistory, AChangePointAmongManySteadySeriesMayBeChance) {
  const auto fill = [&](const std::string& name, double after) {
    for (int day = 10; day < 30; ++day)
      append(std::to_string(day), (day < 20 ? 1000 : after) + day % 3, gate::Verdict::undecided, 1,
             "base", name);
  };
  fill("demo/cpu/01_a", 900);
  fill("demo/cpu/02_b", 1000);
  fill("demo/cpu/03_c", 1000);
  const json verdict = history_section(file()).at("verdict");
  EXPECT_EQ(verdict.at("state"), "undecided");
  EXPECT_TRUE(verdict.at("sentence")
                  .get<std::string>()
                  .starts_with("1 of 3 series lost throughput at a change point, which chance "
                               "alone shows in up to 1;"))
      << verdict;
  fill("demo/cpu/04_d", 900);
  EXPECT_EQ(history_section(file()).at("verdict").at("state"), "regression");
}

TEST_F(PageOfHistory, FiguresOfTwoClocksAreTwoSeries) {
  for (int day = 10; day < 30; ++day)
    append(std::to_string(day), (day < 20 ? 1000 : 900) + day % 3, gate::Verdict::undecided, 1,
           "base", "demo/cpu/01_a", day < 20 ? "wall" : "cpu");
  const json all = history_section(file()).at("series");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at(0).at("clock_text"), "CPU time");
  EXPECT_EQ(all.at(1).at("clock_text"), "wall time");
  for (const json& series : all) EXPECT_FALSE(series.contains("changes")) << series;
  history::HistoryStore store = history::open_store(file(), history::Access::read);
  const std::vector<json> chosen = SeriesReader(store).series("demo/cpu/01_a", "", "cpu");
  ASSERT_EQ(chosen.size(), 1u);  // of a run's row, that of its clock
  EXPECT_EQ(chosen.at(0).at("points").size(), 10u);
}

TEST_F(PageOfHistory, WithoutAChangeThatIsSaid) {
  append("01", 1000, gate::Verdict::same, 1, "base");
  EXPECT_EQ(history_section(file()).at("verdict").at("sentence"),
            "No series lost throughput. No change point in 1 series.");
}

}  // namespace
}  // namespace ratchet::report
