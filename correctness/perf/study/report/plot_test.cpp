// perf/report: plots of published and measured series, as specifications.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "correctness/perf/study/report/report_fixture.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/stage.h"
#include "perf/output/drawing/vega.h"
#include "perf/study/report/plots/plot.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// The data of one kind in a specification.
std::vector<json> data_of(const json& spec, const std::string& kind) {
  std::vector<json> found;
  for (const json& value : spec.at("data").at("values"))
    if (value.at("kind") == kind) found.push_back(value);
  return found;
}

constexpr const char* demo = R"({
  "format": 1, "family": "demo", "about": {"problem": "p", "work": "w", "right": "r"}, "source": "https://example.org/d", "title": "T", "author": "A",
  "rate": {"label": "cells/s", "seconds": 1}, "best_stage": {}, "tables": [],
  "plots": [{"id": "scaling", "title": "Cost <per> cell",
    "x": {"label": "side", "scale": "binary"},
    "y": {"label": "ns", "scale": "decimal", "quantity": "cost", "factor": 1e9},
    "band": 0.1,
    "series": [
      {"label": "ours", "stage": "demo/cuda/01_a", "parameter": "width",
       "defaults": {"width": 1024, "height": 1024, "torus": 0}, "settings": {"torus": 0},
       "free": ["height", "steps"], "alike": ["width", "height"]},
      {"label": "theirs", "points": [[2048, 4], [512, 2]]},
      {"label": "exact", "file": "exact.tsv", "columns": ["r", "heat"]},
      {"label": "curve", "machine_file": "demo_heat.tsv", "columns": ["r", "heat"]}]}]})";

class Plots : public Report {
 protected:
  void SetUp() override {
    Report::SetUp();
    write(baselines() / "published" / "demo.json", demo);
    write(baselines() / "published" / "exact.tsv",
          "# a comment\nr\tother\theat\n1024\tx\t3\r\n512\ty\t1e0\n");
    store_rows("gpu", "demo",
               row("demo/cuda/01_a", 1e9, 0, 1e6) + "," + row("demo/cuda/01_a", 2e9, 1, 1e6) + "," +
                   row("demo/cuda/01_a", 9e9, 2, 1e6) + "," + square(512, 4e9, "/steps:4", 4e6) +
                   "," + square(512, 5e9, "", 1e6) + "," + square(4096, 2.1e9) + "," +
                   square(2048, 8e9, "/torus:1") + "," + square(2048, 8e9, "/seed:3") + "," +
                   row("demo/cuda/01_a/width:2048", 8e9, 0, 1e6));
  }
  static std::string square(int side, double speed, const std::string& more = "",
                            double units = 1e6) {
    const std::string width = std::to_string(side);
    return row("demo/cuda/01_a/width:" + width + "/height:" + width + more, speed, 0, units);
  }
  PlotSpec plot() { return read_published(baselines() / "published" / "demo.json").plots.at(0); }
  std::vector<PlotSeries> series() {
    return plot_series(plot(), machines_with("demo", baselines(), {}), baselines());
  }
};

TEST_F(Plots, MeasuredSeriesIsTheRowsThatAreMeant) {
  const PlotSeries ours = series().at(0);
  EXPECT_EQ(ours.label, "ours on gpu");
  EXPECT_TRUE(ours.measured());
  ASSERT_EQ(ours.points.size(), 3u) << "neither the torus, another seed, nor what is no square";
  EXPECT_EQ(ours.points[0].x, 512);
  EXPECT_DOUBLE_EQ(ours.points[0].y, 0.25) << "the row that does more work a call";
  EXPECT_EQ(ours.points[1].x, 1024) << "the stage's own row stands at its defaults";
  EXPECT_DOUBLE_EQ(ours.points[1].y, 0.5) << "the median of the launches";
  EXPECT_EQ(ours.points[1].launches.size(), 3u);
  EXPECT_EQ(ours.points[2].x, 4096);
}

TEST_F(Plots, PublishedSeriesFromPointsAndFiles) {
  const auto all = series();
  ASSERT_EQ(all.size(), 3u) << "no machine has the file of the last";
  EXPECT_EQ(all[1].label, "theirs");
  EXPECT_FALSE(all[1].measured());
  EXPECT_EQ(all[1].points[0].x, 512) << "by x";
  EXPECT_EQ(all[2].points.size(), 2u);
  EXPECT_EQ(all[2].points[1].x, 1024);
  EXPECT_EQ(all[2].points[1].y, 3);
  write(baselines() / "another" / "demo_heat.tsv", "r\tlight\n8\t2\n");
  write(baselines() / "box" / "demo_heat.tsv", "r\theat\n8\t2\n");
  const auto more = series();
  ASSERT_EQ(more.size(), 4u);
  EXPECT_EQ(more[3].label, "curve on box");
  EXPECT_TRUE(more[3].measured());
}

