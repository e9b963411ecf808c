// Figures in prose are held to the stored files: what is written, what is stored, what is said.
#include "perf/report/marked_figures.h"

#include <gtest/gtest.h>

#include "correctness/harness/report/report_fixture.h"
#include "perf/limits/limits.h"

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
  Lines of_head(const std::string& text) {
    return stale_in("kernels/graveler/cuda_06_tensor_count.cu", text);
  }
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

TEST_F(MarkedFigures, LaunchesMayDifferAndRatiosAreOfMedians) {
  // Half of 1 % of 2 ms, and half of the last digit.
  EXPECT_EQ(of_page("2.010<!--= box graveler/cuda/05_shared_masks ms -->"), Lines());
  EXPECT_EQ(of_page("2.016<!--= box graveler/cuda/05_shared_masks ms -->").size(), 1u);
  EXPECT_EQ(of_page("2.00 times<!--= box graveler/cuda/05_shared_masks ms / "
                    "graveler/cuda/06_tensor_count ms -->, 0.5 G<!--= box "
                    "graveler/cuda/05_shared_masks /s * 1e-9 -->"),
            Lines());
  EXPECT_EQ(of_page("2.2 times<!--= box graveler/cuda/05_shared_masks ms / "
                    "graveler/cuda/06_tensor_count ms -->")
                .size(),
            1u);
}

TEST_F(MarkedFigures, CeilingsOfAMachineAreTerms) {
  write(baselines() / "box/limits.json",
        limits::to_json({{"cuda.ffs", "lane operations", "lowest set bit", 2e12, ""},
                         {"cuda.popc", "lane operations", "POPC", 4e12, ""}}));
  EXPECT_EQ(of_page("2.0e12<!--= box cuda.ffs -->, 2.00 times<!--= box cuda.popc / cuda.ffs -->"),
            Lines());
  EXPECT_EQ(of_page("2.1e12<!--= box cuda.ffs -->"),
            Lines{"README.md:1: 2.1e12 is stale: 2e+12 is stored (= box cuda.ffs )"});
  EXPECT_HAS(message([&] { of_page("1<!--= box cuda.lop9 -->"); }), "box has no ceiling cuda.lop9");
  EXPECT_HAS(message([&] { of_page("1<!--= crate cuda.ffs -->"); }), "crate/limits.json");
}

TEST_F(MarkedFigures, TheHeadOfAStageSpeaksOfThatStage) {
  EXPECT_EQ(of_head("// Got:      1.00 ms {= box ms}, 2.00 times 05 {= box 05_shared_masks\n"
                    "//           ms / ms}.\n// Source:   ratchet.\nint a{1};\n"),
            Lines());
  EXPECT_EQ(of_head("// Got:      1.10 ms {= box ms}.\n"),
            Lines{"kernels/graveler/cuda_06_tensor_count.cu:1: 1.10 is stale: 1 is stored (= box "
                  "ms)"});
  EXPECT_EQ(of_head("// Got:      1.10 ms.\n"),
            Lines{"kernels/graveler/cuda_06_tensor_count.cu: what it got names no stored figure "
                  "({= MACHINE FIELD})"});
  EXPECT_EQ(of_head("// Got:      no baseline is kept.\n// Source:   the 3rd.\n"), Lines());
  EXPECT_EQ(of_head("// Source: ratchet.\nint a = {= box ms};\n"), Lines()) << "no comment";
}

TEST_F(MarkedFigures, MarksThatCannotBeReadAreNamed) {
  const auto said = [&](const std::string& text) { return message([&] { of_page(text); }); };
  const std::string row = "graveler/cuda/06_tensor_count";
  EXPECT_HAS(said("\n1 <!--= crate " + row + " ms -->"), "README.md:2, mark \"<!--= crate");
  EXPECT_HAS(said("1 <!--= crate " + row + " ms -->"), "holds no graveler of crate");
  EXPECT_HAS(said("1 <!--= box graveler/cuda/99 ms -->"), "box has no row graveler/cuda/99");
  EXPECT_HAS(said("1 <!--= box " + row + " hertz -->"), "has no figure hertz");
  EXPECT_HAS(said("1 <!--= box " + row + " -->"), "it ends where a field is wanted");
  EXPECT_HAS(said("1 <!--= box ms -->"), "it names no row");
  EXPECT_HAS(said("1 <!--= -->"), "it ends where a machine is wanted");
  EXPECT_HAS(said("1 <!--= box " + row + " ms ms -->"), "nothing can follow, but there is ms");
  EXPECT_HAS(said("one <!--= box " + row + " ms -->"), "there is no number before it");
}

}  // namespace
}  // namespace ratchet::report
