// Figures in prose are held to the stored files: what is written, what is stored, what is said.
#include <gtest/gtest.h>

#include "correctness/perf/study/report/report_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/study/report/figures/written_number.h"
#include "perf/study/report/readme.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

using Lines = std::vector<std::string>;

/// A machine "box" whose graveler/cuda/05_shared_masks takes 2 ms, with 1 % between its launches,
/// and 06_tensor_count 1 ms.
class MarkedFigures : public Report {
 protected:
  void SetUp() override {
    Report::SetUp();
    fs::create_directories(baselines());
    const std::string slow = "graveler/cuda/05_shared_masks";
    store_rows("box", "graveler",
               row(slow, 5.00e8, 0) + "," + row(slow, 4.975e8, 1) + "," + row(slow, 5.025e8, 2) +
                   "," + row("graveler/cuda/06_tensor_count", 1e9));
  }
  Lines stale_in(const std::string& file, const std::string& text) {
    write(folder() / file, text);
    return stale_figures(folder(), baselines());
  }
  Lines of_page(const std::string& text) { return stale_in("README.md", text); }
};

TEST(LastNumber, IsReadAsPeopleWriteIt) {
  const auto expect = [](const std::string& text, double value, double rounding) {
    const WrittenNumber number = last_number(text);
    EXPECT_DOUBLE_EQ(number.value, value) << text;
    EXPECT_DOUBLE_EQ(number.rounding, rounding) << text;
  };
  expect("from 2 to 1.37 ms (H200) ", 1.37, 0.005);
  expect("16 500 photons", 16500, 50);
  expect("16\u202f512", 16512, 0.5);
  expect("100 %", 100, 0.5);
  expect("186 000", 186000, 500);
  expect("54.8e12 cells", 54.8e12, 0.05e12);
  expect("25.3 * 10^12 cell", 25.3e12, 0.05e12);
  expect("1.226×10⁹", 1.226e9, 0.0005e9);
  expect("2.5×10⁻⁶", 2.5e-6, 0.05e-6);
  expect("**1.25**", 1.25, 0.005);
  expect("3.36 times 04", 3.36, 0.005);
  expect("309 M with AVX2 from 2^20 on as 04b and x86_64", 2, 0.5);
  EXPECT_THROW(last_number("none at all"), Error);
}

TEST_F(MarkedFigures, AFigureStandsForARowAndAField) {
  EXPECT_EQ(of_page("It takes **1.00 ms**<!--= box graveler/cuda/06_tensor_count ms -->, and\n"
                    "1.0e9<!--= box graveler/cuda/06_tensor_count /s --> a second at 61.4 % "
                    "<!--= box graveler/cuda/06_tensor_count limit_percent -->.\n"),
            Lines());
  EXPECT_EQ(of_page("\nIt takes 1.01 ms<!--= box graveler/cuda/06_tensor_count ms -->.\n"),
            Lines{"README.md:2: 1.01 is stale: 1 is stored (= box graveler/cuda/06_tensor_count ms "
                  ")"});
}

/// As the tables do.
TEST_F(MarkedFigures, TheShareOfTheLimitComesOfTheMachinesPeaks) {
  std::string without = row("life/cpu/01_trivial", 4e8);
  const std::string share = ",\"limit_percent\":61.4";
  store_rows("box", "life", without.erase(without.find(share), share.size()));
  const std::string page = "50 %<!--= box life/cpu/01_trivial limit_percent -->";
  EXPECT_HAS(error_of([&] { of_page(page); }), "has no figure limit_percent");
  write(baselines() / "box" / "peaks.json",
        peaks::to_json({{"cpu.scalar_ops", "operations", "", 2.08e10, ""}}, "a test"));
  EXPECT_EQ(of_page(page), Lines()) << "26 operations a cell";
}

