#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/statistics.h"

namespace ratchet::graveler {
namespace {

using correctness::TestResult;

struct Moments {
  double sum = 0, squares = 0;  ///< of deviations from the law's mean, over all battles
};

Moments moments(const Histogram& histogram, const BinomialLaw& law) {
  Moments result;
  for (unsigned k = 0; k <= kTurns; ++k) {
    const double deviation = k - law.mean(), count = static_cast<double>(histogram[k]);
    result.sum += count * deviation;
    result.squares += count * deviation * deviation;
  }
  return result;
}

TestResult test_mean(const Moments& seen, double battles, const BinomialLaw& law) {
  const double sd = std::sqrt(battles * law.variance());
  const double shift = correctness::detectable_z() * sd / battles;
  return {"sum of ones", fmt::format("{:+.0f} from its mean, sd {:.0f}", seen.sum, sd),
          correctness::two_sided_p(seen.sum / sd),
          fmt::format("mean ones off by {:.2e}, that is P(one) by {:.2e}", shift,
                      shift / law.trials())};
}

TestResult test_variance(const Moments& seen, double battles, const BinomialLaw& law) {
  const double v = law.variance();
  const double sd = std::sqrt(battles * (law.fourth_moment() - v * v));
  return {"variance of ones", fmt::format("{:.4f}, expected {:.4f}", seen.squares / battles, v),
          correctness::two_sided_p((seen.squares - battles * v) / sd),
          fmt::format("variance off by {:.2e} of itself",
                      correctness::detectable_z() * sd / battles / v)};
}

TestResult test_shape(const Histogram& histogram, double battles, const BinomialLaw& law) {
  std::vector<double> probability(kTurns + 1, 0.0);
  std::copy(law.pmf().begin(), law.pmf().end(), probability.begin());
  const auto fit = correctness::goodness_of_fit(histogram, probability);
  // A bias d of P(one) moves the law by a noncentrality of N d^2 trials / (p q).
  const double information = battles * law.trials() / (0.25 * 0.75);
  const double bias =
      std::sqrt(correctness::detectable_noncentrality(std::max(1.0, fit.degrees)) / information);
  return {"histogram",
          fmt::format("chi-square {:.1f}, G {:.1f}, {} degrees of freedom", fit.chi_square, fit.g,
                      fit.degrees),
          fit.p, fmt::format("P(one) off by {:.2e}", bias)};
}

/// The thin upper tail, which the chi-square pools: battles with at least k ones, exactly.
TestResult test_tail(const Histogram& histogram, std::uint64_t battles, const BinomialLaw& law) {
  unsigned k = 0;
  while (static_cast<double>(battles) * law.tail(k) > 100) ++k;
  const std::uint64_t seen = std::accumulate(histogram.begin() + k, histogram.end(), 0ULL);
  const double expected = static_cast<double>(battles) * law.tail(k);
  return {"upper tail",
          fmt::format("{} battles with {} ones or more, expected {:.1f}", seen, k, expected),
          correctness::binomial_p(seen, battles, law.tail(k)),
          fmt::format("tail off by {:.2g} of itself",
                      correctness::detectable_z() / std::sqrt(expected))};
}

TestResult test_top(const Histogram& histogram, std::uint64_t battles, const BinomialLaw& law) {
  unsigned top = 0;
  for (unsigned k = 0; k <= kTurns; ++k)
    if (histogram[k] > 0) top = k;
  const double low = law.maximum_cdf(top, battles);
  // P(max >= top) without cancellation: 1 - (1 - tail)^N.
  const double high = -std::expm1(static_cast<double>(battles) * std::log1p(-law.tail(top)));
  return {"highest bin", fmt::format("most ones {}", top), std::min(1.0, 2 * std::min(low, high)),
          "a maximum of probability 5e-11 or less"};
}

}  // namespace

TestResults check_histogram(const Histogram& histogram, std::uint64_t battles,
                            const BinomialLaw& law) {
  const std::uint64_t total = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  TestResults tests{correctness::exact("number of battles", total == battles,
                                       fmt::format("{} of {} battles", total, battles))};
  if (total == 0) return tests;
  const double n = static_cast<double>(total);
  const Moments seen = moments(histogram, law);
  tests.push_back(test_mean(seen, n, law));
  tests.push_back(test_variance(seen, n, law));
  tests.push_back(test_shape(histogram, n, law));
  tests.push_back(test_tail(histogram, total, law));
  tests.push_back(test_top(histogram, total, law));
  return tests;
}

}  // namespace ratchet::graveler
