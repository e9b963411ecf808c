// The statistics of the checks against known values, and their false-alarm rate and power by trial.
#include "correctness/support/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "correctness/support/binomial_law.h"
#include "correctness/support/bit_columns.h"
#include "correctness/support/data_file.h"
#include "correctness/support/error_of.h"
#include "perf/support/error.h"

namespace ratchet::correctness {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Statistics, NormalAndChiSquareTails) {
  EXPECT_NEAR(two_sided_p(1.959963984540054), 0.05, 1e-12);
  EXPECT_NEAR(two_sided_p(-6.466951), 1e-10, 1e-13);
  EXPECT_NEAR(critical_z(), 6.466951, 1e-5);
  EXPECT_NEAR(detectable_z() - critical_z(), 2.326348, 1e-5);
  EXPECT_NEAR(chi_square_p(18.307038053275, 10), 0.05, 1e-10);
  EXPECT_TRUE(std::isnan(two_sided_p(kNaN)));
  EXPECT_TRUE(std::isnan(chi_square_p(1, 0)));
}

TEST(Statistics, HolmAndBonferroni) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15);
  EXPECT_DOUBLE_EQ(bonferroni(0.01, 4), 0.04);
  EXPECT_DOUBLE_EQ(bonferroni(0.5, 4), 1);
  EXPECT_TRUE(std::isnan(bonferroni(kNaN, 4)));
}

TEST(Statistics, ExactBinomialTest) {
  EXPECT_NEAR(binomial_p(0, 10, 0.5), 2 / 1024.0, 1e-12);
  EXPECT_NEAR(binomial_p(10, 10, 0.5), 2 / 1024.0, 1e-12);
  EXPECT_DOUBLE_EQ(binomial_p(5, 10, 0.5), 1);
  EXPECT_DOUBLE_EQ(binomial_p(11, 10, 0.5), 0);
}

TEST(Statistics, DetectableNoncentralityIsDetectedAsPromised) {
  // One degree of freedom is a squared normal: the exact and the chi-square power agree.
  EXPECT_NEAR(std::sqrt(detectable_noncentrality(1)), detectable_z(), 1e-6);
  // The normal approximation takes over smoothly.
  EXPECT_NEAR(detectable_noncentrality(2001) / detectable_noncentrality(1999), 1.0, 0.02);
}

TEST(Statistics, GoodnessOfFitPoolsAndRejects) {
  const std::vector<double> law{0.0, 0.1, 0.2, 0.4, 0.2, 0.1};
  const std::vector<std::uint64_t> fair{0, 100, 200, 400, 200, 100};
  const GoodnessOfFit fit = goodness_of_fit(fair, law, 150);
  EXPECT_EQ(fit.degrees, 2);  // 0+1+2, 3, 4 and the thin rest
  EXPECT_NEAR(fit.chi_square, 0, 1e-12);
  const std::vector<std::uint64_t> biased{0, 200, 200, 400, 200, 0};
  EXPECT_LT(goodness_of_fit(biased, law, 50).p, 1e-10);
  EXPECT_TRUE(std::isnan(goodness_of_fit(fair, law, 5000).p));
  EXPECT_TRUE(std::isnan(goodness_of_fit(std::vector<std::uint64_t>(6), law, 1).p));
  EXPECT_TRUE(std::isnan(goodness_of_fit(std::vector<std::uint64_t>(5), law, 1).p));
}

TEST(Statistics, FalseAlarmsComeAtTheirRate) {
  // p-values of the pooled test are uniform under the law: 1 % of 4000 below 0.01, give or take.
  const BinomialLaw law(20);
  std::mt19937_64 engine(1);
  std::discrete_distribution<int> draw(law.pmf().begin(), law.pmf().end());
  int below = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<std::uint64_t> counts(21);
    for (int i = 0; i < 5000; ++i) ++counts[static_cast<std::size_t>(draw(engine))];
    const GoodnessOfFit fit = goodness_of_fit(counts, law.pmf());
    below += chi_square_p(fit.chi_square, fit.degrees) < 0.01;
  }
  EXPECT_GT(binomial_p(static_cast<std::uint64_t>(below), 4000, 0.01), 1e-6) << below;
}

TEST(ZScans, FindOneStrongAndManyWeakDeviations) {
  ZScan strong("s"), weak("w"), fair("f"), broken("n"), empty("e");
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < 1000; ++i) {
    const double z = normal(engine);
    fair.add(z, i, i);
    strong.add(i == 500 ? 9.0 : z, i, i);
    weak.add(1.3 * z, i, i);
    broken.add(i == 0 ? kNaN : z, i, i);
  }
  EXPECT_FALSE(any_rejected(fair.tests(1, "x")));
  EXPECT_TRUE(strong.tests(1, "x")[0].rejected());
  EXPECT_NE(strong.tests(1, "x")[0].seen.find("500"), std::string::npos);
  EXPECT_TRUE(weak.tests(1, "x")[1].rejected());
  for (const TestResult& test : broken.tests(1, "x")) EXPECT_TRUE(test.rejected());
  EXPECT_TRUE(any_rejected(empty.tests(1, "x")));
}

