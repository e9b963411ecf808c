// perf/study/report: the published figures, the tables, and the blocks in the pages.
#include "perf/study/report/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "correctness/perf/study/report/report_fixture.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/survey_only.h"
#include "perf/gate/baseline/store.h"
#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"
#include "perf/study/report/readme.h"
#include "perf/support/error.h"

namespace ratchet::report {
namespace {

TEST(Markdown, TablesAndFigures) {
  Table table({"a", "b"});
  table.add({"1|2", "3"});
  table.add_column("c", {"4"});
  EXPECT_EQ(table.text(), "| a | b | c |\n| --- | --- | --- |\n| 1\\|2 | 3 | 4 |\n");
  EXPECT_THROW(table.add({"1"}), std::invalid_argument);
  EXPECT_THROW(table.add_column("d", {}), std::invalid_argument);
  EXPECT_EQ(format_seconds(734400), "734400 s");
  EXPECT_EQ(format_seconds(40.986), "40.99 s");
  EXPECT_EQ(format_seconds(2.886), "2.886 s");
  EXPECT_EQ(format_seconds(0.0053700), "5.370 ms");
  EXPECT_EQ(format_seconds(0.985), "985.0 ms");
  EXPECT_EQ(format_seconds(12.3456e-6), "12.35 us");
}

TEST(PublishedFigures, GravelerHasEveryFigureOfTheText) {
  const Published graveler = read_published(published_folder / "graveler.json");
  EXPECT_EQ(graveler.scale_units, 1e9);
  std::map<std::string, double> seconds;  // by "<table> <label> <column>"
  for (const PublishedTable& table : graveler.tables) {
    for (const PublishedRow& row : table.rows) {
      for (std::size_t i = 0; i < row.figures.size(); ++i) {
        if (row.figures[i].seconds)
          seconds[table.id + " " + row.label + " " + std::to_string(i)] = *row.figures[i].seconds;
      }
    }
  }
  const std::map<std::string, double> text = {
      {"naive the challenge's Python program 0", 8.5 * 86400},
      {"naive naive, rand::thread_rng (ChaCha12), % 4 0", 450},
      {"compiler_settings Original 0", 40.986},
      {"compiler_settings fastrand 0", 11.552},
      {"compiler_settings profile 0", 35.526},
      {"compiler_settings both 0", 6.848},
      {"simd xoshiro256+ x4 0", 3.119},
      {"simd xoshiro256+ x8, two battles at once 0", 2.886},
      {"simd xoshiro256+ x8, two battles at once 1", 4.6},
      {"work_stealing rayon, one task a battle pair, thread-local state 0", 0.985},
      {"threads 1 0", 4.575},
      {"threads 2 0", 2.293},
      {"threads 4 0", 1.173},
      {"threads 6 0", 0.8666},
      {"threads 8 0", 0.9048},
      {"threads 10 0", 0.8801},
      {"threads 12 0", 0.8154},
      {"cpu_final i7-10750H 6 Cores 12 Threads 0", 2.78},
      {"cpu_final i7-10750H 6 Cores 12 Threads 1", 0.512},
      {"cpu_final i7-10750H 6 Cores 12 Threads 2", 0.531},
      {"cpu_final Ryzen 7950X3D 16 Cores 32 Threads 0", 1.78},
      {"cpu_final Ryzen 7950X3D 16 Cores 32 Threads 1", 0.134},
      {"cpu_final Ryzen 7950X3D 16 Cores 32 Threads 2", 0.117},
      {"gpu_steps XORWOW, 16 words a battle 0", 0.03307},
      {"gpu_steps the same, as printed 0", 0.03307},
      {"gpu_steps 29 words for two battles 0", 0.03185},
      {"gpu_steps warp-level reduction 0", 0.03151},
      {"gpu_final RTX 2070 Mobile Max-Q 0", 0.03151},
      {"gpu_final RTX 4080 0", 0.00636},
      {"time_sink GPU activities: rng(int*, int) 0", 0.041459},
      {"time_sink API calls: cudaEventCreate 0", 0.055093},
      {"time_sink API calls: cudaDeviceSynchron 0", 0.041465},
      {"time_sink whole program 0", 0.1097}};
  for (const auto& [key, value] : text) {
    ASSERT_TRUE(seconds.count(key)) << key;
    EXPECT_NEAR(seconds[key], value, 1e-9) << key;
  }
  EXPECT_EQ(seconds.size(), text.size());
}

/// "0.219×10^9" and "0.378x10^9" are numbers, and so is "156178,500", as Spanish has it.
double printed_number(std::string text) {
  for (const std::string sign : {"×10^", "x10^"}) {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos) continue;
    text.erase(at, sign.size());
    text.insert(at, 1, 'e');
  }
  std::erase(text, '*');  // set in bold
  std::replace(text.begin(), text.end(), ',', '.');
  return std::stod(text);
}

TEST(PublishedFigures, ValuesAgreeWithWhatIsPrinted) {
  for (const Published& published : read_all_published(published_folder)) {
    for (const PublishedTable& table : published.tables) {
      for (const PublishedRow& row : table.rows) {
        for (const Figure& figure : row.figures) {
          // "8 and a half days" and "7-8 minutes" are words; the rest is number and unit.
          if (figure.printed.find(' ') != std::string::npos) continue;
          double value = 0;
          if (figure.seconds) value = *figure.seconds / (figure.printed.ends_with("ms") ? 1e-3 : 1);
          if (figure.units_per_second)
            value = *figure.units_per_second * published.rate.value().seconds;
          if (figure.ratio) value = *figure.ratio;
          if (value == 0) continue;
          EXPECT_NEAR(printed_number(figure.printed) / value, 1, 1e-9)
              << published.family << " " << table.id << " " << row.label;
        }
      }
    }
  }
}

/// What sweep tables say of stages, in every family: the stages, their parameters and defaults.
TEST(PublishedFigures, DefaultsOfSweepsAreTheStagesOwn) {
  for (const Published& published : read_all_published(published_folder)) {
    for (const PublishedTable& table : published.tables) {
      if (table.kind != TableKind::sweep) continue;
      const auto expect_defaults = [&](const std::string& name, std::size_t column) {
        SCOPED_TRACE(published.family + ", table " + table.id + ", " + name);
        const Stage* stage = built_stage(name);
        if (stage == nullptr) return;
        const Settings known = table.column_defaults[column];
        const Settings& held = table.column_settings[column];
        for (const auto& [parameter, value] : known) {
          // One that the column's stage lacks, for the sake of the others, is held still.
          if (!stage->defaults().has(parameter) && held.count(parameter))
            EXPECT_EQ(held.at(parameter), value) << parameter;
          else
            EXPECT_EQ(stage->defaults().at(parameter), value) << parameter;
        }
        for (const Settings& settings : {table.rows.front().settings, held})
          for (const auto& [parameter, value] : settings)
            EXPECT_TRUE(known.count(parameter)) << parameter << ": the plain row would fit nowhere";
      };
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        for (const SweepGrid& grid : table.grids) expect_defaults(grid.stage, i);
        if (table.grids.empty()) expect_defaults(table.column_stages[i], i);
      }
    }
  }
}

