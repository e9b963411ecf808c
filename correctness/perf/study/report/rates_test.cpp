// perf/report for families whose text gives throughput: the figures of life, tables of hardware,
// of ratios and of sweeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "correctness/perf/study/report/report_fixture.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/stage.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/plot_spec.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

TEST(Markdown, RatesAndPowers) {
  EXPECT_EQ(format_rate(23.494e12), "23.49×10¹²");
  EXPECT_EQ(format_rate(149.94e9), "149.9×10⁹");
  EXPECT_EQ(format_rate(4.49e6), "4.490×10⁶");
  EXPECT_EQ(format_rate(999960), "1.000×10⁶");
  EXPECT_EQ(format_rate(1000), "1.000×10³");
  EXPECT_EQ(format_rate(217.34), "217.3");
  EXPECT_EQ(format_power(65536, 7), "65536");
  EXPECT_EQ(format_binary(65536), "2¹⁶");
  EXPECT_EQ(format_binary(1 << 30), "2³⁰");
  EXPECT_EQ(format_power(2e13, 3), "2×10¹³");
  EXPECT_EQ(format_power(1e-6, 3), "10⁻⁶");
  EXPECT_EQ(format_power(999.7, 3), "10³");
  EXPECT_EQ(format_power(0, 3), "0");
  EXPECT_EQ(format_power(-20, 3), "-20");
}

TEST(RowNames, SayWhatDiffersFromTheDefaults) {
  EXPECT_EQ(RowId("life/cuda/05_strided").settings(), Settings());
  EXPECT_EQ(RowId("life/cuda/05_strided/width:4096/steps:8").settings(),
            (Settings{{"width", 4096}, {"steps", 8}}));
  for (const char* odd :
       {"life/cuda/05_strided/input:glider.rle", "life/cuda/05_strided/width",
        "life/cuda/05_strided/:4", "life/cuda/05_strided/width:4k",
        "life/cuda/05_strided/width:", "life/cuda/05_strided/width:-1", "life/cuda/05_strided/"})
    EXPECT_EQ(RowId(odd).settings(), std::nullopt) << odd;
  const RowPattern squares{"f/cpu/01_a", {{"torus", 0}}, {{"width", 64}, {"torus", 0}}, {"width"}};
  EXPECT_EQ(squares.match("f/cpu/01_a"), (Settings{{"width", 64}, {"torus", 0}}));
  EXPECT_EQ(squares.match("f/cpu/01_a/width:8"), (Settings{{"width", 8}, {"torus", 0}}));
  EXPECT_EQ(squares.match("f/cpu/01_a/width:8/torus:1"), std::nullopt);
  EXPECT_EQ(squares.match("f/cpu/01_a/seed:2"), std::nullopt) << "nobody asked for another seed";
  EXPECT_EQ(squares.match("f/cpu/01_ab"), std::nullopt);
  const RowPattern unknown{"f/cpu/01_a", {{"block", 16}}, {}, {}};
  EXPECT_EQ(unknown.match("f/cpu/01_a"), std::nullopt) << "its block is not known to be 16";
  EXPECT_TRUE(unknown.match("f/cpu/01_a/block:16"));
}

