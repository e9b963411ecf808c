#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/statistics.h"

namespace ratchet::graveler {
namespace {

using correctness::exact;
using correctness::TestResult;

double mean_of(const std::vector<double>& pmf) {
  double mean = 0;
  for (std::size_t k = 0; k < pmf.size(); ++k) mean += static_cast<double>(k) * pmf[k];
  return mean;
}

/// A law on the integers first, first + 1, ...
struct Law {
  std::size_t first = 0;
  std::vector<double> pmf;
};

/// Drops what lies beyond any p-value of interest on both sides, so that convolutions stay short.
Law trimmed(Law law) {
  constexpr double kNothing = 1e-30;
  while (!law.pmf.empty() && law.pmf.back() < kNothing) law.pmf.pop_back();
  const auto begin =
      std::find_if(law.pmf.begin(), law.pmf.end(), [](double mass) { return mass >= kNothing; });
  law.first += static_cast<std::size_t>(begin - law.pmf.begin());
  law.pmf.erase(law.pmf.begin(), begin);
  return law;
}

/// The law of the sum of `repetitions` draws, by repeated convolution: exact, however few or skew.
Law law_of_sum(const std::vector<double>& pmf, std::uint32_t repetitions) {
  const Law one = trimmed({0, pmf});
  Law sum{0, {1.0}};
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    Law next{sum.first + one.first, std::vector<double>(sum.pmf.size() + one.pmf.size() - 1)};
    for (std::size_t b = 0; b < one.pmf.size(); ++b)
      for (std::size_t a = 0; a < sum.pmf.size(); ++a) next.pmf[a + b] += sum.pmf[a] * one.pmf[b];
    sum = trimmed(std::move(next));
  }
  return sum;
}

double two_sided(const Law& law, std::uint64_t seen) {
  double below = 0, above = 0;
  for (std::size_t i = 0; i < law.pmf.size(); ++i) {
    if (law.first + i <= seen) below += law.pmf[i];
    if (law.first + i >= seen) above += law.pmf[i];
  }
  return std::min(1.0, 2 * std::min(below, above));
}

/// The largest share of `battles` whose loss from the maximum such a sum still notices.
double detectable_share(const BinomialLaw& law, std::uint64_t battles, std::uint32_t repetitions) {
  const std::vector<double> pmf = law.maximum_pmf(battles);
  const double mean = mean_of(pmf);
  double variance = 0;
  for (std::size_t k = 0; k < pmf.size(); ++k)
    variance += pmf[k] * (static_cast<double>(k) - mean) * (static_cast<double>(k) - mean);
  const double shift = correctness::detectable_z() * std::sqrt(variance / repetitions);
  double kept = 1;
  while (kept * static_cast<double>(battles) > 1 &&
         mean - mean_of(law.maximum_pmf(
                    static_cast<std::uint64_t>(kept * static_cast<double>(battles)))) <
             shift)
    kept *= 0.98;
  return 1 - kept;
}

TestResult test_sum(const BinomialLaw& law, const Histogram& maxima, std::uint64_t battles,
                    std::uint32_t repetitions) {
  std::uint64_t sum = 0;
  for (unsigned k = 0; k <= kTurns; ++k) sum += k * maxima[k];
  const std::vector<double> pmf = law.maximum_pmf(battles);
  return {
      "mean maximum",
      fmt::format("{:.4f}, expected {:.4f}", static_cast<double>(sum) / repetitions, mean_of(pmf)),
      two_sided(law_of_sum(pmf, repetitions), sum),
      fmt::format("{:.0f} % of the battles missing from the maximum",
                  100 * detectable_share(law, battles, repetitions))};
}

/// All the same: what an instance shows that does nothing after its first run.
TestResult test_repeats(const BinomialLaw& law, const Histogram& maxima, std::uint64_t battles,
                        std::uint32_t repetitions) {
  double chance = 0;
  for (const double mass : law.maximum_pmf(battles)) chance += std::pow(mass, repetitions);
  const bool same = std::count(maxima.begin(), maxima.end(), 0u) == kTurns;
  return {"maxima differ", fmt::format("{} maxima{}", repetitions, same ? ", all the same" : ""),
          same && repetitions > 1 ? chance : 1, "a run that repeats the one before"};
}

TestResult test_shape(const BinomialLaw& law, const Histogram& maxima, std::uint64_t battles) {
  std::vector<double> pmf = law.maximum_pmf(battles);
  pmf.resize(maxima.size());  // a law of fewer turns has no mass beyond them
  const auto fit = correctness::goodness_of_fit(maxima, pmf, 20);
  return {"distribution of maxima",
          fmt::format("chi-square {:.1f}, {} degrees of freedom", fit.chi_square, fit.degrees),
          fit.p,
          fmt::format("noncentrality {:.0f}",
                      correctness::detectable_noncentrality(std::max(1.0, fit.degrees)))};
}

}  // namespace

TestResults check_maxima(const Histogram& maxima, std::uint64_t battles, const BinomialLaw& law) {
  const auto repetitions =
      static_cast<std::uint32_t>(std::accumulate(maxima.begin(), maxima.end(), std::uint64_t{0}));
  TestResults tests{test_sum(law, maxima, battles, repetitions),
                    test_repeats(law, maxima, battles, repetitions)};
  // With fewer repetitions no two bins would expect enough for the chi-square law.
  if (repetitions >= 100) tests.push_back(test_shape(law, maxima, battles));
  return tests;
}

TestResults check_maximum(const GravelerStage& stage, std::uint64_t seed, std::uint64_t battles,
                          std::uint32_t repetitions) {
  const auto simulation = stage.prepare_simulation(parameters_for(stage, battles, seed));
  Histogram maxima{};
  std::uint32_t miscounted = 0, beyond = 0;
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    simulation->run();
    const Result result = simulation->collect();
    miscounted += result.battles != battles;
    beyond += result.max_ones > kTurns;
    if (result.max_ones <= kTurns) ++maxima[result.max_ones];
  }
  TestResults tests{
      exact("battles in the maximum", miscounted == 0,
            fmt::format("{} of {} runs not of {} battles", miscounted, repetitions, battles)),
      exact("maximum in range", beyond == 0,
            fmt::format("{} of {} maxima beyond 231", beyond, repetitions))};
  if (beyond == 0) correctness::append(tests, check_maxima(maxima, battles, BinomialLaw(kTurns)));
  return tests;
}

}  // namespace ratchet::graveler