TEST_F(Plots, SpreadIsAroundTheMedian) {
  const Spread spread = spread_of({.points = {{1, 8}, {2, 10}, {3, 15}}});
  EXPECT_EQ(spread.median, 10);
  EXPECT_DOUBLE_EQ(spread.least, 0.8);
  EXPECT_DOUBLE_EQ(spread.most, 1.5);
}

TEST_F(Plots, SpecificationHoldsEveryFigure) {
  const json spec = vega_spec(plot(), series()).value();
  EXPECT_EQ(spec.at("title").at("text"), "Cost <per> cell") << "data, never markup";
  EXPECT_FALSE(spec.contains("config")) << "the page's theme is the page's";
  EXPECT_EQ(data_of(spec, "median").size(), 7u);
  const auto launches = data_of(spec, "launch");
  ASSERT_EQ(launches.size(), 3u) << "a single launch is its own median";
  EXPECT_EQ(launches[0].at("y"), 1.0);
  const auto bands = data_of(spec, "band");
  ASSERT_EQ(bands.size(), 1u) << "published series have none";
  EXPECT_EQ(bands[0].at("y"), 0.4285714) << "ten per cent below the median";
  EXPECT_EQ(bands[0].at("y2"), 0.5238095);
  EXPECT_EQ(spec.at("layer")[2].at("encoding").at("color").at("scale").at("domain"),
            json({"ours on gpu: -47.5 to +5.0 % around its median", "theirs (published)", "exact"}))
      << "a data file is not the text's";
  EXPECT_EQ(vega_spec(plot(), {}), std::nullopt);
}

TEST_F(Plots, PointsOfOtherParametersAreNotJoined) {
  const auto points = data_of(vega_spec(plot(), series()).value(), "median");
  EXPECT_EQ(points[0].at("setting"), "/steps:4/torus:0");
  EXPECT_EQ(points[1].at("setting"), "/torus:0") << "neither x nor what is equal to it";
  EXPECT_NE(points[0].at("line"), points[1].at("line")) << "a point by itself";
  EXPECT_EQ(points[1].at("line"), points[2].at("line"));
}

/// The same plot with a panel of the text and one of each machine.
TEST_F(Plots, PanelsShareColoursAndLabels) {
  PlotSpec wanted = plot();
  wanted.published_on = "a Z80";
  wanted.best = true;
  wanted.series[1].label = "ours";
  wanted.crossing = {"ours", "exact"};
  const auto all = plot_series(wanted, machines_with("demo", baselines(), {}), baselines());
  EXPECT_EQ(all[0].label, "ours");
  EXPECT_EQ(all[0].panel, "gpu");
  EXPECT_EQ(all[1].panel, "published: a Z80");
  const json spec = vega_spec(wanted, all).value();
  ASSERT_EQ(spec.at("vconcat").size(), 2u);
  EXPECT_EQ(spec.at("vconcat").at(0).at("title").at("text"), "gpu");
  EXPECT_EQ(spec.at("vconcat").at(1).at("title").at("text"), "published: a Z80");
  const auto best = data_of(spec, "best");
  ASSERT_EQ(best.size(), 2u) << "one a panel";
  EXPECT_EQ(best[0].at("note"), "best: ours, 0.25 at 512") << "the least cost";
  EXPECT_EQ(best[1].at("note"), "best: exact, 1 at 512");
  const auto crossing = data_of(spec, "crossing");
  ASSERT_EQ(crossing.size(), 1u) << "one panel has both";
  EXPECT_EQ(crossing[0].at("panel"), "published: a Z80");
  EXPECT_NEAR(crossing[0].at("x").get<double>(), 512 * std::exp2(1 / (std::log2(3) - 0.5)), 1e-3);
}

TEST(PlotMarks, CurvesMeetWhereBothAreAsHigh) {
  PlotSpec plot;
  const PlotSeries flat{.points = {{1, 10}, {16, 10}}};
  const PlotSeries rising{.points = {{1, 5}, {4, 8}, {8, 20}}};
  EXPECT_NEAR(crossing_of(flat, rising, plot).value(), 4 + 4 * 2.0 / 12, 1e-12);
  plot.x.scale = plot.y.scale = Scale::binary;
  EXPECT_NEAR(crossing_of(flat, rising, plot).value(),
              std::exp(std::log(4) + std::log(2) * std::log(10.0 / 8) / std::log(20.0 / 8)), 1e-9);
  EXPECT_EQ(crossing_of(flat, {.points = {{1, 5}, {8, 9}}}, plot), std::nullopt);
  EXPECT_EQ(crossing_of(flat, {.points = {{32, 5}, {64, 90}}}, plot), std::nullopt) << "apart";
}

TEST_F(Plots, AMachineWithOnePointHasNoPanel) {
  PlotSpec wanted = plot();
  wanted.published_on = "a Z80";
  store_rows("single", "demo", row("demo/cuda/01_a", 1e9));
  const auto all = plot_series(wanted, machines_with("demo", baselines(), {}), baselines());
  EXPECT_EQ(vega_spec(wanted, all).value().at("vconcat").size(), 2u);
}