TEST(PublishedFigures, LifeHasEveryFigureOfTheText) {
  const Published life = read_published(published_folder / "life.json");
  ASSERT_TRUE(life.rate);
  EXPECT_EQ(life.rate->label, "cell updates/s");
  std::map<std::string, double> speed;  // by "<implementation>, <hardware>"
  for (const PublishedTable& table : life.tables) {
    for (const PublishedRow& row : table.rows) {
      for (const Figure& figure : row.figures) {
        if (figure.units_per_second)
          speed[row.label + ", " + row.hardware] = *figure.units_per_second;
        EXPECT_FALSE(figure.seconds);
      }
    }
  }
  const std::map<std::string, double> text = {{"Trivial, i7 5820K", 0.219e9},
                                              {"Trivial, i7 6700K", 0.282e9},
                                              {"Trivial, i9 11900K", 0.378e9},
                                              {"Packed Nibbles, i7 5820K", 4.393e9},
                                              {"Packed Nibbles, i7 6700K", 5.065e9},
                                              {"Packed Bits, i7 5820K", 6.539e9},
                                              {"Packed Bits, i7 6700K", 7.033e9},
                                              {"SIMD, i7 5820K", 22.600e9},
                                              {"SIMD, i7 6700K", 27.875e9},
                                              {"SIMD, i9 11900K", 48.266e9},
                                              {"SIMD Multi-threaded, i7 5820K", 45.813e9},
                                              {"SIMD Multi-threaded, i7 6700K", 71.105e9},
                                              {"SIMD Multi-threaded, i9 11900K", 296.019e9},
                                              {"OpenCL, 1050 Notebook", 0.760e12},
                                              {"OpenCL, 1080Ti", 4.775e12},
                                              {"OpenCL, V100", 6.678e12},
                                              {"OpenCL, 2080Ti", 6.783e12},
                                              {"OpenCL, A40", 8.055e12},
                                              {"OpenCL, 7900XTX", 8.939e12},
                                              {"CUDA, 1050 Notebook", 1.068e12},
                                              {"CUDA, 1080Ti", 5.389e12},
                                              {"CUDA, V100", 9.871e12},
                                              {"CUDA, 2080Ti", 9.666e12},
                                              {"CUDA, A40", 11.720e12},
                                              {"CPU, \"i7\"", 13.4e9},
                                              {"GPGPU, Titan X", 1.990e12}};
  EXPECT_EQ(speed, text);
  // "2.7x" is the text's own rounding of two of its figures.
  EXPECT_NEAR(text.at("CUDA, 1080Ti") / text.at("GPGPU, Titan X"), 2.7, 0.05);
}

/// The first figure of a row, in the text's unit, by table and label.
double figure_of(const Published& published, const std::string& table, const std::string& label) {
  for (const PublishedTable& each : published.tables) {
    if (each.id != table) continue;
    for (const PublishedRow& row : each.rows) {
      if (row.label != label) continue;
      const Figure& figure = row.figures.at(0);
      if (figure.ratio) return *figure.ratio;
      return figure.units_per_second.value() * published.rate.value().seconds;
    }
  }
  throw Error("no row " + label + " of table " + table);
}

TEST(PublishedFigures, OfficersQuotientsAreThoseOfItsFigures) {
  const Published officers = read_published(published_folder / "officers.json");
  const double speculation = figure_of(officers, "cuda", "speculation within a block");
  const double waiting = figure_of(officers, "cuda", "8 blocks, a word of progress");
  EXPECT_NEAR(speculation / waiting, 3.82, 0.005) << "the text's 4 is this, rounded";
  EXPECT_EQ(std::round(speculation / waiting),
            figure_of(officers, "speculating", "within a block, against waiting"));
}

TEST(PublishedFigures, BmnQuotientsAreThoseOfItsFigures) {
  const Published bmn = read_published(published_folder / "bmn.json");
  const double last = figure_of(bmn, "gpu", "the same, uint8 and packed table, 16 x 128");
  const double port = figure_of(bmn, "gpu", "straight port, 32 x 32");
  const double cpu = figure_of(bmn, "cpu_baseline", "12");
  EXPECT_EQ(std::round(last / port), figure_of(bmn, "gains", "last version against the port"));
  EXPECT_EQ(std::round(last / cpu),
            figure_of(bmn, "gains", "last version against the CPU baseline"));
}

/// correctness/bmn/oracles/text_log.tsv has the log's lines in the order of the table's rows.
TEST(PublishedFigures, BmnRatesOfTheLogAreThoseOfItsLines) {
  std::map<int, std::vector<double>> rates;
  std::ifstream log(correctness::data_file("bmn/oracles/text_log.tsv"));
  for (std::string line; std::getline(log, line);) {
    std::istringstream fields(line);
    int listing = 0;
    double seconds = 0, deals = 0, rate = 0;
    if (fields >> listing >> seconds >> deals >> rate) rates[listing].push_back(rate);
  }
  const Published bmn = read_published(published_folder / "bmn.json");
  const auto table = std::find_if(bmn.tables.begin(), bmn.tables.end(),
                                  [](const auto& each) { return each.id == "old_runs"; });
  ASSERT_NE(table, bmn.tables.end());
  ASSERT_EQ(table->rows.size(), rates.size());
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const auto& of_listing = rates.at(static_cast<int>(i) + 1);
    const auto [least, greatest] = std::minmax_element(of_listing.begin(), of_listing.end());
    const double expected[] = {*least, *greatest, of_listing.back()};
    for (std::size_t column = 0; column < 3; ++column)
      EXPECT_NEAR(table->rows[i].figures.at(column).units_per_second.value() / expected[column], 1,
                  1e-9)
          << table->rows[i].label << ", column " << column;
  }
}

