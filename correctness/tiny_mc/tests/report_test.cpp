// The tables and plots of tiny_mc: marks of wrong physics, sweeps, and the curves of heat against
// exact theory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "correctness/perf/study/report/report_fixture.h"
#include "correctness/support/binomial_law.h"
#include "correctness/support/data_file.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "correctness/tiny_mc/checks/heat_curve.h"
#include "perf/study/report/plots/plot.h"

namespace ratchet::report {
namespace {

using tiny_mc::HeatCurve;

Published tiny_mc_figures() { return read_published(published_folder / "tiny_mc.json"); }

class TinyMcTables : public Report {
 protected:
  void SetUp() override {
    Report::SetUp();
    store_rows("gpu", "tiny_mc",
               row(wrong, 3.43e9, 0, 1 << 30) + "," + row(right, 0.137e9, 0, 1 << 26) + "," +
                   row(ours, 9.13e9, 0, 1 << 30) + "," + row(sound, 9.44e9, 0, 1 << 30) + "," +
                   row(radial, 16.06e9, 0, 1 << 30));
    write(baselines() / "gpu" / "tiny_mc_sweep_a.json",
          R"({"context": {}, "benchmarks": [)" +
              row(wrong + "/photons:268435456", 3.42e9, 0, 1 << 28) + "," +
              row(wrong + "/photons:268435456/block_threads:16", 1.5e9, 0, 1 << 28) + "," +
              row(wrong + "/photons:536870912/block_threads:16", 1.6e9, 0, 1 << 29) + "," +
              row(right + "/photons:33554432/block_threads:16/photons_per_thread:2048", 0.05e9, 0,
                  1 << 25) +
              "," + row(ours + "/photons:16384", 0.2e9, 0, 1 << 14) + "]}");
  }
  inline static const std::string wrong = "tiny_mc/cuda/01p_as_printed";
  inline static const std::string right = "tiny_mc/cuda/04_three_level";
  inline static const std::string ours = "tiny_mc/cuda/08_full_walk";
  inline static const std::string sound = "tiny_mc/cuda/10_full_cross64";  ///< words that pass
  inline static const std::string radial = "tiny_mc/cuda/09_radial_walk";
};

/// No table says a speed of wrong photons, or of words that a judge refuses, without saying so, nor
/// mixes the two walks up.
TEST_F(TinyMcTables, NoStageStandsWithoutItsMark) {
  const Published published = tiny_mc_figures();
  const auto machines = machines_with("tiny_mc", baselines(), {});
  const std::map<std::string, std::string> marks = {
      {wrong, " (full walk, **wrong physics**)"},
      {right, " (full walk)"},
      {ours, " (full walk, words fail PractRand)"},
      {sound, " (full walk)"},
      {radial, " (radial walk, words fail PractRand)"}};
  const std::string rungs = markdown(ladder(published, machines.front()));
  const std::string all = markdown(family_tables(published, machines)) + rungs;
  for (const auto& [stage, mark] : marks) {
    EXPECT_HAS(rungs, "`" + stage + "`" + mark);
    std::size_t found = 0;
    for (std::size_t at = 0; (at = all.find("`" + stage, at)) != std::string::npos; ++at) {
      ++found;
      const std::size_t end = all.find('`', at + 1) + 1;
      EXPECT_EQ(all.substr(end, mark.size()), mark) << all.substr(at, 120);
    }
    EXPECT_GE(found, 2u) << stage;
  }
  EXPECT_HAS(all, "| `" + ours +
                      "` (full walk, words fail PractRand) | gpu | 9.130×10⁶ (61 %) | 2.66x of `" +
                      wrong + "` (full walk, **wrong physics**) |");
  EXPECT_HAS(all, "| - | `" + sound + "` (full walk) | `" + right + "` (full walk) | 68.91x |");
}

TEST_F(TinyMcTables, SweepsHaveAGridForTheWrongAndTheRightKernel) {
  const std::string text = tables("tiny_mc");
  const std::string grid =
      "| photons per thread, gpu, `" + wrong +
      "` (full walk, **wrong physics**), photons:268435456 | 16 | 32 | 64 | 128 |";
  EXPECT_HAS(text, grid);
  const std::string rows = text.substr(text.find(grid));
  EXPECT_HAS(rows.substr(0, rows.find("\n\n")), "| 256 | 1.500×10⁶ | - | - | 3.420×10⁶ | - | - |")
      << "every cell with the photons of the others, not those of the stage's own row";
  EXPECT_HAS(text,
             "| photons per thread, gpu, `" + right + "` (full walk), photons:33554432 | 16 |");
  EXPECT_HAS(text, "| 2048 | 50.00×10³ | - | - | - | - | - |");
  EXPECT_HAS(text, "| photons, gpu | CPU: `tiny_mc/cpu/03_simd_openmp` (full walk) | GPU: `" +
                       wrong + "` (full walk, **wrong physics**) | both: `tiny_mc/hybrid/");
  EXPECT_HAS(text, "| 16384 | - | - | - | - | 200.0×10³ |");
  EXPECT_HAS(text, "| 268435456 | - | 3.420×10⁶ | - | - | - |");
  EXPECT_HAS(text, "| 1073741824 | - | 3.430×10⁶ | - | - | 9.130×10⁶ |")
      << "plain rows stand at their stages' own defaults";
  EXPECT_HAS(text, "| 67108864 | - | - | - | 137.0×10³ | - |");
}

TEST_F(TinyMcTables, LadderDoesNotStartAtAPointThatOnlyASweepHas) {
  const std::string cpu = "tiny_mc/cpu/03_simd_openmp/photons:134217728";
  write(baselines() / "gpu" / "tiny_mc_sweep_b.json",
        R"({"context": {}, "benchmarks": [)" + row(cpu, 0.0343e9, 0, 1 << 27) + "]}");
  const auto machines = machines_with("tiny_mc", baselines(), {});
  const std::string rungs = markdown(ladder(tiny_mc_figures(), machines.front()));
  EXPECT_HAS(rungs,
             "| `tiny_mc/cpu/03_simd_openmp` (full walk) | photons 134217728 | 34.30×10³ | "
             "(0.01x) | 61 % |");
  EXPECT_HAS(rungs,
             "| `" + wrong + "` (full walk, **wrong physics**) |  | 3.430×10⁶ | 1.00x | 61 % |");
}

/// Each rung against the first stage at the very point of the rung; where that was not measured, in
/// brackets against its own.
TEST_F(TinyMcTables, LadderComparesLikeWithLike) {
  const auto rungs = [&] {
    return markdown(ladder(tiny_mc_figures(), machines_with("tiny_mc", baselines(), {}).front()));
  };
  EXPECT_HAS(rungs(), "| `" + right + "` (full walk) | photons 67108864 | 137.0×10³ | (0.04x) |");
  EXPECT_HAS(rungs(),
             "| `" + ours + "` (full walk, words fail PractRand) |  | 9.130×10⁶ | 2.66x |");
  EXPECT_HAS(rungs(), "In brackets: the first stage was not measured at that point");
  write(baselines() / "gpu" / "tiny_mc_sweep_b.json",
        R"({"context": {}, "benchmarks": [)" +
            row(wrong + "/photons:67108864", 2.74e9, 0, 1 << 26) + "," +
            row(wrong + "/photons:67108864/block_threads:16", 1e9, 0, 1 << 26) + "]}");
  EXPECT_HAS(rungs(), "| `" + right + "` (full walk) | photons 67108864 | 137.0×10³ | 0.05x |");
  EXPECT_LACKS(rungs(), "In brackets");
}

/// The text's largest number is one less than a power of two, which was measured in its place.
TEST_F(TinyMcTables, ACellMayBeOfNearlyItsSettingsAndSaysSo) {
  const std::string cpu = "tiny_mc/cpu/03_simd_openmp/photons:2147483648";
  write(baselines() / "gpu" / "tiny_mc_sweep_b.json",
        R"({"context": {}, "benchmarks": [)" + row(cpu, 0.056e9, 0, 1ull << 31) + "]}");
  EXPECT_HAS(tables("tiny_mc"), "| 2147483647 | 56.00×10³ at photons:2147483648 | - |");
}

TEST_F(TinyMcTables, SweepPointsAreNoStagesBeyondTheText) {
  const std::string text = tables("tiny_mc");
  const std::size_t start = text.find("### Beyond the article");
  const std::string beyond = text.substr(start, text.find("\n### ", start) - start);
  EXPECT_HAS(beyond, "`" + ours + "`");
  EXPECT_HAS(beyond, "`" + radial + "`");
  EXPECT_LACKS(beyond, "photons:16384");
  EXPECT_LACKS(beyond, "| `" + right);
}

TEST_F(TinyMcTables, BlockSizesShareTheirColoursAcrossPanels) {
  const Published published = tiny_mc_figures();
  const PlotSpec& plot = plot_of(published, "block_sweep");
  const auto series = plot_series(plot, machines_with("tiny_mc", baselines(), {}), baselines());
  ASSERT_EQ(series.size(), 8u) << "six published, two block sizes measured";
  EXPECT_EQ(series[6].label, series[0].label) << "16 threads, published and measured";
  EXPECT_EQ(series[7].label, series[3].label) << "128 threads";
  EXPECT_EQ(series[6].panel, "gpu");
  EXPECT_EQ(series[7].points.at(0).y, 3.42e6) << "with 2^28 photons, as the others";
  EXPECT_EQ(plot.y.scale, Scale::linear) << "64 and 512 threads lie within some per cent";
  EXPECT_HAS(plot.title, "(wrong physics)");
}

/// Heat 1 or 3 a photon by turns in every shell; or a photon too few.
class AlternatingStage final : public tiny_mc::PhotonStage {
 public:
  explicit AlternatingStage(bool loses)
      : PhotonStage(tiny_mc::stage_info({.name = "tiny_mc/cpu/90_fake",
                                         .summary = "fake",
                                         .source = "ratchet",
                                         .parameters = tiny_mc::common_parameters(8)}),
                    tiny_mc::Walk::full),
        loses_(loses) {}
  std::unique_ptr<tiny_mc::Transport> prepare_transport(const Parameters& p) const override {
    struct Alternating final : tiny_mc::Transport {
      std::uint64_t photons = 0, lost = 0;
      int ran = 0;
      void run() override { ++ran; }
      std::uint64_t units() const override { return photons; }
      tiny_mc::Tally collect() override {
        tiny_mc::Tally tally(101);
        tally.photons = photons - lost;
        for (double& heat : tally.heat) heat = static_cast<double>(photons) * (ran % 2 ? 1 : 3);
        return tally;
      }
    };
    auto transport = std::make_unique<Alternating>();
    transport->photons = p.at("photons");
    transport->lost = loses_;
    return transport;
  }
  tiny_mc::Trace trace(const Parameters&, std::uint32_t) const override { return {}; }