/// As that table says. The kernels differ in their synchronization alone: same steps, same mex.
TEST_F(Report, OfficersWaysToSynchronizeAreOfOneShape) {
  const Published officers = read_published(published_folder / "officers.json");
  std::set<std::string> shapes;
  for (std::string file : table_of(officers, "synchronization").column_stages) {
    file.replace(file.find("cuda/"), 5, "cuda_");
    const std::string source = read(fs::path(RATCHET_SOURCE_DIR) / "kernels" / (file + ".cu"));
    const std::size_t shape = source.find("using Shape = ");
    ASSERT_NE(shape, source.npos) << file;
    shapes.insert(source.substr(shape, source.find('\n', shape) - shape));
    EXPECT_HAS(source, "blocks/steps.cuh");
  }
  EXPECT_EQ(shapes.size(), 1u) << fmt::format("{}", fmt::join(shapes, " "));
}

TEST_F(Report, MeasuredColumnsAreScaledFromTheMedianThroughput) {
  store_rows("box", "graveler",
             row("graveler/cpu/08_xoshiro_x8", 0.4e9, 0) + "," +
                 row("graveler/cpu/08_xoshiro_x8", 0.5e9, 1) + "," +
                 row("graveler/cpu/08_xoshiro_x8", 9e9, 2));
  const std::string text = tables("graveler");
  EXPECT_HAS(text, "| version | time, published | locked at 2.6 GHz, published | stage | box |");
  EXPECT_HAS(text, "| 2.886s | 4.6s | `graveler/cpu/08_xoshiro_x8` | 2.000 s (61 %) |");
  // A table of which the machine measured nothing has no column of it.
  EXPECT_HAS(text, "| version | time, published | stage |\n");
}