TEST(PublishedFigures, NameStagesThatThereAre) {
  for (const Published& published : read_all_published(published_folder)) {
    for (const std::string& name : published.stages()) built_stage(RowId(name).stage());
    for (const std::string& name : published.beyond) built_stage(name);
    for (const auto& [name, mark] : published.marks) built_stage(RowId(name).stage());
    for (const auto& [backend, name] : published.best_stage) built_stage(name);
  }
}

TEST_F(Report, HardwareTableComparesEachRowWithWhatWasPublished) {
  store_rows("box", "life",
             row("life/cpu/03_packed_nibbles", 10.13e9, 0, 1e9) + "," +
                 row("life/cpu/06_simd_threads", 1e9, 0, 1e9) + "," +
                 row("life/cpu/06_simd_threads", 2e9, 1, 1e9) + "," +
                 row("life/cpu/06_simd_threads", 9e9, 2, 1e9) + "," +
                 row("life/cpu/02_packed_bits_by_cell", 0.1e9, 0, 1e9));
  const std::string text = tables("life");
  EXPECT_HAS(text, "Figures are cell updates/s.");
  EXPECT_HAS(text, "| implementation | hardware | cell updates/s, published | stage | box |");
  EXPECT_HAS(text,
             "| Packed Nibbles | i7 6700K | 5.065×10^9 | `life/cpu/03_packed_nibbles` | "
             "10.13×10⁹ (61 %), 2.00x |");
  EXPECT_HAS(text, "| 296.019x10^9 | `life/cpu/06_simd_threads` | 2.000×10⁹ (61 %), 0.01x |");
  EXPECT_HAS(text, "| - | - | `life/cpu/02_packed_bits_by_cell` | 100.0×10⁶ (61 %) |");
  EXPECT_HAS(text, "| Trivial | i7 6700K | 0.282×10^9 | `life/cpu/01_trivial` | - |");
  EXPECT_HAS(text, "how many times that row's published one");
  // Of the GPUs' table the machine measured nothing: no column, and nothing to explain.
  EXPECT_HAS(text, "| CUDA | A40 | 11.720x10^12 | `life/cuda/04_warp_shuffle` |\n");
}

TEST_F(Report, AStageMeasuredElsewhereThanAtItsDefaultsNamesThePoint) {
  const std::string stage = "life/opencl/04_work_per_item";
  store_rows("gpu", "life",
             row(stage + "/width:4096/height:4096", 7e12, 0, 1e12) + "," +
                 row(stage + "/width:65536/height:65536", 9.55e12, 0, 4e12) + "," +
                 row(stage + "/input:a.rle", 1e12, 0, 9e12));
  const std::string text = tables("life");
  EXPECT_HAS(text, "| OpenCL | 1080Ti | 4.775×10^12 | `" + stage +
                       "` | 9.550×10¹² (61 %), 2.00x at width:65536/height:65536 |");
  const Published life = read_published(published_folder / "life.json");
  const std::string rungs = markdown(ladder(life, machines_with("life", baselines(), {}).front()));
  EXPECT_HAS(rungs, "| stage | at | cell updates/s | speed-up | of the limit |");
  EXPECT_HAS(rungs, "| `" + stage + "` |  | 9.550×10¹² | 1.00x | 61 % |") << "it is the first";
}

/// Among GPUs what PoCL ran on a CPU looks like a slow GPU.
TEST_F(Report, OpenclOnACpuIsSaidToBe) {
  const std::string stage = "life/opencl/04_work_per_item";
  store_rows("box", "life", row(stage, 6e10));
  EXPECT_HAS(tables("life"), "| stage | box |");
  const auto file = baselines() / "box" / "life.json";
  nlohmann::json content = read_json(file);
  content["context"]["opencl.type"] = "cpu";
  write(file, content.dump());
  EXPECT_HAS(tables("life"), "| stage | box (OpenCL on its CPU) |");
  EXPECT_HAS(tables("life"), "| rows; cell updates/s, box (OpenCL on its CPU) |");
  content["context"]["opencl.type"] = "gpu";
  write(file, content.dump());
  EXPECT_LACKS(tables("life"), "OpenCL on its CPU");
}