 private:
  bool loses_;
};

std::vector<tiny_mc::OracleRow> oracle() {
  return tiny_mc::read_heat_oracle(correctness::data_file("tiny_mc/oracles/heat_reference.tsv"));
}

TEST(HeatCurves, MeanAndStandardErrorOverRuns) {
  const HeatCurve curve = tiny_mc::measure_heat(AlternatingStage(false), 10, 4, 1);
  ASSERT_EQ(curve.heat.size(), 101u);
  EXPECT_DOUBLE_EQ(curve.heat[7], 2);
  EXPECT_DOUBLE_EQ(curve.standard_error[7], std::sqrt(4.0 / 3 / 4));  // of 1, 3, 1, 3
  EXPECT_EQ(error_of([] { tiny_mc::measure_heat(AlternatingStage(true), 10, 4, 1); }),
            "tiny_mc/cpu/90_fake: 9 photons simulated, 10 asked for");
  EXPECT_HAS(error_of([] { tiny_mc::measure_heat(AlternatingStage(false), 10, 1, 1); }),
             "two runs");
}

TEST(HeatCurves, TellRightFromWrongPhysics) {
  const auto worst = [](const char* name) {
    const auto* stage = dynamic_cast<const tiny_mc::PhotonStage*>(find_stage(name));
    const HeatCurve curve = tiny_mc::measure_heat(*stage, 20'000, 64, 1);
    double most = 0;
    for (const auto& row : oracle()) most = std::max(most, std::abs(z_score(curve, row)));
    return most;
  };
  // Student's t of 63 degrees, 101 shells: beyond 6.5 with a chance of 1e-6. The seed is fixed.
  EXPECT_LT(worst("tiny_mc/cpu/04_direct"), 6.5);
  EXPECT_LT(worst("tiny_mc/cpu/05_radial"), 6.5);
  EXPECT_GT(worst("tiny_mc/cpu/04p_as_printed"), 1000);
}

TEST_F(Report, HeatCurvesAreWrittenWhereThePlotFindsThem) {
  const std::vector<std::string> common = {built_program("correctness/tiny_mc_heat"),
                                           "--photons",
                                           "5000",
                                           "--runs",
                                           "8",
                                           "--baseline-dir",
                                           baselines()};
  auto command = common;
  command.insert(command.end(), {"tiny_mc/cpu/05_radial", "tiny_mc/cpu/04_direct"});
  const ProcessResult written = run_process(command, 60);
  EXPECT_EQ(written.exit_code, 0) << written.errors;
  EXPECT_HAS(written.output, "tiny_mc/cpu/05_radial: 40000 photons; z = ");
  fs::create_directories(baselines());
  fs::copy(published_folder, baselines() / "published");
  const fs::path data = folder() / "correctness" / "tiny_mc" / "oracles";
  fs::create_directories(data);
  fs::copy(correctness::data_file("tiny_mc/oracles/heat_reference.tsv"), data);
  const Published published = tiny_mc_figures();
  const auto series = plot_series(plot_of(published, "heat"), {}, baselines());
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[2].label, "exact transport theory") << "drawn over the others";
  EXPECT_TRUE(series[0].label.starts_with("full walk: 04_direct on ")) << series[0].label;
  EXPECT_TRUE(series[1].label.starts_with("radial walk: 05_radial on ")) << series[1].label;
  for (const PlotSeries& curve : series) {
    ASSERT_EQ(curve.points.size(), 101u);
    EXPECT_EQ(curve.points[1].x, 50);
    EXPECT_NEAR(curve.points[100].y, 2.383265e-2, 2e-3) << curve.label;
  }
  auto unknown = common;
  unknown.insert(unknown.end(), {"tiny_mc/cpu/05_radial", "tiny_mc/cpu/99_none"});
  const ProcessResult refused = run_process(unknown, 60);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.errors, "tiny_mc/cpu/99_none: no such stage");
  auto fewer = common;
  fewer.push_back("tiny_mc/cpu/05_radial");
  const ProcessResult kept = run_process(fewer, 60);
  EXPECT_EQ(kept.exit_code, 2) << "the other curve would be lost";
  EXPECT_HAS(kept.errors, "tiny_mc_heat.tsv has a curve of tiny_mc/cpu/04_direct, too");
}

}  // namespace
}  // namespace ratchet::report
