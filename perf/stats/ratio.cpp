#include "perf/stats/ratio.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ratchet::stats {
namespace {

/// P(U = u) for u = 0 ... m*n. Additions only, so that small tails keep full precision.
std::vector<double> count_arrangements(std::size_t m, std::size_t n) {
  const std::size_t top = m * n;
  // counts[j][u]: arrangements of i values of one sample and j of the other; i grows in place.
  std::vector<std::vector<double>> counts(n + 1, std::vector<double>(top + 1, 0.0));
  for (auto& row : counts) row[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t j = 1; j <= n; ++j) {
      for (std::size_t u = i * j + 1; u-- > 0;) {
        const double with_largest = u >= j ? counts[j][u - j] : 0;
        counts[j][u] = with_largest + counts[j - 1][u];
      }
    }
  }
  std::vector<double> pmf = counts[n];
  const double total = std::accumulate(pmf.begin(), pmf.end(), 0.0);
  for (double& p : pmf) p /= total;
  return pmf;
}

/// Remembered: a run asks the same question for every one of its rows.
const std::vector<double>& mann_whitney_pmf(std::size_t m, std::size_t n) {
  static thread_local std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> known;
  const auto [entry, fresh] = known.try_emplace({m, n});
  if (fresh) entry->second = count_arrangements(m, n);
  return entry->second;
}

std::size_t normal_rank(std::size_t m, std::size_t n, double alpha) {
  const double mean = static_cast<double>(m) * static_cast<double>(n) / 2;
  const double sd = std::sqrt(mean * static_cast<double>(m + n + 1) / 6);
  const double z = boost::math::quantile(boost::math::normal(), alpha / 2);
  return static_cast<std::size_t>(std::max(0.0, std::floor(mean + z * sd + 0.5)));
}

/// An alpha that comes from 1 - confidence must not miss an exact probability by its last bit.
constexpr double rounding = 1e-9;

std::size_t exact_rank(std::size_t m, std::size_t n, double alpha) {
  const std::vector<double>& pmf = mann_whitney_pmf(m, n);
  double below = 0;
  std::size_t k = 0;
  while (k < pmf.size() / 2 && 2 * (below + pmf[k]) <= alpha * (1 + rounding)) below += pmf[k++];
  return k;
}

std::vector<double> sorted_ratios(const std::vector<double>& x, const std::vector<double>& y) {
  const auto bad = [](double v) { return !(v > 0) || !std::isfinite(v); };
  if (x.empty() || y.empty() || std::any_of(x.begin(), x.end(), bad) ||
      std::any_of(y.begin(), y.end(), bad)) {
    throw std::invalid_argument("a ratio needs positive, finite values on both sides");
  }
  std::vector<double> ratios;
  ratios.reserve(x.size() * y.size());
  for (const double a : x) {
    for (const double b : y) ratios.push_back(b / a);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

}  // namespace

double mann_whitney_cdf(std::size_t m, std::size_t n, long u) {
  if (u < 0) return 0;
  const std::vector<double>& pmf = mann_whitney_pmf(m, n);
  const std::size_t terms = std::min(static_cast<std::size_t>(u) + 1, pmf.size());
  return std::accumulate(pmf.begin(), pmf.begin() + static_cast<long>(terms), 0.0);
}

std::size_t shift_rank(std::size_t m, std::size_t n, double alpha) {
  if (m == 0 || n == 0) return 0;
  return m * n <= 10'000 ? exact_rank(m, n, alpha) : normal_rank(m, n, alpha);
}

double ratio_estimate(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> ratios = sorted_ratios(x, y);
  const std::size_t n = ratios.size();
  // The median of the logarithms: the two middle ratios meet at their geometric mean.
  return n % 2 == 1 ? ratios[n / 2] : std::sqrt(ratios[n / 2 - 1] * ratios[n / 2]);
}

std::optional<Interval> ratio_interval(const std::vector<double>& x, const std::vector<double>& y,
                                       double confidence) {
  const std::vector<double> ratios = sorted_ratios(x, y);
  const std::size_t k = shift_rank(x.size(), y.size(), 1 - confidence);
  if (k == 0) return std::nullopt;
  double coverage = confidence;
  if (x.size() * y.size() <= 10'000) {
    coverage = 1 - 2 * mann_whitney_cdf(x.size(), y.size(), static_cast<long>(k) - 1);
  }
  return Interval{ratios[k - 1], ratios[ratios.size() - k], coverage};
}

}  // namespace ratchet::stats