/// Rows that were taken without the peaks get their share from the machine's own.
TEST_F(Report, SharesComeOfTheMachinesPeaks) {
  const auto without = [](std::string text) {
    const std::string share = ",\"limit_percent\":61.4";
    return text.erase(text.find(share), share.size());
  };
  store_rows("box", "life",
             without(row("life/cpu/01_trivial", 4e8)) + "," +
                 without(row("life/cpu/06_simd_threads", 1e11)) + "," +
                 without(row("life/cpu/06_simd_threads/threads:2", 1e11)));
  EXPECT_HAS(tables("life"), "| 400.0×10⁶, 1.83x |");
  write(baselines() / "box" / "peaks.json",
        peaks::to_json({{"cpu.scalar_ops", "operations", "", 2.08e10, ""},
                        {"cpu.vector_ops", "lane operations", "", 1e11, ""}},
                       "a test"));
  EXPECT_HAS(tables("life"), "| 400.0×10⁶ (50 %), 1.83x |") << "26 operations a cell";
  const Machine box = machines_with("life", baselines(), {}).front();
  const double of_four = box.limit_percent("life/cpu/06_simd_threads").value();
  EXPECT_NEAR(of_four * 2, box.limit_percent("life/cpu/06_simd_threads/threads:2").value(), 1e-9)
      << "four cores, of which two threads use two";
  EXPECT_FALSE(box.limit_percent("life/cpu/07_strided"));
}

/// What others held up in every launch is shown as such.
TEST_F(Report, DisturbedRowsAreMarked) {
  const std::string stage = "life/cpu/01_trivial", kept = ",\"preempted_kept\":1}";
  std::string first = row(stage, 3e8, 0), second = row(stage, 4e8, 1);
  first.replace(first.size() - 1, 1, kept);
  store_rows("box", "life", first + "," + second);
  EXPECT_LACKS(tables("life"), "†") << "one launch was not";
  second.replace(second.size() - 1, 1, kept);
  store_rows("box", "life", first + "," + second);
  EXPECT_HAS(tables("life"), "350.0×10⁶ (61 %) †, 1.60x |");
  EXPECT_HAS(tables("life"), "†: other programs held the processors during every launch");
}

TEST_F(Report, UseOfTheDeviceStandsBesideThePublishedOne) {
  store_rows("gpu", "bmn", row("bmn/cuda/01_port", 4e6) + "," + row("bmn/cuda/06_bytes", 6e6));
  EXPECT_LACKS(tables("bmn"), "gpu compute");
  write(baselines() / "metrics" / "gpu-counters" / "bmn.json",
        R"({"context": {"ratchet_metrics": 1, "basis": {"kind": "device counters"}, "reason": "r"},
            "stages": {"bmn/cuda/06_bytes": {"defaults": {"alu_percent": 41.4, "lsu_percent": 62.6,
                                                          "dram_percent": 0.2, "l2_percent": 3.4},
                                             "entries:126": {"alu_percent": 8.7, "l2_percent": 2}}}})");
  const std::string text = tables("bmn");
  EXPECT_HAS(text, "| gpu | gpu compute | gpu memory |");
  EXPECT_HAS(text, "| - | - | - | `bmn/cuda/01_port` | 4.000 (61 %) | - | - |");
  EXPECT_HAS(text, "| - | - | - | `bmn/cuda/06_bytes` | 6.000 (61 %) | 63 % | 3 % |");
  EXPECT_HAS(text, "| `bmn/cuda/06_bytes/entries:126` | - | 9 % | 2 % |");
  EXPECT_HAS(
      text, "| 93% | 1% | `bmn/cuda/06p_as_printed` (counts 128 batches, plays one) | - | - | - |");
}

TEST_F(Report, RatiosAreOfTheSameMachine) {
  store_rows("gpu", "life",
             row("life/cuda/00_square_tile", 8e12, 0, 1e12) + "," +
                 row("life/cuda/04_warp_shuffle", 24e12, 0, 1e12) + "," +
                 row("life/cuda/05_strided", 50e12, 0, 1e12));
  store_rows("half", "life", row("life/cuda/04_warp_shuffle", 30e12, 0, 1e12));
  const std::string text = tables("life");
  EXPECT_HAS(text, "| what | ratio, published | stage | against | gpu |");
  EXPECT_HAS(text, "| 2.7x | `life/cuda/04_warp_shuffle` | `life/cuda/00_square_tile` | 3.00x |");
  EXPECT_HAS(text, "| - | `life/cuda/05_strided` | `life/cuda/00_square_tile` | 6.25x |");
}

