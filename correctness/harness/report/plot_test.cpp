// perf/report: plots of published and measured series, and the pictures of layouts.
#include "perf/report/plot.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "correctness/harness/report/report_fixture.h"
#include "kernels/stage.h"
#include "perf/report/pictures.h"

namespace ratchet::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(Svg, LinearAxis) {
  const svg::Axis axis(0, 10, 100, 0, svg::Axis::Scale::linear);
  EXPECT_EQ(axis.at(0), 100);
  EXPECT_EQ(axis.at(10), 0);
  EXPECT_EQ(axis.at(2.5), 75);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const svg::Axis around(-0.1, 1, 0, 1, svg::Axis::Scale::linear);
  EXPECT_EQ(around.ticks().front(), 0);
  EXPECT_FALSE(std::signbit(around.ticks().front())) << "-0 is not printed";
}

TEST(Svg, LogarithmicAxes) {
  const svg::Axis sides(4096, 262144, 0, 60, svg::Axis::Scale::binary);
  EXPECT_NEAR(sides.at(32768), 30, 1e-9);
  EXPECT_EQ(sides.ticks(), (std::vector<double>{4096, 8192, 16384, 32768, 65536, 131072, 262144}));
  const svg::Axis wide(1e-6, 1e6, 0, 1, svg::Axis::Scale::decimal);
  EXPECT_EQ(wide.ticks().size(), 7u) << "every second power of ten";
  const svg::Axis narrow(15, 60, 0, 1, svg::Axis::Scale::decimal);
  EXPECT_EQ(narrow.ticks(), (std::vector<double>{20, 50}));
  const svg::Axis tight(20.5, 23, 0, 1, svg::Axis::Scale::decimal);
  EXPECT_GE(tight.ticks().size(), 3u);
}

TEST(Svg, EqualValuesStillSpan) {
  for (const auto scale :
       {svg::Axis::Scale::linear, svg::Axis::Scale::binary, svg::Axis::Scale::decimal}) {
    const svg::Axis axis(7, 7, 0, 1, scale);
    EXPECT_TRUE(std::isfinite(axis.at(7)));
    EXPECT_GT(axis.at(7), 0);
    EXPECT_LT(axis.at(7), 1);
  }
}

constexpr const char* demo = R"({
  "format": 1, "family": "demo", "about": {"problem": "p", "work": "w", "right": "r"}, "document": "d.txt", "title": "T", "author": "A",
  "rate": {"label": "cells/s", "seconds": 1}, "last_stage": {}, "tables": [],
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
  EXPECT_TRUE(ours.measured);
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
  EXPECT_FALSE(all[1].measured);
  EXPECT_EQ(all[1].points[0].x, 512) << "by x";
  EXPECT_EQ(all[2].points.size(), 2u);
  EXPECT_EQ(all[2].points[1].x, 1024);
  EXPECT_EQ(all[2].points[1].y, 3);
  write(baselines() / "box" / "demo_heat.tsv", "r\theat\n8\t2\n");
  const auto more = series();
  ASSERT_EQ(more.size(), 4u);
  EXPECT_EQ(more[3].label, "curve on box");
  EXPECT_TRUE(more[3].measured);
}

TEST_F(Plots, SpreadIsAroundTheMedian) {
  const Spread spread = spread_of({.points = {{1, 8, {}}, {2, 10, {}}, {3, 15, {}}}});
  EXPECT_EQ(spread.median, 10);
  EXPECT_DOUBLE_EQ(spread.least, 0.8);
  EXPECT_DOUBLE_EQ(spread.most, 1.5);
}

TEST_F(Plots, DrawingIsWholeAndEscaped) {
  const std::string svg = plot_svg(plot(), series()).value();
  EXPECT_EQ(count(svg, "class=\"point\""), 7u);
  EXPECT_EQ(count(svg, "class=\"launch\""), 5u);
  EXPECT_EQ(count(svg, "<polyline class=\"series\""), 1u);
  EXPECT_EQ(count(svg, "<polyline class=\"published\""), 2u);
  EXPECT_EQ(count(svg, "class=\"band\""), 1u) << "published series have none";
  EXPECT_HAS(svg, "Cost &lt;per&gt; cell");
  EXPECT_HAS(svg, "ours on gpu: -47.5 to +5.0 % around its median");
  EXPECT_HAS(svg, "theirs (published)");
  EXPECT_HAS(svg, ">exact</text>") << "a data file is not the text's";
  EXPECT_HAS(svg, ">512</text>");
  EXPECT_HAS(svg, ">4096</text>");
  EXPECT_LACKS(svg, "nan");
  EXPECT_LACKS(svg, "inf");
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_EQ(plot_svg(plot(), {}), std::nullopt);
}