/// A peak that is measured anew holds for rows that were stored with their share of the old one.
TEST_F(MarkedFigures, TheShareOfTheLimitIsOfThePeakThatIsKnownNow) {
  store_rows("box", "life", row("life/cpu/01_trivial", 4e8));
  EXPECT_EQ(of_page("61 %<!--= box life/cpu/01_trivial limit_percent -->"), Lines());
  write(baselines() / "box" / "peaks.json",
        peaks::to_json({{"cpu.scalar_ops", "operations", "", 2.08e10, ""}}, "a test"));
  EXPECT_EQ(of_page("50 %<!--= box life/cpu/01_trivial limit_percent -->"), Lines());
}

TEST_F(MarkedFigures, ABuildHasARatioAndItsInterval) {
  const std::string row = "graveler/cuda/06_tensor_count/build:native";
  store_builds("box", "graveler",
               {{row, R"({"verdict":"slower","ratio":0.5,"low":0.4,"high":0.6})"}});
  EXPECT_EQ(of_page("0.50 times<!--= box " + row + " ratio -->, 0.40<!--= box " + row +
                    " low --> to 0.60<!--= box " + row + " high -->"),
            Lines());
  EXPECT_EQ(of_page("0.51 times<!--= box " + row + " ratio -->").size(), 1u);
  EXPECT_HAS(error_of([&] { of_page("1<!--= box " + row + " ms -->"); }), "not ms");
}

/// However far the launches lie apart: a page says what the file holds.
TEST_F(MarkedFigures, MayBeRoundedAndNoMore) {
  EXPECT_EQ(of_page("2.00<!--= box graveler/cuda/05_shared_masks ms -->"), Lines());
  EXPECT_EQ(of_page("2.01<!--= box graveler/cuda/05_shared_masks ms -->").size(), 1u);
  EXPECT_EQ(of_page("2.00 times<!--= box graveler/cuda/05_shared_masks ms / "
                    "graveler/cuda/06_tensor_count ms -->, 0.5 G<!--= box "
                    "graveler/cuda/05_shared_masks /s * 1e-9 -->"),
            Lines());
  EXPECT_EQ(of_page("2.2 times<!--= box graveler/cuda/05_shared_masks ms / "
                    "graveler/cuda/06_tensor_count ms -->")
                .size(),
            1u);
}

TEST(DigitsFor, AreAsManyAsWereWritten) {
  const auto now = [](const std::string& text, double value) {
    return digits_for(last_number(text), value);
  };
  EXPECT_EQ(now("1.37 ms", 1.3774), "1.38");
  EXPECT_EQ(now("16 500", 16449), "16 400");
  EXPECT_EQ(now("9 120 000", 12.125e6), "12 130 000");
  EXPECT_EQ(now("0.5", 12.24), "12.2");
  EXPECT_EQ(now("1 010.5", 99.96), "100.0");
  EXPECT_EQ(now("54.8e12", 54.72e12), "54.7");
  EXPECT_EQ(now("1.226×10⁹", 1.2e9), "1.200");
  EXPECT_EQ(now("309", 329.7), "330");
}

TEST_F(MarkedFigures, AreWrittenOverWhereTheyAreStale) {
  const std::string row = "graveler/cuda/06_tensor_count";
  const auto file = folder() / "README.md";
  write(file, "1.1 and 1.1 ms<!--= box " + row + " ms -->, x86_64, 1.1×10⁹<!--= box " + row +
                  " /s -->, 1\u202f100\u202f000<!--= box " + row + " /s * 1e-3 -->, 1.0<!--= box " +
                  row + " ms -->\n");
  EXPECT_EQ(rewrite_figures(folder(), baselines()),
            (Lines{"README.md:1: 1 000 000 is written for 1 100 000",
                   "README.md:1: 1.0 is written for 1.1", "README.md:1: 1.0 is written for 1.1"}));
  EXPECT_EQ(read_text(file), "1.1 and 1.0 ms<!--= box " + row +
                                 " ms -->, x86_64, 1.0×10⁹<!--= box " + row +
                                 " /s -->, 1 000 000<!--= box " + row +
                                 " /s * 1e-3 -->, 1.0<!--= box " + row + " ms -->\n");
  EXPECT_EQ(stale_figures(folder(), baselines()), Lines());
  EXPECT_EQ(rewrite_figures(folder(), baselines()), Lines());
}