/// The dense stage has no cap of memory and nothing that settles: it stands beside every row.
TEST_F(Report, FutureWorkOfLifeStandsBesideTheDenseStage) {
  store_rows(
      "gpu", "life",
      row("life/cuda/05_strided", 50e12, 0, 1e12) + "," +
          row("life/cuda/05_strided/width:262144/height:262144", 51e12, 0, 1e13) + "," +
          row("life/cuda/06_streamed/width:262144/height:262144/device_mib:2048", 49e12, 0, 1e13) +
          "," + row("life/cuda/07_sparse/settle:12000", 2e15, 0, 1e12));
  const std::string text = tables("life");
  EXPECT_HAS(text, "| 262144 × 262144 (8 GiB packed), 2048 MiB | 49.00×10¹² | 51.00×10¹² |");
  EXPECT_HAS(text, "| 65536 × 65536, 256 MiB | - | 50.00×10¹² |");
  EXPECT_HAS(text, "| 65536 × 65536, after 12000 | 2.000×10¹⁵ | 50.00×10¹² |");
  EXPECT_HAS(text.substr(text.find("### Beyond the article")), "| `life/cuda/05_strided` | gpu |");
}

TEST_F(Report, StagesBeyondTheTextOfARate) {
  store_rows("box", "life",
             row("life/cpu/05_simd", 2e11, 0, 1e12) + "," +
                 row("life/cpu/06_simd_threads", 9e11, 0, 1e12) + "," +
                 row("life/cpu/09_mine", 5e11, 0, 1e12));
  EXPECT_HAS(tables("life"),
             "| `life/cpu/09_mine` | box | 500.0×10⁹ (61 %) | 2.50x of `life/cpu/05_simd` |");
}

/// Of 52 cards and of 40: a game of 40 is shorter.
TEST_F(Report, AnotherProblemIsMarkedAndComparedWithNothing) {
  store_rows("box", "bmn",
             row("bmn/cpu/01_original", 5e5) + "," + row("bmn/cpu/02_tweaked", 1e6) + "," +
                 row("bmn/cpu/03_machine", 4e5) + "," + row("bmn/cpu/04_planes", 4e6) + "," +
                 row("bmn/cpu/06_exhaustive", 7e6) + "," + row("bmn/cpu/07_climb", 3e6));
  const Published bmn = read_published(published_folder / "bmn.json");
  const auto machines = machines_with("bmn", baselines(), {});
  const std::string text = markdown(family_tables(bmn, machines)),
                    marked = "`bmn/cpu/06_exhaustive` (40 cards) | ";
  EXPECT_HAS(text, "| `bmn/cpu/04_planes` | box | 4.000 (61 %) | 4.00x of `bmn/cpu/02_tweaked` |");
  EXPECT_HAS(text, "| " + marked + "box | 7.000 (61 %) | - |");
  EXPECT_HAS(text, "| " + marked + "deals 2000000 | 7.000 | 61 % | - |");
  EXPECT_HAS(text, "| `bmn/cpu/07_climb` |  | 3.000 | 61 % | 0.75x |") << "of 04, not of 06";
  EXPECT_HAS(markdown(ladder(bmn, machines.front())),
             "| " + marked + "deals 2000000 | 7.000 | - | 61 % |");
  EXPECT_HAS(ladder_spec(bmn, machines).value().dump(), "06_exhaustive (40 cards)");
}

constexpr const char* demo_rates = R"({
  "format": 1, "family": "demo", "about": {"problem": "p", "work": "w", "right": "r"}, "source": "https://example.org/d", "title": "T", "author": "A",
  "rate": {"label": "photons/ms", "seconds": 0.001}, "best_stage": {},
  "tables": [{"id": "grid", "kind": "sweep", "title": "Blocks", "section": "S", "hardware": "H",
    "stage": "demo/cuda/01_a", "row_header": "photons per thread",
    "defaults": {"block": 128, "per_thread": 256}, "columns": ["16", "128", "all on a CPU"],
    "sweep_columns": [{"settings": {"block": 16}}, {"settings": {"block": 128}},
                      {"stage": "demo/cpu/01_b"}],
    "rows": [{"label": "1", "settings": {"per_thread": 1}, "figures": [
                {"printed": "156178,500", "value": 156178.5, "unit": "photons/ms"},
                {"printed": "328049,169", "value": 328049.169, "unit": "photons/ms"},
                {"printed": "-"}]},
             {"label": "256", "settings": {"per_thread": 256}, "figures": [
                {"printed": "357431,318", "value": 357431.318, "unit": "photons/ms"},
                {"printed": "714021,849", "value": 714021.849, "unit": "photons/ms"},
                {"printed": "-"}]}]}]})";