TEST(TestResults, SummariseInOneLine) {
  const TestResults tests{
      exact("one", true, "a"), exact("two", false, "b"), {"three", "c", kNaN, ""}};
  EXPECT_TRUE(any_rejected(tests));
  const std::string line = summary(tests);
  EXPECT_EQ(line.find("one"), line.npos);
  EXPECT_NE(line.find("two: b"), line.npos);
  EXPECT_NE(line.find("three: c"), line.npos);
  EXPECT_EQ(summary({exact("one", true, "a")}), "one");
}

TEST(BinomialLaws, AgreeWithTheOracle) {
  const BinomialLaw law(231);
  const auto oracle = read_order_statistics(data_file("graveler/oracles/order_stats.tsv"));
  double mean = 0;
  for (const OrderStatistic& row : oracle) {
    EXPECT_NEAR(law.pmf()[row.ones] / row.pmf, 1, 1e-11) << row.ones;
    EXPECT_NEAR(law.tail(row.ones) / row.tail, 1, 1e-11) << row.ones;
    EXPECT_NEAR(law.maximum_cdf(row.ones, 1'000'000'000), row.maximum_cdf, 1e-11) << row.ones;
    EXPECT_NEAR(law.maximum_pmf(1'000'000'000)[row.ones], row.maximum_pmf, 1e-11) << row.ones;
    mean += row.ones * law.maximum_pmf(1'000'000'000)[row.ones];
  }
  EXPECT_NEAR(mean, 100.2238308864, 1e-8);
  EXPECT_DOUBLE_EQ(law.mean(), 57.75);
  EXPECT_DOUBLE_EQ(law.variance(), 43.3125);
  double fourth = 0;
  for (unsigned k = 0; k <= 231; ++k) fourth += law.pmf()[k] * std::pow(k - 57.75, 4);
  EXPECT_NEAR(law.fourth_moment() / fourth, 1, 1e-12);
}

TEST(BinomialLaws, RefuseABadOracle) {
  EXPECT_THROW(read_order_statistics("/nonexistent"), Error);
  const std::string path = testing::TempDir() + "ratchet_bad_oracle.tsv";
  std::ofstream(path) << "# comment\n0\t1e-3\t1\t0\t0\n2\t1\t1\t1\t1\n";
  EXPECT_THROW(read_order_statistics(path), Error);
}

TEST(BitColumnsCounts, AgreeWithTheDefinition) {
  constexpr std::size_t kColumns = 5, kRows = 1000;
  BitColumns columns(kColumns, kRows);
  std::mt19937_64 engine(3);
  std::vector<std::vector<bool>> plain(kColumns, std::vector<bool>(kRows));
  for (std::size_t i = 0; i < kColumns; ++i)
    for (std::size_t r = 0; r < kRows; ++r)
      if (engine() % 3 == 0) columns.set(i, r), plain[i][r] = true;
  for (const std::size_t lag : {0, 1, 63, 64, 65, 129}) {
    const BitColumns later = columns.shifted(lag);
    ASSERT_EQ(later.rows(), kRows - lag);
    const std::size_t words = later.rows() / 64;
    const auto pairs = count_pairs(columns, later, words);
    for (std::size_t i = 0; i < kColumns; ++i)
      for (std::size_t j = 0; j < kColumns; ++j) {
        std::uint64_t expected = 0;
        for (std::size_t r = 0; r < 64 * words; ++r) expected += plain[i][r] && plain[j][r + lag];
        EXPECT_EQ(pairs[i * kColumns + j], expected) << i << " " << j << " " << lag;
      }
  }
}

TEST(DataFile, AProgramThatWasCarriedSaysHowItFindsItsFiles) {
  ASSERT_TRUE(open_data_file("graveler/oracles/order_stats.tsv").is_open());
  setenv("RATCHET_DATA_DIR", "/nowhere", 1);
  EXPECT_EQ(
      error_of([] { open_data_file("graveler/oracles/order_stats.tsv"); }),
      "/nowhere/graveler/oracles/order_stats.tsv: cannot be read; set RATCHET_DATA_DIR to the "
      "folder correctness/ of the repository that this program was built of");
  unsetenv("RATCHET_DATA_DIR");
}

}  // namespace
}  // namespace ratchet::correctness
