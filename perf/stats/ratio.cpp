#include "perf/stats/ratio.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ratchet::stats {
namespace {

/// P(U <= u) for u = 0 ... m*n. Only additions, so that small tails keep full precision.
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
  std::vector<double> law = counts[n];
  std::partial_sum(law.begin(), law.end(), law.begin());
  const double total = law.back();
  for (double& p : law) p /= total;
  return law;
}

/// Cached, because the arguments are the same for all rows of a run.
const std::vector<double>& mann_whitney_law(std::size_t m, std::size_t n) {
  static thread_local std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> known;
  const auto [entry, added] = known.try_emplace({m, n});
  if (added) entry->second = count_arrangements(m, n);
  return entry->second;
}

std::size_t normal_rank(std::size_t m, std::size_t n, double alpha) {
  const double mean = static_cast<double>(m) * static_cast<double>(n) / 2;
  const double sd = std::sqrt(mean * static_cast<double>(m + n + 1) / 6);
  const double z = boost::math::quantile(boost::math::normal(), alpha / 2);
  return static_cast<std::size_t>(std::max(0.0, std::floor(mean + z * sd + 0.5)));
}

/// A computed alpha may differ from an exact probability in the last bit.
constexpr double rank_rounding = 1e-9;

/// The most pairs with an exact distribution.
constexpr std::size_t most_exact_ranks = 10'000;

std::size_t exact_rank(std::size_t m, std::size_t n, double alpha) {
  const std::vector<double>& law = mann_whitney_law(m, n);
  const auto middle = law.begin() + static_cast<long>(law.size() / 2);
  return static_cast<std::size_t>(
      std::upper_bound(law.begin(), middle, alpha / 2 * (1 + rank_rounding)) - law.begin());
}

/// All ratios y / x in order. Few are listed; among many one is sought between the sorted samples,
/// since a list would take memory and time by the product of their sizes.
class Ratios {
 public:
  Ratios(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {
    const auto bad = [](double v) { return !(v > 0) || !std::isfinite(v); };
    if (x_.empty() || y_.empty() || std::any_of(x_.begin(), x_.end(), bad) ||
        std::any_of(y_.begin(), y_.end(), bad))
      throw std::invalid_argument("a ratio needs positive, finite values on both sides");
    if (size() > most_exact_ranks) {
      std::sort(x_.begin(), x_.end());
      std::sort(y_.begin(), y_.end());
      return;
    }
    listed_.reserve(size());
    for (const double now : y_)
      for (const double before : x_) listed_.push_back(now / before);
  }

  std::size_t size() const { return x_.size() * y_.size(); }

  /// The k-th smallest, k from 1.
  double kth(std::size_t k) {
    if (!listed_.empty()) {
      const auto place = listed_.begin() + static_cast<long>(k - 1);
      std::nth_element(listed_.begin(), place, listed_.end());
      return *place;
    }
    // Positive numbers are ordered as their bits are.
    auto low = std::bit_cast<std::uint64_t>(y_.front() / x_.back()),
         high = std::bit_cast<std::uint64_t>(y_.back() / x_.front());
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (up_to(std::bit_cast<double>(middle)) >= k)
        high = middle;
      else
        low = middle + 1;
    }
    return std::bit_cast<double>(low);
  }

 private:
  /// How many are at most `ratio`: the larger x is, the more of y.
  std::size_t up_to(double ratio) const {
    std::size_t all = 0, below = 0;
    for (const double before : x_) {
      while (below < y_.size() && y_[below] / before <= ratio) ++below;
      all += below;
    }
    return all;
  }

  std::vector<double> x_, y_, listed_;
};

}  // namespace

double mann_whitney_cdf(std::size_t m, std::size_t n, long u) {
  if (u < 0) return 0;
  const std::vector<double>& law = mann_whitney_law(m, n);
  return law[std::min(static_cast<std::size_t>(u), law.size() - 1)];
}

std::size_t shift_rank(std::size_t m, std::size_t n, double alpha) {
  if (m == 0 || n == 0) return 0;
  return m * n <= most_exact_ranks ? exact_rank(m, n, alpha) : normal_rank(m, n, alpha);
}

double ratio_estimate(const std::vector<double>& x, const std::vector<double>& y) {
  Ratios ratios(x, y);
  const std::size_t n = ratios.size();
  // The median of the logarithms: the two middle ratios meet at their geometric mean.
  return n % 2 == 1 ? ratios.kth(n / 2 + 1) : std::sqrt(ratios.kth(n / 2) * ratios.kth(n / 2 + 1));
}

std::optional<Bounds> ratio_bounds(const std::vector<double>& x, const std::vector<double>& y,
                                   double error) {
  Ratios ratios(x, y);
  const std::size_t k = shift_rank(x.size(), y.size(), 2 * error);
  if (k == 0) return std::nullopt;
  const bool exact = ratios.size() <= most_exact_ranks;
  const double spent =
      exact ? mann_whitney_cdf(x.size(), y.size(), static_cast<long>(k) - 1) : error;
  return Bounds{ratios.kth(k), ratios.kth(ratios.size() + 1 - k), spent};
}

}  // namespace ratchet::stats
