#include "correctness/support/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace ratchet::correctness {
namespace {

namespace bm = boost::math;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Upper-tail quantile of the standard normal.
double upper_z(double p) { return bm::quantile(bm::complement(bm::normal(), p)); }

struct PooledBin {
  double observed = 0, expected = 0;
};

/// Sweeps once from the left; a thin rest joins the last bin.
std::vector<PooledBin> pool(std::span<const std::uint64_t> observed,
                            std::span<const double> probability, double total,
                            double min_expected) {
  std::vector<PooledBin> bins;
  PooledBin open;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    open.observed += static_cast<double>(observed[i]);
    open.expected += probability[i] * total;
    if (open.expected < min_expected) continue;
    bins.push_back(open);
    open = {};
  }
  if (!bins.empty()) {
    bins.back().observed += open.observed;
    bins.back().expected += open.expected;
  }
  return bins;
}

}  // namespace

double two_sided_p(double z) {
  return std::isnan(z) ? kNaN : std::erfc(std::fabs(z) / std::sqrt(2.0));
}

double critical_z(double tests) { return upper_z(kFalseAlarm / (2 * tests)); }

double detectable_z(double tests) { return critical_z(tests) + upper_z(1 - kDetection); }

double bonferroni(double smallest_p, double tests) {
  return std::isnan(smallest_p) ? kNaN : std::min(1.0, smallest_p * tests);
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double running = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double scaled = p_values[order[rank]] * static_cast<double>(order.size() - rank);
    running = std::max(running, std::min(1.0, scaled));
    adjusted[order[rank]] = running;
  }
  return adjusted;
}

double chi_square_p(double x, double degrees) {
  if (std::isnan(x) || !(degrees > 0)) return kNaN;
  if (std::isinf(x)) return 0;
  return bm::cdf(bm::complement(bm::chi_squared(degrees), x));
}

double detectable_noncentrality(double degrees) {
  const double critical = bm::quantile(bm::complement(bm::chi_squared(degrees), kFalseAlarm));
  // Beyond some thousand degrees both laws are normal for this purpose and the exact one is slow.
  if (degrees > 2000)
    return critical - degrees + upper_z(1 - kDetection) * std::sqrt(2 * (2 * critical - degrees));
  double low = 0, high = critical + 10 * std::sqrt(critical) + 100;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const bm::non_central_chi_squared law(degrees, std::max(middle, 1e-9));
    (bm::cdf(bm::complement(law, critical)) < kDetection ? low : high) = middle;
  }
  return high;
}

double binomial_p(std::uint64_t hits, std::uint64_t trials, double p) {
  if (hits > trials) return 0;
  const bm::binomial law(static_cast<double>(trials), p);
  const double below = bm::cdf(law, static_cast<double>(hits));
  const double above =
      hits == 0 ? 1.0 : bm::cdf(bm::complement(law, static_cast<double>(hits) - 1));
  return std::min(1.0, 2 * std::min(below, above));
}

GoodnessOfFit goodness_of_fit(std::span<const std::uint64_t> observed,
                              std::span<const double> probability, double min_expected) {
  GoodnessOfFit fit;
  fit.p = kNaN;
  if (observed.size() != probability.size()) return fit;
  double total = 0;
  for (const std::uint64_t count : observed) total += static_cast<double>(count);
  const std::vector<PooledBin> bins = pool(observed, probability, total, min_expected);
  if (bins.size() < 2) return fit;
  for (const PooledBin& bin : bins) {
    const double difference = bin.observed - bin.expected;
    fit.chi_square += difference * difference / bin.expected;
    if (bin.observed > 0) fit.g += 2 * bin.observed * std::log(bin.observed / bin.expected);
  }
  fit.degrees = static_cast<double>(bins.size() - 1);
  const double p =
      std::min(chi_square_p(fit.chi_square, fit.degrees), chi_square_p(fit.g, fit.degrees));
  fit.p = bonferroni(p, 2);
  return fit;
}

bool ZScan::is_worst(double z) {
  ++count_;
  sum_of_squares_ += z * z;
  if (std::isnan(worst_) || std::fabs(z) <= std::fabs(worst_)) return false;
  worst_ = z;  // a NaN lands here and stays, and rejects
  return true;
}

void ZScan::add(double z, const std::string& where) {
  if (is_worst(z)) worst_where_ = where;
}

void ZScan::add(double z, std::size_t where_a, std::size_t where_b) {
  if (is_worst(z)) worst_where_ = fmt::format("{}, {}", where_a, where_b);
}

TestResults ZScan::tests(double unit, const std::string& quantity) const {
  if (count_ == 0) return {exact(test_, false, "nothing to test")};
  const double n = static_cast<double>(count_);
  TestResults tests;
  tests.push_back({test_,
                   fmt::format("largest of {} z-scores {:.2f} at {}", count_, worst_, worst_where_),
                   bonferroni(two_sided_p(worst_), n),
                   fmt::format("{} of {:.2e}", quantity, detectable_z(n) * unit)});
  if (count_ < 2) return tests;
  tests.push_back(
      {test_ + ", all together",
       fmt::format("sum of squared z-scores {:.1f}, expected {}", sum_of_squares_, count_),
       chi_square_p(sum_of_squares_, n),
       fmt::format("{} of {:.2e} everywhere", quantity,
                   std::sqrt(detectable_noncentrality(n) / n) * unit)});
  return tests;
}

}  // namespace ratchet::correctness
