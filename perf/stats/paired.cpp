#include "perf/stats/paired.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <tuple>

namespace ratchet::stats {
namespace {

/// The most pairs with an exact distribution: 2^-500 is still a normal double.
constexpr std::size_t most_exact = 500;

/// A computed error may differ from an exact probability in the last bit.
constexpr double rounding = 1e-9;

/// P(W <= w) for w = 0 ... n(n+1)/2. Only additions, so that small tails keep full precision.
std::vector<double> signed_rank_law(std::size_t n) {
  std::vector<double> law(n * (n + 1) / 2 + 1, 0.0);
  law[0] = 1;
  std::size_t top = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    top += rank;
    for (std::size_t w = top + 1; w-- > 0;)
      law[w] = (law[w] + (w >= rank ? law[w - rank] : 0.0)) / 2;
  }
  for (std::size_t w = 1; w < law.size(); ++w) law[w] += law[w - 1];
  return law;
}

/// Cached, because the arguments are the same for all rows of a run.
const std::vector<double>& known_law(std::size_t n) {
  static thread_local std::map<std::size_t, std::vector<double>> known;
  const auto [entry, added] = known.try_emplace(n);
  if (added) entry->second = signed_rank_law(n);
  return entry->second;
}

double standard_deviation(std::size_t n) {
  const auto size = static_cast<double>(n);
  return std::sqrt(size * (size + 1) * (2 * size + 1) / 24);
}

void check_finite(const std::vector<double>& values) {
  const auto bad = [](double v) { return !std::isfinite(v); };
  if (values.empty() || std::any_of(values.begin(), values.end(), bad))
    throw std::invalid_argument(
        "paired differences must be finite, and there must be at least one");
}

/// All averages of two differences. At the 5 to 76 pairs of the gate's analyses, forming and
/// partitioning them takes 0.3 to 40 us for an estimate (speed_test checks that). A selection
/// without forming them (J. F. Monahan, Algorithm 616, ACM Trans. Math. Softw. 10, 1984) takes 0.3
/// to 25 us, which is not worth its code.
class WalshAverages {
 public:
  explicit WalshAverages(const std::vector<double>& d) {
    averages_.reserve(d.size() * (d.size() + 1) / 2);
    for (std::size_t i = 0; i < d.size(); ++i)
      for (std::size_t j = i; j < d.size(); ++j) averages_.push_back((d[i] + d[j]) / 2);
  }
  std::size_t size() const { return averages_.size(); }
  double kth(std::size_t k) {
    const auto place = averages_.begin() + static_cast<long>(k - 1);
    std::nth_element(averages_.begin(), place, averages_.end());
    return *place;
  }
  double median() const { return stats::median(averages_); }

 private:
  std::vector<double> averages_;
};

/// The `power`-quantile of minus the k-th smallest Walsh average of n standard normal values. Of
/// many values by the efficiency 3/pi of the signed-rank test, at 190 within 3 % of the draws,
/// which take seconds.
double needed_shift(std::size_t n, std::size_t k, double power) {
  constexpr std::size_t draws = 4000, most_drawn = 200;
  if (n > most_drawn) {
    const auto size = static_cast<double>(n);
    const double z = (size * (size + 1) / 4 - static_cast<double>(k) + 0.5) / standard_deviation(n);
    return (z + boost::math::quantile(boost::math::normal(), power)) *
           std::sqrt(boost::math::constants::pi<double>() / (3 * size));
  }
  std::mt19937_64 generator(20240229);
  std::normal_distribution<double> normal;
  std::vector<double> d(n);
  std::vector<double> needed(draws);
  for (double& shift : needed) {
    for (double& value : d) value = normal(generator);
    shift = -WalshAverages(d).kth(k);
  }
  const auto place = needed.begin() + static_cast<long>(power * (draws - 1));
  std::nth_element(needed.begin(), place, needed.end());
  return *place;
}

}  // namespace

double signed_rank_cdf(std::size_t n, long w) {
  if (w < 0) return 0;
  const double top = static_cast<double>(n) * static_cast<double>(n + 1) / 2;
  if (static_cast<double>(w) >= top) return 1;
  if (n <= most_exact) return known_law(n)[static_cast<std::size_t>(w)];
  const double z = (static_cast<double>(w) + 0.5 - top / 2) / standard_deviation(n);
  return boost::math::cdf(boost::math::normal(), z);
}

std::size_t signed_rank_order(std::size_t n, double error) {
  if (n == 0 || !(error > 0)) return 0;
  if (n <= most_exact) {
    const std::vector<double>& law = known_law(n);
    const auto middle = law.begin() + static_cast<long>(law.size() / 2);
    return static_cast<std::size_t>(std::upper_bound(law.begin(), middle, error * (1 + rounding)) -
                                    law.begin());
  }
  const double mean = static_cast<double>(n) * static_cast<double>(n + 1) / 4;
  const double z = boost::math::quantile(boost::math::normal(), std::min(error, 0.5));
  return static_cast<std::size_t>(
      std::max(0.0, std::floor(mean + z * standard_deviation(n) + 0.5)));
}

std::size_t least_pairs(double error) {
  if (!(error > 0 && error < 1))
    throw std::invalid_argument("an error probability lies between 0 and 1");
  std::size_t n = 0;
  for (double chance = 1; chance > error * (1 + rounding); chance /= 2) ++n;
  return n;
}

double paired_estimate(const std::vector<double>& d) {
  check_finite(d);
  return std::exp(WalshAverages(d).median());
}

std::optional<Bounds> paired_bounds(const std::vector<double>& d, double error) {
  check_finite(d);
  const std::size_t k = signed_rank_order(d.size(), error);
  if (k == 0) return std::nullopt;
  WalshAverages averages(d);
  return Bounds{std::exp(averages.kth(k)), std::exp(averages.kth(averages.size() + 1 - k)),
                signed_rank_cdf(d.size(), static_cast<long>(k) - 1)};
}

double paired_detectable(std::size_t n, double spread, double error, double power) {
  const std::size_t k = signed_rank_order(n, error);
  if (k == 0) return std::numeric_limits<double>::infinity();
  static thread_local std::map<std::tuple<std::size_t, std::size_t, double>, double> known;
  const auto [entry, added] = known.try_emplace({n, k, power}, 0.0);
  if (added) entry->second = needed_shift(n, k, power);
  return std::expm1(spread * std::max(0.0, entry->second));
}

}  // namespace ratchet::stats
