// perf/output/history without a store: times, records, which series is meant, and how it is shown.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "correctness/perf/output/history/fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/figure.h"
#include "perf/output/history/render.h"
#include "perf/output/history/series.h"

namespace ratchet::history {
namespace {

TEST(HistoryRecord, HashesWhatTheRowDependsOnAndNoMore) {
  Fingerprint fingerprint{{{"cpu.model", "A"}, {"gpu.model", "G"}, {"os.kernel", "1"}}};
  const std::string of_cpu = fingerprint_hash(fingerprint, Device::cpu);
  const std::string of_gpu = fingerprint_hash(fingerprint, Device::gpu);
  EXPECT_NE(of_cpu, of_gpu);
  EXPECT_EQ(of_cpu, "426e1a953f3f9172");  // stays: stores hold it
  fingerprint.fields["os.kernel"] = "2";
  EXPECT_EQ(fingerprint_hash(fingerprint, Device::cpu), of_cpu);
  fingerprint.fields["gpu.model"] = "H";
  EXPECT_EQ(fingerprint_hash(fingerprint, Device::cpu), of_cpu);
  EXPECT_NE(fingerprint_hash(fingerprint, Device::gpu), of_gpu);
  fingerprint.fields["gpu.model"] = "G";
  fingerprint.fields["cpu.model"] = "B";
  EXPECT_EQ(fingerprint_hash(fingerprint, Device::gpu), of_gpu);
  EXPECT_NE(fingerprint_hash(fingerprint, Device::cpu), of_cpu);
}

TEST(HistoryRecord, OfAGateRun) {
  Measurements results = results_of("demo/cpu/01_a", 5e5);
  results.context["ratchet"]["rows"]["demo/cuda/02_b"] = {{"verdict", "unavailable"}};
  results.context["ratchet"]["rows"]["demo/cpu/03_c"] = {
      {"verdict", "failed"}, {"ratio", std::numeric_limits<double>::infinity()}};
  Measurements base = results_of("demo/cpu/01_a", 6e5, "same", 2);
  RunFacts facts;
  facts.mode = "base";
  facts.base = &base;
  const RunRecord run = record_of(results, facts);
  EXPECT_EQ(run.mode, "base");
  EXPECT_EQ(run.revision, "abc123");
  EXPECT_EQ(run.id.size(), 32u);
  EXPECT_NE(run.id, record_of(results, facts).id);
  ASSERT_EQ(run.rows.size(), 2u);  // what cannot run here is no fact about the run
  EXPECT_EQ(run.rows[0].launches.size(), 5u);
  EXPECT_EQ(run.rows[0].launches[3].side, "base");
  EXPECT_EQ(run.rows[0].launches[3].position, 0);
  EXPECT_EQ(run.rows[0].throughput, 5e5);  // this build's side
  EXPECT_EQ(run.rows[1].verdict, gate::Verdict::failed);
  EXPECT_FALSE(run.rows[1].ratio);
  EXPECT_FALSE(run.rows[1].throughput);
  EXPECT_EQ(run.rows[1].measurement, "");
  results.context["ratchet"]["rows"]["demo/cpu/04_d"] = 7;
  EXPECT_HAS(message([&] { record_of(results, {}); }), "no verdict of demo/cpu/04_d");
}

TEST(HistoryRecord, OfABaselineFile) {
  Measurements stored = results_of("demo/cpu/01_a", 5e5);
  stored.context["date"] = "2026-01-31T12:00:00+00:00";
  stored.context["ratchet"] = {{"history",
                                {{{"reason", "first"}, {"revision", "r1"}},
                                 {{"reason", "wider"}, {"revision", "r2"}, {"tolerance", 0.1}}}}};
  const RunRecord run = record_of(stored, {});
  EXPECT_EQ(run.time, "2026-01-31T12:00:00.000Z");
  EXPECT_EQ(run.revision, "r1");  // a tolerance moved no figures
  EXPECT_EQ(verdict_text(run.rows.at(0).verdict), "accepted");
  EXPECT_EQ(run.rows.at(0).reason, "first");
}

SeriesSummary summary(const std::string& name, const std::string& machine,
                      const std::string& print) {
  return {name, machine, print, 2, "2026-01-31T12:00:00.000Z", gate::Verdict::same, 1.0};
}

TEST(HistorySeries, OnlyOneFingerprintFormsASeries) {
  const std::vector<SeriesSummary> all = {
      summary("f/cpu/01_a", "box-2c", "aa11"), summary("f/cpu/01_a", "box-2c", "aa22"),
      summary("f/cpu/01_a", "other-4c", "bb33"), summary("f/cpu/02_b", "other-4c", "bb33")};
  EXPECT_EQ(select_series(all, {"f/cpu/02_b"}, "").size(), 1u);
  EXPECT_EQ(select_series(all, {"f/cpu"}, "other-4c").size(), 2u);
  EXPECT_EQ(select_series(all, {"01_a"}, "aa2").at(0).fingerprint_hash, "aa22");
  EXPECT_HAS(message([&] { select_series(all, {"01_a"}, "box-2c"); }), "2 fingerprints");
  const std::string what = message([&] { select_series(all, {"01_a"}, ""); });
  for (const char* part : {"3 fingerprints", "box-2c aa11", "box-2c aa22", "other-4c bb33"})
    EXPECT_HAS(what, part);
  EXPECT_HAS(message([&] { select_series(all, {"03_c"}, ""); }), "\"03_c\" matches no row");
  EXPECT_HAS(message([&] { select_series(all, {"02_b"}, "box-2c"); }), "\"box-2c\"");
}

/// A series of these figures; 0 is a run that failed.
Series series_of(const std::vector<double>& figures) {
  Series series;
  series.summary = summary("f/cpu/01_a", "box-2c", "aa11");
  for (std::size_t i = 0; i < figures.size(); ++i) {
    Point& point = series.points.emplace_back();
    point.time =
        "2026-01-" + std::string(i < 9 ? "0" : "") + std::to_string(i + 1) + "T12:00:00.000Z";
    point.revision = "rev" + std::to_string(i);
    point.verdict = figures[i] > 0 ? gate::Verdict::same : gate::Verdict::failed;
    if (figures[i] > 0) {
      point.throughput = figures[i];
      point.units = 1000;
      point.launches = {figures[i] * 0.99, figures[i], figures[i] * 1.01};
    }
  }
  return series;
}

TEST(HistorySeries, IsOfOneClock) {
  Series both = series_of({100, 101, 0, 50, 51, 100, 50});
  for (const std::size_t i : {0u, 1u, 5u}) both.points[i].clock = "wall";
  for (const std::size_t i : {3u, 4u}) both.points[i].clock = "cpu";
  std::vector<Series> all = by_clock(both.summary, both.points, 0.01);
  ASSERT_EQ(all.size(), 3u);  // of an older run among two clocks nothing says which it used
  EXPECT_EQ(clock_text(all[0]), "a clock that is not recorded");
  EXPECT_EQ(clock_text(all[1]), "CPU time");
  EXPECT_EQ(all[1].points.size(), 3u);  // the run that failed is in each
  EXPECT_EQ(clock_text(all[2]), "wall time");
  EXPECT_EQ(all[2].points.size(), 4u);
  both.points.erase(both.points.begin() + 3, both.points.begin() + 5);
  all = by_clock(both.summary, both.points, 0.01);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(clock_text(all[0]), "wall time (of 1 run the clock is not recorded)");
  EXPECT_EQ(vega_spec(all[0])["encoding"]["y"]["title"],
            "throughput, units/s, by " + clock_text(all[0]));
  EXPECT_EQ(series_json(all[0], 0.01).at("clock"), "wall");
}

TEST(HistorySeries, OfAMetricHasNoClock) {
  Series metric = series_of({100, 101});
  metric.summary.unit = FigureKind{"instructions", Better::smaller}.text();
  EXPECT_EQ(clock_text(metric), "");
  EXPECT_EQ(vega_spec(metric)["encoding"]["y"]["title"], "instructions");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(HistoryRender, TableSaysChangeAndWhatIsToBeRemarked) {
  Series series = series_of({100, 110, 0, 99});
  series.points[2].reason = "killed by signal 11";
  series.points[3].units = 2000;
  series.changes = {{3, 105, 99, 0.001}};
  const auto lines = lines_of(series_table(series));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_HAS(lines[1], "2026-01-01 12:00:00  rev0");
  EXPECT_HAS(lines[2], "+10.00 %");
  EXPECT_HAS(lines[3], "failed");
  EXPECT_HAS(lines[3], "killed by signal 11");
  EXPECT_HAS(lines[4], "-10.00 %");  // to the last run that has a figure
  EXPECT_HAS(lines[4], "CHANGE POINT -5.71 % (p = 0.001); work of one call 2000, before 1000");
  const auto last = lines_of(series_table(series, 1));
  ASSERT_EQ(last.size(), 2u);
  EXPECT_HAS(last[1], "-10.00 %");
}

TEST(HistoryRender, LevelsAreTheMediansBetweenChangePoints) {
  Series series = series_of({100, 104, 101, 0, 90, 92});
  series.changes = {{4, 101, 91, 0.001}};
  EXPECT_EQ(levels(series), (std::vector<double>{101, 101, 101, 101, 91, 91}));
}

TEST(HistoryRender, PlotIsAsWideAndHighAsAsked) {
  Series series = series_of({100, 100, 50, 50});
  series.changes = {{2, 100, 50, 0.001}};
  const auto lines = lines_of(terminal_plot(series, 40, 5, false));
  ASSERT_EQ(lines.size(), 7u);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 40u);
  // Runs four columns apart, the first level at the top, the second at the bottom.
  EXPECT_EQ(lines[0], "       100 |*---*   |");
  EXPECT_EQ(lines[1], "           |        |");
  EXPECT_EQ(lines[4], "        50 |        *---*");
  EXPECT_EQ(lines[5], "           +" + std::string(28, '-'));
  EXPECT_HAS(lines[6], "2026-01-01");
  EXPECT_HAS(lines[6], "2026-01-04");
  EXPECT_HAS(terminal_plot(series_of({730e3, 728e3, 350e3}), 40, 5, false), "     730 k |")
      << "as figures are written everywhere";
  EXPECT_EQ(terminal_plot(series_of({100}), 40, 5, false), "");
  EXPECT_EQ(terminal_plot(series_of({0, 0, 100}), 40, 5, false), "");
  // Five hundred runs in forty columns, and a series that never moves.
  for (const double step : {0.001, 0.0}) {
    std::vector<double> many;
    for (int i = 0; i < 500; ++i) many.push_back(100 + step * i);
    for (const std::string& line : lines_of(terminal_plot(series_of(many), 0, 0, false)))
      EXPECT_LE(line.size(), 40u);
  }
  EXPECT_HAS(terminal_plot(series, 80, 8, true), "●");
}

TEST(HistoryRender, DrawingIsWholeAndEscaped) {
  Series series = series_of({100, 0, 90});
  series.summary.name = "f/cpu/<&\"";
  series.changes = {{2, 100, 90, 0.001}};
  const nlohmann::json spec = vega_spec(series);
  const auto of_kind = [&](const std::string& kind) {
    std::vector<nlohmann::json> found;
    for (const auto& value : spec.at("data").at("values"))
      if (value.at("kind") == kind) found.push_back(value);
    return found;
  };
  ASSERT_EQ(of_kind("run").size(), 2u) << "one has no figures";
  EXPECT_EQ(of_kind("run")[1].at("run"), 2);
  EXPECT_EQ(of_kind("run")[1].at("value"), 90);
  EXPECT_EQ(of_kind("launch").size(), 6u);
  ASSERT_EQ(of_kind("change").size(), 1u);
  EXPECT_EQ(of_kind("change")[0].at("run"), 1.5);
  EXPECT_EQ(of_kind("change")[0].at("note"), "-10.00 %");
  ASSERT_EQ(of_kind("level").size(), 2u);
  EXPECT_EQ(of_kind("level")[0].at("value"), 100);
  EXPECT_EQ(spec.at("title").at("text").get<std::string>().substr(0, 20), "f/cpu/<&\" on box-2c ")
      << "data, never markup";
  EXPECT_FALSE(spec.contains("config"));
  for (const auto& odd : {series_of({}), series_of({0, 0}), series_of({100}), series_of({7, 7})})
    EXPECT_NO_THROW(vega_spec(odd).dump());
}

TEST(HistoryRender, JsonHoldsEveryFigure) {
  Series series = series_of({100, 0, 90});
  series.changes = {{2, 100, 90, 0.001}};
  const nlohmann::json out = series_json(series, 0.01);
  EXPECT_EQ(out.at("row"), "f/cpu/01_a");
  EXPECT_EQ(out.at("false_alarms"), 0.01);
  EXPECT_EQ(out.at("points").size(), 3u);
  EXPECT_EQ(out.at("points")[0].at("launches").size(), 3u);
  EXPECT_TRUE(out.at("points")[1].at("units_per_second").is_null());
  EXPECT_EQ(out.at("change_points")[0].at("index"), 2);
  EXPECT_EQ(out.at("change_points")[0].at("revision"), "rev2");
  EXPECT_NEAR(out.at("change_points")[0].at("ratio").get<double>(), 0.9, 1e-9);
}

TEST(HistoryChanges, ASlowDriftIsFoundThatNoSingleComparisonSees) {
  std::mt19937_64 generator(7);
  std::normal_distribution<> noise(0, 0.004);
  std::vector<double> steady;
  std::vector<double> drifting;
  for (int i = 0; i < 40; ++i) {
    steady.push_back(1e9 * std::exp(noise(generator)));
    drifting.push_back(steady.back() * std::pow(1 - 0.003, std::max(0, i - 10)));
  }
  drifting[20] = 0;  // a run without figures must not shift what is found after it
  EXPECT_TRUE(find_changes(series_of(steady).points, 0.01).empty());
  const auto changes = find_changes(series_of(drifting).points, 0.01);
  ASSERT_FALSE(changes.empty());
  for (const Change& change : changes) {
    EXPECT_GT(change.point, 8u);
    EXPECT_NE(change.point, 20u);
    EXPECT_LT(change.after, change.before);
  }
}

/// A change between two runs that are known to execute the same code is no change of the commit.
TEST(HistoryChanges, OfTheSameCodeAreTheMachines) {
  std::vector<double> figures;
  for (int i = 0; i < 30; ++i) figures.push_back((i < 17 ? 9e8 : 5e8) + 1e5 * (i % 3));
  figures[16] = 0;
  std::vector<Point> points = series_of(figures).points;
  const auto of_machine = [&] { return find_changes(points, 0.01).at(0).same_code; };
  Point &before = points[15], &now = points[17];
  EXPECT_FALSE(of_machine());
  now.reason = before.reason = "identical work";
  EXPECT_FALSE(of_machine()) << "each to its own baseline";
  now.mode = before.mode = "base";
  before.revision = before.commit = "d5";
  now.against = "d6";  // which was never measured itself, and is slower
  EXPECT_FALSE(of_machine());
  now.against = "d5";
  EXPECT_TRUE(of_machine());
  before.revision = "d5-dirty";
  EXPECT_FALSE(of_machine());
  now.work = "one";
  points[16].work = "one";  // a run without a figure
  EXPECT_FALSE(of_machine());
  before.work = "other";
  EXPECT_FALSE(of_machine());
  before.work = "one";
  EXPECT_TRUE(of_machine());
  now.reason = "";  // its own base may be another
  EXPECT_TRUE(of_machine());
}

/// Runs without a figure lie before the change and behind it.
TEST(HistoryChanges, AreLaidToTheRunThatTheyBeganWith) {
  std::vector<double> figures;
  for (int i = 0; i < 30; ++i) figures.push_back((i < 17 ? 9e8 : 5e8) + 1e5 * (i % 3));
  for (const std::size_t failed : {2, 3, 11, 21}) figures[failed] = 0;
  const auto changes = find_changes(series_of(figures).points, 0.01);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].point, 17u);
}

}  // namespace
}  // namespace ratchet::history
