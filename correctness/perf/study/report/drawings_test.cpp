// The drawings in the repository: fresh, and honest by what their specifications hold.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "correctness/perf/study/report/report_fixture.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/stage.h"
#include "perf/output/files/formats.h"
#include "perf/output/history/keep.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/study/report/plots/plot.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

const fs::path source = RATCHET_SOURCE_DIR;

struct Family {
  Published published;
  std::vector<Machine> machines;
  fs::path folder;  ///< of its drawings
  std::vector<vega::Drawing> drawings;
};

std::vector<Family> families() {
  std::vector<Family> all;
  for (Published& published : read_all_published(published_folder)) {
    Family& family = all.emplace_back();
    family.machines = machines_with(published.family, source / "baselines", {});
    family.folder = source / "kernels" / published.family / "pictures";
    family.drawings = drawings_of(published, family.machines, source / "baselines", family.folder);
    family.published = std::move(published);
  }
  return all;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Every drawing is that of the stored figures, and a page of the family shows it.
TEST(CommittedDrawings, AreUpToDateAndShown) {
  const auto of = families();
  int with_drawings = 0;
  for (const Family& family : of) {
    if (!fs::exists(family.folder)) continue;  // a new family begins without
    ++with_drawings;
    std::string pages;
    for (const fs::path& page : sorted_entries(family.folder.parent_path()))
      if (page.extension() == ".md") pages += text_of(page);
    for (const vega::Drawing& drawing : family.drawings) {
      EXPECT_EQ(vega::stale(drawing), "")
          << "run `ratchet tables " << family.published.family << " --plots kernels/"
          << family.published.family << "/pictures`";
      const std::string stem = drawing.file.stem();
      EXPECT_HAS(pages, "src=\"pictures/" + stem + ".svg\"");
    }
    std::set<std::string> known;
    for (const vega::Drawing& drawing : family.drawings) known.insert(drawing.file.stem());
    for (const fs::path& file : sorted_entries(family.folder)) {
      EXPECT_TRUE(file.extension() == ".svg" && known.count(file.stem()))
          << file << " is drawn by nobody";
    }
  }
  EXPECT_GE(with_drawings, 5);
  EXPECT_EQ(pictures_of("life").size(), 1u);
}

TEST(CommittedDrawings, TheVerdictIsThatOfTheStoredRun) {
  const auto spec = forest_spec(history::run_from_file(source / "perf/output/pictures/gate.json"));
  EXPECT_EQ(vega::stale({source / "perf/output/pictures/verdict.svg", spec.value()}), "")
      << "run `ratchet tables --verdict perf/output/pictures/gate.json --plots "
         "perf/output/pictures`";
  EXPECT_HAS(text_of(source / "README.md"), "src=\"perf/output/pictures/verdict.svg\"");
}

/// The throughput that a plot's y stands for.
double throughput_of(const PlotSpec& plot, double y) {
  return plot.quantity == Quantity::throughput ? y / plot.factor : plot.factor / y;
}

/// Whether a row of a series' stage was measured on some machine as fast as the point says.
bool is_stored(const PlotSpec& plot, const SeriesSpec& series, const Family& family,
               const json& point) {
  for (const Machine& machine : family.machines) {
    for (const auto& [name, row] : machine.content.rows) {
      const auto settings = series.rows.match(name);
      if (!settings || row.launches.empty()) continue;
      const auto named = settings->find(series.parameter);
      const double x = named != settings->end() ? static_cast<double>(named->second)
                                                : machine.default_threads(series.rows.stage);
      if (x != point.at("x").get<double>()) continue;
      const double drawn = throughput_of(plot, point.at("y"));
      if (std::abs(*machine.throughput(name) / drawn - 1) < 1e-6) return true;
    }
  }
  return false;
}

TEST(CommittedDrawings, MeasuredPointsEqualTheStoredFiles) {
  std::size_t seen = 0;
  for (const Family& family : families()) {
    for (const PlotSpec& plot : family.published.plots) {
      const auto spec = vega_spec(plot, plot_series(plot, family.machines, source / "baselines"));
      ASSERT_TRUE(spec) << plot.id;
      for (const json& point : spec->at("data").at("values")) {
        if (point.at("kind") != "median" || point.at("published")) continue;
        const auto stored = [&](const SeriesSpec& series) {
          return is_stored(plot, series, family, point);
        };
        EXPECT_TRUE(std::any_of(plot.series.begin(), plot.series.end(), stored))
            << plot.id << ": " << point;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 100u);
}

/// A stage's own row has as many threads as its machine has processors.
TEST(CommittedDrawings, CurvesOfThreadsEndWithAllProcessors) {
  const Published graveler = read_published(published_folder / "graveler.json");
  const auto machines = machines_with("graveler", source / "baselines", {});
  std::map<std::string, double> most;  // of 11_threads, by machine
  for (const PlotSeries& one :
       plot_series(plot_of(graveler, "threads"), machines, source / "baselines"))
    if (one.label == "11_threads" && one.measured())
      for (const PlotPoint& point : one.points)
        if (point.launches.size() > 1 && point.x == 16) most[one.machine] = point.x;
  EXPECT_EQ(most["intel-xeon-16c"], 16);
}

/// Texts beside points fit on the paper in a font wider than Arial, too, and panels begin alike.
TEST(CommittedDrawings, LaddersLeaveRoomForTheirTexts) {
  int with_text = 0;
  for (const Family& family : families()) {
    const json spec = ladder_spec(family.published, family.machines).value();
    std::size_t longest = 0;
    for (const json& value : spec.at("data").at("values"))
      longest = std::max(longest, value.at("at").get<std::string>().size());
    with_text += longest > 12;
    EXPECT_GE(spec.at("padding").at("right").get<double>(), 8 + static_cast<double>(longest))
        << family.published.family;
    for (const json& panel : spec.at("vconcat"))
      EXPECT_EQ(panel.at("encoding").at("y").at("axis").at("minExtent"),
                spec.at("vconcat")[0].at("encoding").at("y").at("axis").at("minExtent"));
  }
  EXPECT_GE(with_text, 2);
}

/// The curve of threads is the text's table of them.
TEST(CommittedDrawings, PublishedThreadsAreThoseOfTheTable) {
  const Published graveler = read_published(published_folder / "graveler.json");
  const SeriesSpec& series = plot_of(graveler, "threads").series.front();
  const PublishedTable& table = table_of(graveler, "threads");
  ASSERT_EQ(series.points.size(), table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(series.points[i].x, table.rows[i].threads);
    EXPECT_NEAR(series.points[i].y * *table.rows[i].figures.front().seconds, 1e9, 10);
  }
}

TEST(CommittedDrawings, NoLineJoinsOtherParametersMachinesOrPanels) {
  for (const Family& family : families()) {
    for (const vega::Drawing& drawing : family.drawings) {
      std::map<std::pair<std::string, std::string>, std::set<std::string>> settings;
      for (const json& value : drawing.spec.at("data").at("values")) {
        if (!value.contains("line")) continue;
        settings[{value.at("panel"), value.at("line")}].insert(
            value.at("series").get<std::string>() + value.at("setting").get<std::string>());
      }
      for (const auto& [line, of] : settings)
        EXPECT_EQ(of.size(), 1u) << drawing.file << " " << line.second;
    }
  }
}

/// Each curve of a panel has a colour of its own; two machines never share one.
TEST(CommittedDrawings, EveryCurveHasItsColour) {
  const std::size_t palette = vega::config(vega::Theme::light).at("range").at("category").size();
  for (const Family& family : families()) {
    for (const PlotSpec& plot : family.published.plots) {
      const auto series = plot_series(plot, family.machines, source / "baselines");
      std::set<std::pair<std::string, std::string>> curves;
      std::set<std::string> labels;
      for (const PlotSeries& one : series) {
        EXPECT_TRUE(curves.insert({one.panel, one.label}).second) << plot.id << ": " << one.label;
        labels.insert(one.label);
      }
      EXPECT_LE(labels.size(), palette) << plot.id << ": colours come round";
    }
  }
}

TEST_F(Report, LadderShowsEveryStageWithWhereItWasTaken) {
  const Published published = read_published(published_folder / "tiny_mc.json");
  const std::string cpu = "tiny_mc/cpu/03_simd_openmp", wrong = "tiny_mc/cuda/01p_as_printed";
  store_rows("gpu", "tiny_mc",
             row(wrong, 3.43e9, 0, 1 << 30) + "," + row(cpu + "/photons:134217728", 0.07e9));
  const auto machines = machines_with("tiny_mc", baselines(), {});
  const json spec = ladder_spec(published, machines).value();
  std::map<std::string, json> by_stage;  // measured
  std::size_t figures = 0;
  for (const json& value : spec.at("data").at("values")) {
    if (value.at("of") == "gpu") by_stage[value.at("stage")] = value;
    figures += value.at("of") == "published";
  }
  ASSERT_EQ(by_stage.size(), 2u);
  const json& wrong_one = by_stage["01p_as_printed (full walk, wrong physics)"];
  EXPECT_EQ(wrong_one.at("speed"), 3430000) << "photons/ms, as the text gives them";
  EXPECT_EQ(wrong_one.at("at"), "");
  EXPECT_EQ(by_stage["03_simd_openmp (full walk)"].at("at"), "photons:134217728");
  EXPECT_EQ(figures, 3u) << "of the CPU, the GPU and both";
  EXPECT_EQ(ladder_spec(Published{}, {}), std::nullopt);
}

TEST(Forest, IsWorstFirstAndCountsTheRest) {
  history::RunRecord run;
  run.machine = "box";
  const auto add = [&](const char* name, gate::Verdict verdict, std::optional<double> ratio) {
    history::RowRecord& row = run.rows.emplace_back();
    row.name = name;
    row.verdict = verdict;
    row.tolerance = 0.01;
    row.ratio = ratio;
    if (ratio) row.low = *ratio - 0.005, row.high = *ratio + 0.005;
  };
  EXPECT_EQ(forest_spec(run), std::nullopt);
  add("a", gate::Verdict::same, 1.001);
  add("<script>", gate::Verdict::slower, 0.95);
  add("c", gate::Verdict::same, std::nullopt);
  add("d", gate::Verdict::same, 1.002);
  run.rows.back().low = run.rows.back().high = std::nullopt;
  const json spec = forest_spec(run).value();
  EXPECT_EQ(spec.at("title").at("text"),
            "A gate run on box: 1 slower, 2 same; not compared by time: 1 same");
  const json& rows = spec.at("data").at("values");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[2].at("low").is_null()) << "settled before anything could alarm";
  EXPECT_EQ(rows[0], json::parse(R"({"row": "<script>", "verdict": "slower", "change": -5,
    "low": -5.5, "high": -4.5, "tolerance": 1, "from": -1, "end": -4.5, "note": "-5.00 %"})"));
  EXPECT_EQ(rows[1].at("row"), "a");
}

}  // namespace
}  // namespace ratchet::report
