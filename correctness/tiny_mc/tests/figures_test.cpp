// baselines/published/tiny_mc.json: the text's figures, and what it says of our stages.
#include <gtest/gtest.h>

#include "correctness/perf/study/report/report_fixture.h"
#include "kernels/tiny_mc/tiny_mc.h"
#include "perf/study/report/figures/plot_spec.h"

namespace ratchet::report {
namespace {

Published tiny_mc_figures() { return read_published(published_folder / "tiny_mc.json"); }

/// Photons per millisecond as the table's cell stores them, 0 for none.
double stored(const Figure& figure) { return figure.units_per_second.value_or(0) / 1e3; }

/// The same from the text's own characters: "**714021,849**".
double printed(const Figure& figure) {
  std::string digits;
  for (const char c : figure.printed) {
    if (c == ',') digits += '.';
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits.empty() ? 0 : std::stod(digits);
}

TEST(TinyMcFigures, AreTheTextsInEveryCell) {
  const Published published = tiny_mc_figures();
  const PublishedTable& blocks = table_of(published, "blocks");
  // Sums of the text's rows and columns, which no single wrong digit leaves as they are.
  const std::vector<double> rows = {1699740.364, 2716998.687, 3334486.081, 3580727.884,
                                    3719094.571, 3805506.166, 3863738.766, 3891587.963,
                                    3891587.85,  3848984.611, 3788490.244, 3712414.804};
  const std::vector<double> columns = {3827328.539, 7412625.578, 7731940.767,
                                       7720316.746, 7614591.566, 7546554.795};
  ASSERT_EQ(blocks.rows.size(), rows.size());
  std::vector<double> down(columns.size()), down_printed(columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PublishedRow& row = blocks.rows[i];
    EXPECT_EQ(row.settings, (Settings{{"photons_per_thread", std::uint64_t{1} << i}}));
    EXPECT_EQ(row.label, std::to_string(1u << i));
    double across = 0;
    for (std::size_t j = 0; j < row.figures.size(); ++j) {
      across += stored(row.figures[j]);
      down[j] += stored(row.figures[j]);
      down_printed[j] += printed(row.figures[j]);
    }
    EXPECT_NEAR(across, rows[i], 5e-4) << row.label;
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    EXPECT_EQ(blocks.column_settings[j], (Settings{{"block_threads", std::uint64_t{16} << j}}));
    EXPECT_NEAR(down[j], columns[j], 5e-4) << blocks.columns[j];
    EXPECT_NEAR(down_printed[j], columns[j], 5e-4) << blocks.columns[j];
  }
  EXPECT_EQ(blocks.rows[8].figures[3].printed, "**714021,849**");
}

TEST(TinyMcFigures, AreTheTextsForEveryNumberOfPhotons) {
  const Published published = tiny_mc_figures();
  const PublishedTable& photons = table_of(published, "photons");
  ASSERT_EQ(photons.rows.size(), 18u);
  double cpu = 0, gpu = 0, both = 0;
  for (std::size_t i = 0; i < photons.rows.size(); ++i) {
    const PublishedRow& row = photons.rows[i];
    const std::uint64_t count = i == 17 ? 2147483647u : std::uint64_t{16384} << i;
    EXPECT_EQ(row.settings, (Settings{{"photons", count}}));
    EXPECT_EQ(row.label, std::to_string(count));
    cpu += stored(row.figures[0]);
    gpu += stored(row.figures[1]);
    both += stored(row.figures[2]);
    for (const Figure& figure : row.figures) EXPECT_NEAR(stored(figure), printed(figure), 5e-4);
    EXPECT_EQ(row.figures[2].printed == "-", i < 14) << "both only from 2^28 on";
  }
  EXPECT_NEAR(cpu, 645163.219, 5e-4);
  EXPECT_NEAR(gpu, 7090617.07, 5e-4);
  EXPECT_NEAR(both, 3047389.527, 5e-4);
}

TEST(TinyMcFigures, PlotsShowTheTables) {
  const Published published = tiny_mc_figures();
  const auto expect_column = [&](const SeriesSpec& series, const std::string& table,
                                 std::size_t column, const std::string& setting) {
    std::vector<XY> points;
    for (const PublishedRow& row : table_of(published, table).rows) {
      if (!row.figures[column].units_per_second) continue;
      points.push_back(
          {static_cast<double>(row.settings.at(setting)), stored(row.figures[column])});
    }
    ASSERT_EQ(series.points.size(), points.size()) << series.label;
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(series.points[i].x, points[i].x) << series.label;
      EXPECT_NEAR(series.points[i].y, points[i].y, 5e-4) << series.label;
    }
  };
  for (std::size_t i = 0; i < 6; ++i)
    expect_column(plot_of(published, "block_sweep").series.at(i), "blocks", i,
                  "photons_per_thread");
  for (std::size_t i = 0; i < 3; ++i)
    expect_column(plot_of(published, "photon_sweep").series.at(i), "photons", i, "photons");
}

TEST(TinyMcFigures, MarkEveryStageWithItsWalkAndItsPhysics) {
  const Published published = tiny_mc_figures();
  bool any = false;
  for (const Stage* stage : registry()) {
    const auto* photons = dynamic_cast<const tiny_mc::PhotonStage*>(stage);
    if (photons == nullptr) continue;
    any = true;
    const std::string& name = stage->info().name;
    ASSERT_TRUE(published.marks.count(name)) << name;
    const std::string& mark = published.marks.at(name);
    EXPECT_TRUE(
        mark.starts_with(photons->walk() == tiny_mc::Walk::full ? "full walk" : "radial walk"))
        << name;
    EXPECT_EQ(mark.find("wrong physics") != std::string::npos, stage->info().as_printed) << name;
  }
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace ratchet::report