TEST_F(Plots, LongNumbersOnABinaryAxisArePowersOfTwo) {
  PlotSpec wide = plot();
  wide.x.scale = svg::Axis::Scale::binary;
  PlotSeries photons{.label = "photons", .points = {{1 << 14, 1, {}}, {1 << 26, 2, {}}}};
  const std::string svg = plot_svg(wide, {photons}).value();
  EXPECT_HAS(svg, ">2¹⁴</text>");
  EXPECT_HAS(svg, ">2²⁶</text>");
  EXPECT_LACKS(svg, ">16384</text>");
}

TEST_F(Plots, CommandWritesEachPlotThatHasFigures) {
  const fs::path out = folder() / "plots";
  const std::vector<std::string> command = {"tables",    "demo",    "--baseline-dir",
                                            baselines(), "--plots", out};
  const ProcessResult drawn = ratchet(command);
  EXPECT_EQ(drawn.exit_code, 0) << drawn.output;
  EXPECT_EQ(read(out / "scaling.svg"), plot_svg(plot(), series()).value());
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
    EXPECT_HAS(message([&] { series(); }), part);
  }
  fs::remove(baselines() / "published" / "exact.tsv");
  EXPECT_HAS(message([&] { series(); }), "exact.tsv");
}

TEST_F(Plots, SpecificationsAreReadStrictly) {
  const fs::path file = baselines() / "published" / "demo.json";
  const std::vector<std::array<std::string, 3>> cases = {
      {R"("id": "scaling")", R"("id": "../x")", "part of a file's name"},
      {R"("scale": "binary")", R"("scale": "cubic")", "none of binary, decimal, linear"},
      {R"("quantity": "cost")", R"("quantity": "price")", "none of cost, throughput"},
      {R"("points": [[2048, 4])", R"("points": [[2048, 0])", "is not a positive number"},
      {R"("points": [[2048, 4])", R"("points": [[2048])", "no pair"},
      {R"("file": "exact.tsv",)", R"("file": "exact.tsv", "points": [],)", "needs one of"},
      {R"("file": "exact.tsv",)", "", "needs one of"},
      {R"("columns": ["r", "heat"])", R"("columns": ["r"])", "no pair"},
      {R"("parameter": "width",)", "", "\"parameter\" is missing"},
      {R"("band": 0.1)", R"("band": 0)", "band: is not a positive number"}};
  expect_refused(file, demo, cases);
}

/// What a plot says of a stage's defaults, and the parameters it names, must be the stage's.
TEST(PublishedPlots, AgreeWithTheStages) {
  for (const Published& published : read_all_published(published_folder)) {
    for (const PlotSpec& plot : published.plots) {
      for (const SeriesSpec& series : plot.series) {
        const Stage* stage = find_stage(series.rows.stage);
        if (stage == nullptr) continue;  // not in this build; report_rates_test looks at the names
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

/// Plots and pictures beside the stories are what the program draws from the baselines now.
TEST(CommittedDrawings, AreUpToDate) {
  const fs::path source = RATCHET_SOURCE_DIR;
  const auto text_of = [](const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  for (const Published& published : read_all_published(published_folder)) {
    const fs::path pictures = source / "kernels" / published.family / "pictures";
    const auto machines = machines_with(published.family, source / "baselines", {});
    for (const PlotSpec& plot : published.plots) {
      const fs::path file = pictures / (plot.id + ".svg");
      if (!fs::exists(file)) continue;
      EXPECT_EQ(text_of(file),
                plot_svg(plot, plot_series(plot, machines, source / "baselines")).value_or(""))
          << "run `ratchet tables " << published.family << " --plots kernels/" << published.family
          << "/pictures";
    }
    for (const Picture& picture : pictures_of(published.family))
      EXPECT_TRUE(text_of(pictures / picture.name) == picture.svg)
          << picture.name << ": run `ratchet tables " << published.family << " --pictures kernels/"
          << published.family << "/pictures";
  }
  EXPECT_EQ(pictures_of("life").size(), 1u);
}

TEST_F(Report, PicturesAreWrittenOrRefused) {
  const ProcessResult drawn = ratchet({"tables", "life", "--pictures", folder() / "p"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.output;
  EXPECT_EQ(read(folder() / "p" / "layouts.svg"), pictures_of("life").at(0).svg);
  const ProcessResult none = ratchet({"tables", "graveler", "--pictures", folder() / "p"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_HAS(none.output, "there are no pictures of \"graveler\"");
}

}  // namespace
}  // namespace ratchet::report