TEST_F(Report, SweepTableHasAGridForEachMachine) {
  const fs::path file = folder() / "demo.json";
  write(file, demo_rates);
  const Published published = read_published(file);
  EXPECT_EQ(published.tables[0].rows[0].figures[0].units_per_second, 156178.5e3);
  store_rows("gpu", "demo",
             row("demo/cuda/01_a", 4e9, 0, 1e9) + "," +
                 row("demo/cuda/01_a/block:16/per_thread:1", 1e9, 0, 1e9) + "," +
                 row("demo/cuda/01_a/block:16/per_thread:2", 3e9, 0, 1e9) + "," +
                 row("demo/cpu/01_b/per_thread:1", 2e6, 0, 1e6));
  const std::string text =
      markdown(family_tables(published, machines_with("demo", baselines(), {})));
  EXPECT_HAS(text, "| photons per thread, published | 16 | 128 | all on a CPU |");
  EXPECT_HAS(text, "| 256 | 357431,318 | 714021,849 | - |");
  EXPECT_HAS(text, "| photons per thread, gpu | 16 | 128 | all on a CPU: `demo/cpu/01_b` |");
  EXPECT_HAS(text, "| 1 | 1.000×10⁶ | - | 2.000×10³ |");
  EXPECT_HAS(text, "| 256 | - | 4.000×10⁶ | - |") << "the row without a name is the defaults'";
  EXPECT_LACKS(text, "Beyond the article");
}

TEST_F(Report, SweepFilesJoinTheirMachine) {
  const auto write_sweep = [&](const std::string& machine, const std::string& stem,
                               const std::string& rows) {
    write(baselines() / machine / (stem + ".json"),
          R"({"context": {"date": "now"}, "benchmarks": [)" + rows + "]}");
  };
  const std::string stage = "life/cuda/05_strided";
  store_rows("gpu", "life", row(stage, 5e13, 0, 1e12));
  write_sweep("gpu", "life_sweep_a",
              row(stage, 1e13, 0, 1e12) + "," + row(stage + "/width:64/height:64", 3e13, 0, 1e12));
  write_sweep("gpu", "life_sweep_b", row(stage + "/width:32/height:32", 2e13, 0, 1e12));
  write_sweep("alone", "life_sweep", row(stage + "/width:64/height:64", 1e13, 0, 1e12));
  const auto machines = machines_with("life", baselines(), {});
  ASSERT_EQ(machines.size(), 2u);
  EXPECT_EQ(machines[0].name, "alone");
  EXPECT_EQ(machines[1].throughput(stage), 5e13) << "the baseline's figure counts";
  EXPECT_EQ(machines[1].throughput(stage + "/width:64/height:64"), 3e13);
  EXPECT_EQ(machines[1].throughput(stage + "/width:32/height:32"), 2e13);
  EXPECT_TRUE(machines_with("lif", baselines(), {}).empty());
  write_sweep("alone", "life_survey",
              row(stage + "/width:64/height:64", 4e13, 0, 1e12) + "," +
                  row(stage + "/width:128/height:128", 5e13, 0, 1e12));
  const Machine surveyed = machines_with("life", baselines(), {})[0];
  EXPECT_EQ(surveyed.throughput(stage + "/width:64/height:64"), 4e13) << "before a sweep's figure";
  EXPECT_EQ(surveyed.throughput(stage + "/width:128/height:128"), 5e13);
  EXPECT_TRUE(BaselineStore(baselines()).files().size() == 1u) << "the gate passes surveys over";
  const std::vector<std::array<std::string, 2>> cases = {
      {row(stage + "/width:64/height:64", 2e13, 0, 1e12), "another file of the same sweep"},
      {row("graveler/cpu/03_bit_and", 2e9), "belongs to another family"},
      {R"({"name": "life/cuda/05_strided/width:8", "run_type": "iteration", "iterations": 1,
          "real_time": 0, "cpu_time": 0, "time_unit": "ms", "error_occurred": true,
          "error_message": "out of memory"})",
       "out of memory"}};
  for (const auto& [rows, part] : cases) {
    write_sweep("gpu", "life_sweep_b", rows);
    const std::string what = error_of([&] { machines_with("life", baselines(), {}); });
    EXPECT_TRUE(what.starts_with((baselines() / "gpu" / "life_sweep_b.json").string())) << what;
    EXPECT_HAS(what, part);
  }
}