TEST_F(Report, ScalingAndMachineTables) {
  // Four cores: the stage's own row runs on all of them.
  store_rows("box", "graveler",
             row("graveler/cpu/11_threads", 3.8e9) + "," +
                 row("graveler/cpu/11_threads/threads:1", 1e9) + "," +
                 row("graveler/cpu/11_threads/threads:2", 2e9));
  const std::string text = tables("graveler");
  EXPECT_HAS(text, "| 1 | 4.575s | 1x | 1 | 1.000 s (61 %), 1.000x, 1.000 |");
  EXPECT_HAS(text, "| 2 | 2.293s | 1.995x | 0.9976 | 500.0 ms (61 %), 2.000x, 1.000 |");
  EXPECT_HAS(text, "| 4 | 1.173s | 3.9x | 0.975 | 263.2 ms (61 %), 3.800x, 0.950 |");
  EXPECT_HAS(text, "its speed-up over one thread, and that over the threads.");
  EXPECT_HAS(text, "| 6 | 866.6ms | 5.279x | 0.8799 | - |");
  EXPECT_HAS(text, "| box (measured) | 1.000 s (61 %) | 500.0 ms (61 %) | 263.2 ms (61 %) |");
  EXPECT_HAS(text, "Cells of the article's tables that are filled: box 6 of ");  // these
}

TEST_F(Report, CellsOfAGpuAreCountedAloneAndWithThoseOfItsHost) {
  store_rows("gpu", "graveler", row("graveler/cuda/04_warp_reduce", 1e11), R"("gpu.model":"GPU",)");
  const std::string host = read_measurements(baselines() / "gpu" / "graveler.json")
                               .fingerprint()
                               .machine_slug(Device::cpu);
  store_rows(host, "graveler",
             row("graveler/cpu/08_xoshiro_x8", 0.4e9) + "," + row("graveler/cpu/05_wyrand", 1e8));
  store_rows("other", "graveler", row("graveler/cpu/05_wyrand", 1e8));
  const std::string text = tables("graveler");
  EXPECT_HAS(
      text,
      fmt::format(
          "gpu 2 of 61 (3 %), with its host {0} 4 of 61 (7 %), other 1 of 61 (2 %), {0} 2 of 61",
          host));
}

TEST_F(Report, PointsOfUseAreRowsWithSettingsOfTheirOwn) {
  const std::set<RowId> points = points_of_use(read_published(published_folder / "bmn.json"));
  EXPECT_EQ(points.size(), 7u);
  EXPECT_TRUE(points.contains("bmn/cuda/03_backlog/entries:126"));
  EXPECT_FALSE(points.contains("bmn/cuda/03_backlog"));
  EXPECT_TRUE(points_of_use(read_published(published_folder / "life.json")).empty());
}