TEST_F(Plots, LongNumbersOnABinaryAxisArePowersOfTwo) {
  PlotSpec wide = plot();
  wide.x.scale = Scale::binary;
  PlotSeries photons{.label = "photons", .points = {{1 << 14, 1}, {1 << 26, 2}}};
  const json axis = vega_spec(wide, {photons}).value().at("encoding").at("x").at("axis");
  EXPECT_HAS(axis.at("labelExpr").get<std::string>(), R"("16384":"2¹⁴")");
  EXPECT_HAS(axis.at("labelExpr").get<std::string>(), R"("67108864":"2²⁶")");
}

TEST_F(Plots, CommandWritesEachPlotThatHasFigures) {
  const fs::path out = folder() / "plots";
  const std::vector<std::string> command = {"tables",    "demo",    "--baseline-dir",
                                            baselines(), "--plots", out};
  const ProcessResult drawn = ratchet(command);
  EXPECT_EQ(parse_json(read(out / "scaling.vl.json"), "it"), vega_spec(plot(), series()).value());
  if (drawn.exit_code == static_cast<int>(ExitCode::nothing_ran)) {
    EXPECT_HAS(drawn.errors, "vl_convert is missing; run");
    GTEST_SKIP() << drawn.errors;
  }
  EXPECT_EQ(drawn.exit_code, 0) << drawn.errors;
  EXPECT_EQ(vega::stale({out / "scaling.svg", vega_spec(plot(), series()).value()}), "");
  EXPECT_TRUE(fs::exists(out / "ladder.svg"));
  write(baselines() / "published" / "exact.tsv", "r\theat\n512\tmuch\n");
  const ProcessResult bad = ratchet(command);
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_HAS(bad.output, "exact.tsv:2: \"much\" is not a number");
}

TEST_F(Plots, BadDataFilesAreNamedWithTheirLine) {
  const std::vector<std::array<std::string, 2>> cases = {
      {"r\tcold\n1\t2\n", "exact.tsv:1: there is no column \"heat\""},
      {"r\theat\n1\n", "exact.tsv:2: has too few columns"},
      {"#\nr\theat\n1\t2\n1\tnan\n", "exact.tsv:4: \"nan\" is not a number"},
      {"r\theat\n1\t0\n", "the point (1, 0) has no place on a logarithmic axis"},
      {"r\theat\n-1\t2\n", "the point (-1, 2) has no place on a logarithmic axis"}};
  for (const auto& [text, part] : cases) {
    write(baselines() / "published" / "exact.tsv", text);
    EXPECT_HAS(error_of([&] { series(); }), part);
  }
  fs::remove(baselines() / "published" / "exact.tsv");
  EXPECT_HAS(error_of([&] { series(); }), "exact.tsv");
}

TEST_F(Plots, SpecificationsAreReadStrictly) {
  const fs::path file = baselines() / "published" / "demo.json";
  const std::vector<std::array<std::string, 3>> cases = {
      {R"("id": "scaling")", R"("id": "../x")", "part of a file name"},
      {R"("scale": "binary")", R"("scale": "cubic")", "not one of binary, decimal, linear"},
      {R"("quantity": "cost")", R"("quantity": "price")", "not one of cost, throughput"},
      {R"("points": [[2048, 4])", R"("points": [[2048, 0])", "is not a positive number"},
      {R"("points": [[2048, 4])", R"("points": [[2048])", "not a pair"},
      {R"("file": "exact.tsv",)", R"("file": "exact.tsv", "points": [],)", "needs one of"},
      {R"("file": "exact.tsv",)", "", "needs one of"},
      {R"("band": 0.1)", R"("crossing": ["ours", "no"])", "is not the label of a series"},
      {R"("band": 0.1)", R"("crossing": ["ours"])", "is not a pair of labels"},
      {R"("columns": ["r", "heat"])", R"("columns": ["r"])", "not a pair"},
      {R"("parameter": "width",)", "", "\"parameter\" is missing"},
      {R"("band": 0.1)", R"("band": 0)", "band is not a positive number"}};
  expect_refused(file, demo, cases);
}

/// What a plot says of a stage's defaults, and the parameters it names, must be the stage's.
TEST(PublishedPlots, AgreeWithTheStages) {
  for (const Published& published : read_all_published(published_folder)) {
    for (const PlotSpec& plot : published.plots) {
      for (const SeriesSpec& series : plot.series) {
        if (series.rows.stage.empty()) continue;
        const Stage* stage = built_stage(series.rows.stage);
        if (stage == nullptr) continue;
        const Parameters defaults = stage->defaults();
        for (const auto& [name, value] : series.rows.defaults) {
          ASSERT_TRUE(defaults.has(name)) << stage->info().name << " " << name;
          EXPECT_EQ(defaults.at(name), value) << stage->info().name << " " << name;
        }
        for (const std::string& name : series.rows.free)
          EXPECT_TRUE(defaults.has(name)) << stage->info().name << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace ratchet::report