TEST_F(Report, RatesAreReadStrictly) {
  const fs::path file = folder() / "demo.json";
  const std::vector<std::array<std::string, 3>> cases = {
      {R"("seconds": 0.001)", R"("seconds": 0)", "rate.seconds is not a positive number"},
      {R"("rate": {"label": "photons/ms", "seconds": 0.001}, )", "", "\"scale\" and \"rate\""},
      {R"("best_stage")", R"("scale": {"units": 1, "label": "x"}, "best_stage")",
       "\"scale\" and \"rate\""},
      {R"("unit": "photons/ms"})", R"("unit": "photons/s"})",
       "not one of s, ms, us, x, photons/ms"},
      {R"("kind": "sweep")", R"("kind": "hardware")", "\"hardware\" is missing"},
      {R"("kind": "sweep")", R"("kind": "ratios")", "needs \"stage\" and \"against\""},
      {R"("row_header": "photons per thread",)", "", "\"row_header\" is missing"},
      {R"(,
                      {"stage": "demo/cpu/01_b"}])",
       "]", "must have one entry for each column"},
      {R"("stage": "demo/cuda/01_a", )", "", "nor its table names a \"stage\""},
      {R"({"per_thread": 1})", R"({"per_thread": -1})", "per_thread is not a whole number"}};
  expect_refused(file, demo_rates, cases);
}

TEST_F(Report, PagesOfFamiliesHaveTheirLadders) {
  fs::create_directories(baselines());
  fs::copy(published_folder, baselines() / "published");
  store_rows("box", "life", row("life/cpu/04_packed_bits", 7e9, 0, 1e9));
  store_rows("gpu", "life", row("life/cuda/05_strided", 5e13, 0, 1e9));
  store_rows("box", "graveler", row("graveler/cpu/03_bit_and", 4e7));
  const fs::path readme = folder() / "README.md";
  const fs::path story = folder() / "kernels" / "life" / "README.md";
  const fs::path plain = folder() / "kernels" / "graveler" / "README.md";
  write(folder() / "perf" / "guide" / "articles.md",
        "<!-- ratchet:families:begin -->\n<!-- ratchet:families:end -->\n");
  write(folder() / "perf" / "guide" / "evaluation.md",
        "<!-- ratchet:selftest:begin -->\n<!-- ratchet:selftest:end -->\n");
  write(story, "# life\n<!-- ratchet:ladder:begin -->\nold\n<!-- ratchet:ladder:end -->\nend\n");
  write(plain, "# no marks\n");
  std::vector<std::string> command = {"tables", "--readme",       "--readme-file",
                                      readme,   "--baseline-dir", baselines()};
  EXPECT_EQ(ratchet(command).exit_code, 0);
  // The GPU measured as many stages, and stages on a GPU count first.
  EXPECT_HAS(read(story), "**life** on gpu");
  EXPECT_LACKS(read(story), "**life** on box");
  EXPECT_HAS(read(story), "| `life/cuda/05_strided` |  | 50.00×10¹² | 1.00x | ");
  EXPECT_LACKS(read(story), "graveler");
  EXPECT_LACKS(read(story), "old");
  EXPECT_TRUE(read(story).ends_with("\nend\n"));
  EXPECT_EQ(read(plain), "# no marks\n");
  command.push_back("--check");
  EXPECT_EQ(ratchet(command).exit_code, 0);
  write(story, "# life\n<!-- ratchet:ladder:begin -->\nold\n<!-- ratchet:ladder:end -->\nend\n");
  const ProcessResult stale = ratchet(command);
  EXPECT_EQ(stale.exit_code, 1) << "one stale file is enough";
  EXPECT_HAS(stale.output, story.string() + ": the tables are stale");
  write(story, "# life\n<!-- ratchet:ladder:begin -->\n");
  EXPECT_EQ(ratchet(command).exit_code, 2) << "half of the marks";
  write(story, "# life\n<!-- ratchet:laddr:begin -->\n<!-- ratchet:laddr:end -->\n");
  const ProcessResult unknown = ratchet(command);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_HAS(unknown.output, story.string() + " has marks of \"laddr\"");
}

}  // namespace
}  // namespace ratchet::report