// The hybrid as printed: the article gives figures of four counts and leaves the others empty.
TEST_F(Report, ACellThatTheArticleLeavesEmptyInAColumnWithFiguresIsNoneToFill) {
  const Published published = read_published(published_folder / "tiny_mc.json");
  store_rows("gpu", "tiny_mc", row("tiny_mc/cuda/08_full_walk", 1e9));
  std::size_t both = 0, put_right = 0;
  for (const MeasuredCell& cell :
       measured_cells(published, machines_with("tiny_mc", baselines(), {}).at(0))) {
    both += cell.place.ends_with(", both") ? 1 : 0;
    put_right += cell.place.ends_with(", both, put right") ? 1 : 0;
  }
  EXPECT_EQ(both, 4u);
  EXPECT_EQ(put_right, 18u);  // no figure in the whole column: ours
}

// What the command measured there is kept as it was written.
TEST(Reproduced, NearlyAllCellsOfTheArticlesAreFilledOnAnH200) {
  const std::filesystem::path results = RATCHET_SOURCE_DIR "/baselines/nvidia-h200/reproduce";
  std::size_t all = 0, full = 0;
  for (const char* family : {"graveler", "tiny_mc", "officers", "bmn", "life"}) {
    const Published published = read_published(published_folder / (family + std::string(".json")));
    for (const MeasuredCell& cell :
         measured_cells(published, machines_with(family, results, {}).at(0))) {
      ++all;
      full += cell.text.empty() ? 0 : 1;
    }
  }
  EXPECT_EQ(all, 543u);
  EXPECT_EQ(full, 528u);
}

TEST_F(Report, AStageThatTakesOneThreadByItselfIsNoRowOfAllProcessors) {
  store_rows("box", "bmn",
             row("bmn/cpu/02_tweaked", 4e5) + "," + row("bmn/cpu/02_tweaked/threads:2", 7e5));
  const std::string text = tables("bmn");
  EXPECT_HAS(text, "| 1 | 0.56 | 0.400 (61 %), 1.000x |");
  EXPECT_HAS(text, "| 2 | 1.1 | 0.700 (61 %), 1.750x |");
  EXPECT_HAS(text, "| 4 | 1.7 | - |");
}

TEST_F(Report, StagesBeyondTheTextAreComparedWithItsLast) {
  store_rows(
      "gpu", "graveler",
      row("graveler/cuda/04_warp_reduce", 1e11) + "," + row("graveler/cuda/05_mine", 2.5e11));
  const std::string text = tables("graveler");
  EXPECT_HAS(text, "### Beyond the article");
  EXPECT_HAS(text,
             "| `graveler/cuda/05_mine` | gpu | 4.000 ms (61 %) | 2.50x of "
             "`graveler/cuda/04_warp_reduce` |");
  EXPECT_LACKS(text, "04_warp_reduce` | gpu");
}

/// A machine of four cores.
TEST_F(Report, StagesOnACpuAreComparedWithAsManyThreads) {
  const std::string text_threads = "graveler/cpu/11_threads",
                    threads = "graveler/cpu/13_aes_weyl_threads";
  store_rows("box", "graveler",
             row("graveler/cpu/08_xoshiro_x8", 1e9) + "," + row(text_threads, 4e9) + "," +
                 row(text_threads + "/threads:2", 2e9) + "," +
                 row("graveler/cpu/12_aes_weyl", 3e9) + "," + row(threads, 10e9) + "," +
                 row(threads + "/threads:1", 2.5e9) + "," + row(threads + "/threads:2", 5e9) + "," +
                 row(threads + "/threads:6", 9e9));
  const std::string text = tables("graveler");
  const auto expect = [&](const std::string& row, const std::string& time,
                          const std::string& gain) {
    EXPECT_HAS(text, "| `" + row + "` | box | " + time + " ms (61 %) | " + gain + " |");
  };
  expect("graveler/cpu/12_aes_weyl", "333.3", "3.00x of `graveler/cpu/08_xoshiro_x8`");
  expect(threads, "100.0", "2.50x of `" + text_threads + "`");
  expect(threads + "/threads:1", "400.0", "2.50x of `graveler/cpu/08_xoshiro_x8`");
  expect(threads + "/threads:2", "200.0", "2.50x of `" + text_threads + "/threads:2`");
  expect(threads + "/threads:6", "111.1", "-");
  EXPECT_HAS(text, "`graveler/cpu/12_aes_weyl` | battles 100000000 | 333.3 ms | 61 % | (3.00x) |")
      << "over 08, not 11";
}

