// Why a CPU row's time is the lower quartile of its samples: launches of one build, simulated, must
// lie close together.
#include "perf/stats/quantile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "correctness/perf/measure/fixture.h"

namespace ratchet::timing {
namespace {

constexpr int kSamples = 30;
constexpr int kLaunches = 1000;

/// Draws by inversion from a fixed seed: the same on every machine.
class Draws {
 public:
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }
  double noise(double width) {  // a sum of twelve is normal enough
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return std::exp(width * sum);
  }

 private:
  std::mt19937_64 engine_{12345};
};

/// Relative standard deviation between launches, in per cent, by the quantile `p`.
double between_launches(double p, const std::function<std::vector<double>(Draws&)>& launch) {
  Draws draws;
  double sum = 0, squares = 0;
  for (int i = 0; i < kLaunches; ++i) {
    const double time = std::log(stats::quantile(launch(draws), p));
    sum += time;
    squares += time * time;
  }
  const double mean = sum / kLaunches;
  return 100 * std::sqrt(squares / kLaunches - mean * mean);
}

std::vector<double> quiet(Draws& draws) {
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) samples.push_back(draws.noise(0.01));
  return samples;
}

std::vector<double> skewed(Draws& draws) {
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) samples.push_back(1 + draws.exponential(0.01));
  return samples;
}

/// Each launch meets a neighbour who lengthens some share of its samples, `most` at most.
std::vector<double> disturbed(Draws& draws, double most) {
  const double share = most * draws.uniform();
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    const double clean = draws.noise(0.005);
    const double longer = draws.exponential(0.1);
    samples.push_back(draws.uniform() < share ? clean * (1 + longer) : clean);
  }
  return samples;
}

std::vector<double> neighbour(Draws& draws) { return disturbed(draws, 0.6); }
std::vector<double> busy_neighbour(Draws& draws) { return disturbed(draws, 1); }

/// One sample in 33 is fast by luck.
std::vector<double> lucky(Draws& draws) {
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i)
    samples.push_back(draws.noise(0.005) * (draws.uniform() < 0.03 ? 0.97 : 1));
  return samples;
}

TEST(Quantile, TheLowerQuartileBearsANeighbourAndCostsLittleWithoutOne) {
  EXPECT_LT(between_launches(kCpuQuantile, neighbour), between_launches(0.5, neighbour) / 3);
  EXPECT_LT(between_launches(kCpuQuantile, quiet), between_launches(0.5, quiet) * 1.2);
}

TEST(Quantile, TheMinimumLivesOnLuck) {
  EXPECT_GT(between_launches(0, lucky), 4 * between_launches(kCpuQuantile, lucky));
}

TEST(Quantile, TheTableOfTheReadmeIsThisSimulation) {
  std::ifstream file(RATCHET_SOURCE_DIR "/perf/measure/README.md");
  const std::string readme(std::istreambuf_iterator<char>(file), {});
  const std::pair<const char*, std::function<std::vector<double>(Draws&)>> rows[] = {
      {"quiet, symmetric, 1 %", quiet},
      {"quiet, skewed, 1 %", skewed},
      {"a neighbour lengthens 0 to 60 % of them by 10 % on average", neighbour},
      {"0 to 100 % of them", busy_neighbour},
      {"one in 33 is 3 % faster by luck", lucky}};
  for (const auto& [name, launch] : rows) {
    const std::string row =
        fmt::format("| {} | {:.2f} % | {:.2f} % | {:.2f} % |", name, between_launches(0.5, launch),
                    between_launches(kCpuQuantile, launch), between_launches(0, launch));
    EXPECT_NE(readme.find(row), readme.npos) << "perf/measure/README.md should say: " << row;
  }
}

TEST(Quantile, CpuRowsAndTheReferenceTakeTheQuartileGpuRowsTheMedian) {
  EXPECT_EQ(plan_for(Backend::cpu).stopping.quantile, 0.25);
  EXPECT_EQ(plan_for(Backend::hybrid).stopping.quantile, 0.25);
  EXPECT_EQ(plan_for(Backend::cuda).stopping.quantile, 0.5);
  FakeTime time;
  const auto take = [&] { return time.now_s += 0.01, sample(0.01); };
  EXPECT_EQ(measure(take, plan_for(Backend::cpu), time.clock()).quantile, 0.25);
  std::vector<Sample> samples;
  for (const double seconds : {5.0, 1.0, 2.0, 3.0, 4.0}) {
    samples.push_back(sample(seconds));
    samples.back().cpu_seconds = 10 * seconds;
  }
  EXPECT_DOUBLE_EQ(summarize(samples, kCpuQuantile).seconds, 2);
  EXPECT_DOUBLE_EQ(summarize(samples, kCpuQuantile).cpu_seconds, 20);
  EXPECT_DOUBLE_EQ(summarize(samples).seconds, 3);
}

/// Of 4000 launches of `count` samples, the share whose quartile or median, give or take its half
/// width, holds that of the population.
double coverage(double p, int count) {
  const double truth = 1 - 0.02 * std::log(1 - p);  // of 1 + an exponential of mean 0.02
  Draws draws;
  int covered = 0;
  for (int launch = 0; launch < 4000; ++launch) {
    std::vector<Sample> samples;
    for (int i = 0; i < count; ++i) samples.push_back(sample(1 + draws.exponential(0.02)));
    const Summary summary = summarize(samples, p);
    covered += std::abs(truth / summary.seconds - 1) <= summary.half_width;
  }
  return covered / 4000.0;
}

TEST(Quantile, HalfWidthHoldsTheQuantileThatIsReported) {
  for (const int count : {13, 30, 200}) EXPECT_GE(coverage(kCpuQuantile, count), 0.95) << count;
  for (const int count : {6, 30, 200}) EXPECT_GE(coverage(kGpuQuantile, count), 0.95) << count;
  // And it is that quantile's own: of skewed samples the quartile is known better than the median.
  Draws draws;
  double quartile = 0, median = 0;  // half widths of 50 launches
  for (int launch = 0; launch < 50; ++launch) {
    std::vector<Sample> samples;
    for (int i = 0; i < 200; ++i) samples.push_back(sample(1 + draws.exponential(0.02)));
    quartile += summarize(samples, kCpuQuantile).half_width;
    median += summarize(samples, kGpuQuantile).half_width;
  }
  EXPECT_NEAR(quartile / median, std::sqrt(1.0 / 3), 0.06);  // sqrt(p / (1 - p)), of an exponential
}

TEST(Quantile, ItsIntervalNeedsSamplesEnough) {
  const auto half_width = [](double p, int count) {
    std::vector<Sample> samples;
    for (int i = 0; i < count; ++i) samples.push_back(sample(1 + 0.01 * i));
    return summarize(samples, p).half_width;
  };
  EXPECT_EQ(half_width(kGpuQuantile, 5), 0);
  EXPECT_GT(half_width(kGpuQuantile, 6), 0);
  EXPECT_EQ(half_width(kCpuQuantile, 12), 0);
  EXPECT_GT(half_width(kCpuQuantile, 13), 0);
}

}  // namespace
}  // namespace ratchet::timing
