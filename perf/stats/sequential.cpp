#include "perf/stats/sequential.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "perf/stats/paired.h"
#include "perf/stats/ratio.h"

namespace ratchet::stats {
namespace {

constexpr std::size_t pair_analyses = 5;  // after the screening; the last ones are for close cases
constexpr double growth = 2;              // of the pairs, from one analysis to the next
constexpr double screening = 2.0 / 3;     // the part of same_error that the screening may spend
constexpr std::size_t stored_analyses = 3;

void check(std::size_t rows, double false_alarms, double same_error) {
  const auto bad = [](double p) { return !(p > 0 && p < 1); };
  if (rows == 0 || bad(false_alarms) || bad(same_error))
    throw std::invalid_argument(
        "a group-sequential plan needs at least one row, and error probabilities between 0 and 1");
}

/// The actual error of n pairs, at most `error`.
double spent(std::size_t n, double error) {
  const std::size_t k = signed_rank_order(n, error);
  return k == 0 ? 0 : signed_rank_cdf(n, static_cast<long>(k) - 1);
}

/// Spends `total` over the analyses from `first` on. Each gets an even part of the rest, as far as
/// it can use it; the last one gets all the rest.
void share(std::vector<Analysis>& analyses, std::size_t first, double total,
           double Analysis::*error) {
  double left = total;
  for (std::size_t i = first; i + 1 < analyses.size(); ++i) {
    const double part = left / static_cast<double>(analyses.size() - i);
    analyses[i].*error = spent(analyses[i].launches, part);
    left -= analyses[i].*error;
  }
  analyses.back().*error = left;
}

}  // namespace

std::vector<Analysis> plan_pairs(std::size_t rows, double false_alarms, double same_error) {
  check(rows, false_alarms, same_error);
  const double alarms = error_per_claim(false_alarms, rows);
  const std::size_t n = least_pairs(error_per_claim(alarms, pair_analyses));
  std::vector<Analysis> analyses;
  for (double factor = 1; analyses.size() < pair_analyses; factor *= growth)
    analyses.push_back(
        {static_cast<std::size_t>(std::ceil(factor * static_cast<double>(n) - 1e-9)), 0, 0});
  share(analyses, 0, alarms, &Analysis::simultaneous_error);
  double left = same_error;
  std::size_t first = 0;
  // Where "same" needs as many pairs as "slower", a screening analysis would not be earlier.
  const std::size_t screen = least_pairs(screening * same_error);
  if (screen < n) {
    const double error = spent(screen, screening * same_error);
    left -= error;
    analyses.insert(analyses.begin(), {screen, 0, error});
    first = 1;
  }
  share(analyses, first, left, &Analysis::same_error);
  return analyses;
}

std::vector<Analysis> plan_stored(std::size_t launches, std::size_t rows, double false_alarms,
                                  double same_error) {
  check(rows, false_alarms, same_error);
  std::vector<Analysis> analyses;
  for (std::size_t analysis = 0; analysis < stored_analyses; ++analysis)
    analyses.push_back({launches + analysis * ((launches + 1) / 2),
                        error_per_claim(false_alarms, rows * stored_analyses),
                        error_per_claim(same_error, stored_analyses)});
  return analyses;
}

namespace {

/// The distance of a bound from the mean of n values, in their standard deviations.
double reach_of_bound(std::size_t n, double error) {
  if (n < 2 || !(error > 0)) return std::numeric_limits<double>::infinity();
  const boost::math::students_t law(static_cast<double>(n - 1));
  return boost::math::quantile(boost::math::complement(law, error)) /
         std::sqrt(static_cast<double>(n));
}

/// The chance of any verdict at an analysis of new pairs, if those seen had this spread.
double chance_to_decide(const SeenPairs& seen, double spread, const Analysis& analysis) {
  const double error_of_mean = spread * std::sqrt(1 / static_cast<double>(seen.pairs) +
                                                  1 / static_cast<double>(analysis.launches));
  const auto below = [&](double log_ratio) {
    if (std::isinf(log_ratio)) return log_ratio > 0 ? 1.0 : 0.0;
    return boost::math::cdf(boost::math::normal(std::log(seen.ratio), error_of_mean), log_ratio);
  };
  const double low = std::log1p(-seen.tolerance), high = std::log1p(seen.tolerance);
  const double alarm = spread * reach_of_bound(analysis.launches, analysis.simultaneous_error);
  const double same = spread * reach_of_bound(analysis.launches, analysis.same_error);
  return below(low - alarm) + 1 - below(high + alarm) +
         std::max(0.0, below(high - same) - below(low + same));
}

}  // namespace

std::size_t pairs_to_decide(const SeenPairs& seen, const std::vector<Analysis>& plan,
                            double probability) {
  if (!(seen.bounds.error > 0 && seen.bounds.error < 0.5))
    throw std::invalid_argument("bounds of pairs need an error between 0 and 0.5");
  if (seen.pairs < 2) return 0;
  const auto freedom = static_cast<double>(seen.pairs - 1);
  const double half = std::log(seen.bounds.high / seen.bounds.low) / 2;
  const double spread = half / reach_of_bound(seen.pairs, seen.bounds.error) *
                        std::sqrt(freedom / boost::math::quantile(boost::math::chi_squared(freedom),
                                                                  1 - probability));
  if (!(spread > 0)) return 0;
  for (const Analysis& analysis : plan)
    if (analysis.launches >= seen.pairs && chance_to_decide(seen, spread, analysis) >= probability)
      return analysis.launches;
  return 0;
}

namespace {

/// The `power`-quantile of -D_(k), D the m*n sorted differences of standard normal samples, by the
/// normal law of the number of differences below it; nothing where k is too near to an end.
std::optional<double> normal_shift_quantile(std::size_t m, std::size_t n, std::size_t k,
                                            double power) {
  const boost::math::normal normal;
  const double pairs = static_cast<double>(m) * static_cast<double>(n);
  const double sd = std::sqrt(pairs * static_cast<double>(m + n + 1) / 12);
  const double share = (static_cast<double>(k) - quantile(normal, power) * sd) / pairs;
  return share > 0.05 ? std::optional(-std::sqrt(2.0) * quantile(normal, share)) : std::nullopt;
}

/// The same, simulated.
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
  if (added) {
    // A simulation takes time by the product of m and n.
    constexpr std::size_t most_simulated = 10'000;
    const auto by_normal =
        m * n > most_simulated ? normal_shift_quantile(m, n, k, power) : std::optional<double>();
    entry->second = by_normal ? *by_normal : shift_quantile(m, n, k, power);
  }
  return std::expm1(spread * std::max(0.0, entry->second));
}

}  // namespace ratchet::stats