TEST_F(Report, EachStageHasItsSpeedItsShareOfTheLimitAndItsGain) {
  store_rows("gpu", "graveler",
             row("graveler/cuda/02_xorwow", 1e11) + "," +
                 row("graveler/cuda/02p_as_printed", 4e11) + "," +
                 row("graveler/cuda/03_29_words", 1.5e11) + "," +
                 row("graveler/cuda/04_warp_reduce/battles:1000", 3e11) + "," +
                 row("graveler/mpi/01_shards", 1e8));
  const std::string text = tables("graveler");
  EXPECT_HAS(text, "### Stage by stage on gpu");
  EXPECT_HAS(text, "| `graveler/cuda/02_xorwow` |  | 10.00 ms | 61 % | - |");
  EXPECT_HAS(text, "| `graveler/cuda/02p_as_printed` |  | 2.500 ms | 61 % | 4.00x |");
  // Over 02: what 02p computes is wrong.
  EXPECT_HAS(text, "| `graveler/cuda/03_29_words` |  | 6.667 ms | 61 % | 1.50x |");
  EXPECT_HAS(text, "| `graveler/cuda/04_warp_reduce` | battles 1000 | 3.333 ms | 61 % | (2.00x) |");
  EXPECT_HAS(text, "In brackets: the stage before was not measured at that point");
  const std::size_t other = text.find("| `graveler/mpi/01_shards` | ", text.find("### Stage by"));
  ASSERT_NE(other, text.npos);
  EXPECT_HAS(text.substr(other, text.find('\n', other) - other), "| 61 % | - |") << "its first";
}

