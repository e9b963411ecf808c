#include "perf/stats/power.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "perf/stats/ratio.h"

namespace ratchet::stats {
namespace {

/// The `power`-quantile of -D_(k), D the m*n sorted differences of standard normal samples.
double shift_quantile(std::size_t m, std::size_t n, std::size_t k, double power) {
  constexpr std::size_t draws = 4000;
  std::mt19937_64 generator(20240229);
  std::normal_distribution<double> normal;
  std::vector<double> x(m);
  std::vector<double> differences(m * n);
  std::vector<double> needed(draws);
  for (double& shift : needed) {
    for (double& value : x) value = normal(generator);
    for (std::size_t j = 0; j < n; ++j) {
      const double y = normal(generator);
      for (std::size_t i = 0; i < m; ++i) differences[j * m + i] = y - x[i];
    }
    const auto kth = differences.begin() + static_cast<long>(k) - 1;
    std::nth_element(differences.begin(), kth, differences.end());
    shift = -*kth;
  }
  const auto place = needed.begin() + static_cast<long>(power * (draws - 1));
  std::nth_element(needed.begin(), place, needed.end());
  return *place;
}

}  // namespace

double error_per_claim(double total, std::size_t claims) {
  return total / static_cast<double>(std::max<std::size_t>(claims, 1));
}

std::size_t least_launches(std::size_t other, double alpha) {
  double arrangements = 1;  // C(n + other, n)
  for (std::size_t n = 1; n <= 1000; ++n) {
    arrangements *= static_cast<double>(n + other) / static_cast<double>(n);
    if (2 / arrangements <= alpha) return n;
  }
  return 0;
}

double minimum_detectable_effect(std::size_t m, std::size_t n, double spread, double alpha,
                                 double power) {
  const std::size_t k = shift_rank(m, n, alpha);
  if (k == 0) return std::numeric_limits<double>::infinity();
  static thread_local std::map<std::tuple<std::size_t, std::size_t, std::size_t, double>, double>
      known;
  const auto [entry, added] = known.try_emplace({m, n, k, power}, 0.0);
  if (added) entry->second = shift_quantile(m, n, k, power);
  return std::expm1(spread * std::max(0.0, entry->second));
}

}  // namespace ratchet::stats