TEST_F(MarkedFigures, PeaksOfAMachineAreTerms) {
  write(baselines() / "box/peaks.json",
        peaks::to_json({{"cuda.ffs", "lane operations", "lowest set bit", 2e12, ""},
                        {"cuda.popc", "lane operations", "POPC", 4e12, ""}},
                       "a test"));
  EXPECT_EQ(of_page("2.0e12<!--= box cuda.ffs -->, 2.00 times<!--= box cuda.popc / cuda.ffs -->"),
            Lines());
  EXPECT_EQ(of_page("2.1e12<!--= box cuda.ffs -->"),
            Lines{"README.md:1: 2.1e12 is stale: 2e+12 is stored (= box cuda.ffs )"});
  EXPECT_HAS(error_of([&] { of_page("1<!--= box cuda.lop9 -->"); }), "box has no peak cuda.lop9");
  EXPECT_HAS(error_of([&] { of_page("1<!--= crate cuda.ffs -->"); }), "crate/peaks.json");
}

TEST_F(MarkedFigures, TheRivalOfAFamilyIsATerm) {
  fs::create_directories(baselines() / "published");
  auto published = read_json(std::string(RATCHET_SOURCE_DIR) + "/baselines/published/life.json");
  published["rival"]["machine"] = "box";
  published["rival"]["value"] = 2e13;
  write(baselines() / "published/life.json", published.dump());
  EXPECT_EQ(of_page("20<!--= box rival life * 1e-12 -->"), Lines());
  EXPECT_EQ(of_page("21<!--= box rival life * 1e-12 -->").size(), 1u);
  EXPECT_HAS(error_of([&] { of_page("1<!--= crate rival life -->"); }), "no rival on crate");
  published.erase("rival");
  write(baselines() / "published/life.json", published.dump());
  EXPECT_HAS(error_of([&] { of_page("1<!--= box rival life -->"); }), "states no rival on box");
}

/// A new baseline edits no source: what stands in one is held to nothing.
TEST_F(MarkedFigures, StandInPagesAlone) {
  const std::string mark = "1.10 ms<!--= box graveler/cuda/06_tensor_count ms -->";
  EXPECT_EQ(stale_in("kernels/graveler/README.md", mark).size(), 1u);
  const std::string source = "// " + mark + "\n";
  const auto file = folder() / "kernels/graveler/cuda_06_tensor_count.cu";
  write(file, source);
  EXPECT_EQ(stale_figures(folder(), baselines()).size(), 1u) << "the page's";
  EXPECT_EQ(rewrite_figures(folder(), baselines()).size(), 1u);
  EXPECT_EQ(read_text(file), source);
}

TEST_F(MarkedFigures, MarksThatCannotBeReadAreNamed) {
  const auto said = [&](const std::string& text) { return error_of([&] { of_page(text); }); };
  const std::string row = "graveler/cuda/06_tensor_count";
  EXPECT_HAS(said("\n1 <!--= crate " + row + " ms -->"), "README.md:2, mark \"<!--= crate");
  EXPECT_HAS(said("1 <!--= crate " + row + " ms -->"), "holds no graveler of crate");
  EXPECT_HAS(said("1 <!--= box graveler/cuda/99 ms -->"), "box has no row graveler/cuda/99");
  EXPECT_HAS(said("1 <!--= box " + row + " hertz -->"), "has no figure hertz");
  EXPECT_HAS(said("1 <!--= box " + row + " -->"), "it ends where a field is wanted");
  EXPECT_HAS(said("1 <!--= box ms -->"), "it names no row");
  EXPECT_HAS(said("1 <!--= -->"), "it ends where a machine is wanted");
  EXPECT_HAS(said("1 <!--= box " + row + " ms ms -->"),
             "the end is expected here, but there is ms");
  EXPECT_HAS(said("one <!--= box " + row + " ms -->"), "there is no number before it");
}

}  // namespace
}  // namespace ratchet::report