TEST_F(Report, TimeSinkIsReadWhereItLies) {
  store_rows("gpu", "graveler", row("graveler/cuda/02_xorwow", 1e11));
  const fs::path file = baselines() / "gpu" / "graveler_timesink.json";
  const auto sink = [](const std::string& stage, const std::string& first) {
    return fmt::format(
        R"({{"stage": "{}", "first": "{}", "measured_by": "ratchet 1", "program_seconds": 0.3,
             "before_seconds": 0.004, "wall_seconds": 0.2, "start_up_seconds": 0.1,
             "start_up_call": "{}", "launch_seconds": 1e-5, "synchronize_seconds": 1e-3,
             "kernel_seconds": 1e-3, "outside_seconds": 0.0495, "rows": [
             {{"type": "API calls", "name": "cudaFree", "calls": 2, "seconds": 0.1505,
              "share": 0.9}},
             {{"type": "API calls", "name": "cudaGetDevice", "calls": 1, "seconds": 1e-6,
              "share": 1e-5}},
             {{"type": "Outside calls", "name": "preparing", "calls": 1, "seconds": 0.0495,
              "share": 1}}]}})",
        stage, first, first);
  };
  const auto file_of = [](const std::vector<std::string>& sinks) {
    return fmt::format(R"({{"time_sinks": [{}]}})", fmt::join(sinks, ", "));
  };
  const std::string stage = "graveler/cuda/04_warp_reduce";
  write(file, file_of({sink("graveler/cuda/02_xorwow", "cudaFree"), sink(stage, "cudaFree"),
                       sink(stage, "cudaEventCreate")}));
  const std::string text = tables("graveler");
  EXPECT_HAS(text, "| API calls: cudaEventCreate | 55.093ms | 46.54% |");
  EXPECT_HAS(text, "| API calls: cudaFree | 2 | 150.5 ms | 90.00 % |");
  EXPECT_HAS(text, "| Outside calls: preparing | 1 | 49.50 ms | 100.00 % |");
  EXPECT_HAS(text, "API calls and outside calls | - | 200.0 ms | - |");
  EXPECT_HAS(text, "| before the first CUDA call (CPU time) | - | 4.000 ms | - |");
  EXPECT_HAS(text, "| whole process, unobserved | - | 300.0 ms | - |");
  EXPECT_HAS(text,
             "| `graveler/cuda/04_warp_reduce` | cudaEventCreate | cudaEventCreate | 100.0 ms | "
             "1.000 ms | 49.50 ms | 300.0 ms |");
  EXPECT_HAS(text, "| `graveler/cuda/02_xorwow` | cudaFree |");
  EXPECT_LACKS(text, "cudaGetDevice") << "calls of no consequence are left out";
  write(file, file_of({sink("graveler/cuda/02_xorwow", "cudaFree")}));
  EXPECT_HAS(error_of([&] { tables("graveler"); }),
             "gpu stores a time sink of graveler/cuda/02_xorwow, but none of");
  for (const char* bad :
       {"{}", "{\"time_sinks\": 3}", "{\"time_sinks\": [{\"stage\": \"a\"}]}", "[]", "{"}) {
    write(file, bad);
    EXPECT_TRUE(error_of([&] { tables("graveler"); }).starts_with(file.string())) << bad;
  }
}

TEST_F(Report, BuildSettingsAreRatiosWithIntervals) {
  store_rows("box", "graveler", row("graveler/cpu/03_bit_and", 1e9));
  const std::string stage = "graveler/cpu/03_bit_and", other = "graveler/cpu/05_wyrand";
  const std::string faster =
      R"({"verdict":"faster","ratio":1.5617,"low":1.5504,"high":1.5802,"tolerance":0.02})";
  store_builds(
      "box", "graveler",
      {{stage + "/build:lto",
        R"({"verdict":"same","ratio":1.0031,"low":0.9991,"high":1.0059,"tolerance":0.02})"},
       {stage + "/build:native", faster},
       {other + "/build:native",
        R"({"verdict":"undecided","ratio":1.01,"low":0.99,"high":1.03})"}});
  const std::string text = tables("graveler");
  EXPECT_HAS(text, "| `-flto`, box | `-march=native`, box |\n") << "and no column without a figure";
  EXPECT_HAS(
      text, "| 03_bit_and | 40.986s → 35.526s | same (0.999 to 1.006) | 1.562x (1.550 to 1.580) |");
  EXPECT_HAS(text, "| 05_wyrand | 11.552s → 6.848s | - | 1.010x (0.990 to 1.030), undecided |");
  EXPECT_HAS(text, "\"same\" where that lies within 2 %.");
  const auto refused = [&](const std::string& name, const std::string& verdict) {
    const std::string file = store_builds("box", "graveler", {{name, verdict}}).string();
    const std::string what = error_of([&] { tables("graveler"); });
    EXPECT_TRUE(what.starts_with(file + ", row " + name)) << what;
    return what;
  };
  EXPECT_HAS(refused(stage + "/build:lto", R"({"verdict":"undecided","ratio":1.0})"),
             "no ratio with an interval");
  EXPECT_HAS(refused("life/cpu/01_scalar/build:lto", faster), "another family");
}

TEST_F(Report, ResultsOfThisMachineAreAColumn) {
  write(folder() / "here.json",
        "{\"context\":{\"cpu.cores\":\"4\",\"ratchet\":{\"format\":1}},\"benchmarks\":[" +
            row("graveler/cpu/03_bit_and", 1e9) + "]}");
  const std::string base = (fs::path(RATCHET_SOURCE_DIR) / "baselines").string();
  const ProcessResult result =
      ratchet({"tables", "graveler", "--baseline-dir", base, "--measured", folder() / "here.json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_HAS(result.output, " here |");
  EXPECT_HAS(result.output, "1.000 s (61 %) |");
}

TEST_F(Report, PublishedFilesAreReadStrictly) {
  const fs::path file = folder() / "graveler.json";
  const std::string good = read(published_folder / "graveler.json");
  const std::vector<std::array<std::string, 3>> cases = {
      {"\"unit\": \"s\"", "\"unit\": \"h\"", "unit"},
      {"\"value\": 40.986", "\"value\": -40.986", "positive"},
      {"\"kind\": \"ladder\"", "\"kind\": \"stair\"", "kind"},
      {"\"label\": \"Original\", ", "", "\"label\" is missing"},
      {"\"format\": 1", "\"format\": 2", "format"},
      {"\"columns\": [\"time\"]", "\"columns\": [\"time\", \"more\"]", "figures for 2 columns"}};
  expect_refused(file, good, cases);
}

TEST_F(Report, BlocksOfPagesAreWrittenCheckedAndNothingElseTouched) {
  fs::create_directories(baselines());
  fs::copy(published_folder, baselines() / "published");
  store_rows(
      "box", "graveler",
      row("graveler/cpu/01_naive_chacha12", 1e7) + "," + row("graveler/cpu/03_bit_and", 4e7));
  const fs::path articles = folder() / "perf" / "guide" / "articles.md";
  const fs::path evaluation = folder() / "perf" / "guide" / "evaluation.md";
  const fs::path story = folder() / "kernels" / "graveler" / "README.md";
  const std::vector<std::string> command = {
      "tables", "--readme", "--readme-file", folder() / "README.md", "--baseline-dir", baselines()};
  auto check = command;
  check.push_back("--check");
  const std::string families = "<!-- ratchet:families:begin -->\n<!-- ratchet:families:end -->";
  write(articles, families);
  write(evaluation, "<!-- ratchet:selftest:begin -->\nold\n<!-- ratchet:selftest:end -->");
  write(story,
        "Before\n<!-- ratchet:ladder:begin -->\nold\n<!-- ratchet:ladder:end -->\n"
        "<!-- ratchet:build_settings:begin -->\n<!-- ratchet:build_settings:end -->\nAfter\n");
  write(baselines() / "selftest" / "box" / "a.jsonl",
        R"({"context":{"cpu.model":"A"}})"
        "\n"
        R"({"slowdown":0,"neighbour":true,"seconds":2,"measuring_s":1.5,"rows":{"a/cpu/b":)"
        R"({"verdict":"same","ratio":1,"detectable":0.04,"log_ratios":[],"reference":[]}}})"
        "\n");
  EXPECT_EQ(ratchet(check).exit_code, 1);
  EXPECT_HAS(read(story), "old");
  EXPECT_HAS(read(evaluation), "old");
  EXPECT_EQ(ratchet(command).exit_code, 0);
  const std::string text = read(story);
  EXPECT_TRUE(text.starts_with("Before\n") && text.ends_with("\nAfter\n"));
  EXPECT_HAS(text, "| `graveler/cpu/03_bit_and` | battles 1000000 | 25.00 s | (4.00x) | 61 % |");
  EXPECT_HAS(text, "**graveler** on box");
  EXPECT_LACKS(text, "old");
  EXPECT_HAS(read(articles),
             "| [life](../../kernels/life/README.md) | Conway's Game of Life on a rectangle");
  EXPECT_HAS(read(evaluation), "**box**");
  EXPECT_HAS(read(evaluation), "| busy neighbour | 0.0 % (0 of 1; 0.0 ... 97.5 %)");
  EXPECT_LACKS(read(evaluation), "old");
  EXPECT_EQ(ratchet(check).exit_code, 0);
  for (const std::string& bad :
       {std::string("no marks"), std::string("<!-- ratchet:families:begin -->"),
        std::string("<!-- ratchet:families:end --> <!-- ratchet:families:begin -->"),
        families + families}) {
    write(articles, bad);
    EXPECT_EQ(ratchet(command).exit_code, 2) << bad;
    EXPECT_EQ(read(articles), bad);
  }
}

TEST_F(Report, CommittedPagesAreUpToDate) {
  const fs::path readme = fs::path(RATCHET_SOURCE_DIR) / "README.md";
  const fs::path guide = fs::path(RATCHET_SOURCE_DIR) / "perf" / "guide";
  EXPECT_NO_THROW(replace_block(read(guide / "articles.md"), {"families", ""}, "articles.md"));
  EXPECT_NO_THROW(replace_block(read(guide / "evaluation.md"), {"selftest", ""}, "evaluation.md"));
  const ProcessResult result =
      ratchet({"tables", "--readme", "--check", "--readme-file", readme, "--baseline-dir",
               (fs::path(RATCHET_SOURCE_DIR) / "baselines").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

/// "MACHINE STAGE" of stages that the gate measures there (of GPUs: cuda, opencl and hybrid; of
/// CPUs alone: cpu and opencl) and that have no baseline.
std::set<std::string> stages_without_a_baseline(const BaselineStore& store) {
  std::map<std::string, std::set<std::string>> stored;
  for (const StoredFile& file : store.files())
    for (const auto& [row, _] : file.content.rows) stored[file.machine].insert(row.stage());
  std::set<std::string> missing;
  for (const auto& [machine, stages] : stored) {
    const auto has = [&, &of = stages](Backend backend) {
      return std::any_of(of.begin(), of.end(),
                         [&](const std::string& stage) { return backend_of(stage) == backend; });
    };
    const bool gpu = has(Backend::cuda);
    if (!gpu && !has(Backend::cpu)) continue;  // several GPUs
    for (const Stage* stage : registry()) {
      const Backend backend = stage->info().backend;
      const bool measured =
          gpu ? backend == Backend::cuda || backend == Backend::opencl || backend == Backend::hybrid
              : backend == Backend::cpu || backend == Backend::opencl;
      if (measured && !SurveyOnly::is(stage->info().name) && !stages.count(stage->info().name))
        missing.insert(machine + " " + stage->info().name);
    }
  }
  return missing;
}

TEST(Baselines, EachMachineHasEveryStageThatTheGateMeasuresThere) {
  const BaselineStore store(fs::path(RATCHET_SOURCE_DIR) / "baselines");
  ASSERT_GE(store.files().size(), 30u);
  // Of machines that could not be had since these stages were written.
  const std::set<std::string> not_yet = {"amd-epyc-2c officers/cpu/08_planes",
                                         "amd-epyc-avx2-2c officers/cpu/08_planes",
                                         "amd-epyc-2c tiny_mc/cpu/07_radial_overlapped_openmp",
                                         "amd-epyc-avx2-2c tiny_mc/cpu/07_radial_overlapped_openmp",
                                         "intel-xeon-2c tiny_mc/cpu/07_radial_overlapped_openmp",
                                         "nvidia-h100 graveler/cuda/07_more_multiplications",
                                         "nvidia-h100 life/cuda/09_thin_halos",
                                         "nvidia-h100 officers/cuda/11_lean_front",
                                         "nvidia-h100 bmn/cuda/12_short_steps",
                                         "nvidia-h100 bmn/cuda/13_exhaustive",
                                         "nvidia-h100 life/cuda/10_crowded_border"};
  EXPECT_EQ(stages_without_a_baseline(store), not_yet);
}

}  // namespace
}  // namespace ratchet::report
