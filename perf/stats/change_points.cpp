#include "perf/stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "perf/stats/quantile.h"

namespace ratchet::stats {
namespace {

constexpr std::size_t shortest = 3;  // points of a regime
constexpr std::size_t permutations = 999;

struct Stretch {
  std::size_t begin;
  std::size_t end;
  std::size_t size() const { return end - begin; }
};

struct Split {
  std::size_t index = 0;
  double size = -1;  ///< squared standardised rank sum; below 0 where no split is possible
  double p_value = 1;
};

/// Ranks 1 ... n minus their mean; equal values get the mean of their ranks.
std::vector<double> centred_ranks(const double* values, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(n);
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i + 1;
    while (end < n && values[order[end]] == values[order[i]]) ++end;
    const double shared = (static_cast<double>(i + end) - static_cast<double>(n)) / 2;
    for (; i < end; ++i) ranks[order[i]] = shared;
  }
  return ranks;
}

/// The whole, then intervals that shrink by sqrt 2 from one layer to the next and overlap by half.
std::vector<Stretch> seeded_intervals(std::size_t n) {
  std::vector<Stretch> intervals = {{0, n}};
  for (double length = static_cast<double>(n) / std::sqrt(2.0);
       length >= 2.0 * static_cast<double>(shortest); length /= std::sqrt(2.0)) {
    const auto size = static_cast<std::size_t>(std::ceil(length));
    const auto count = 2 * static_cast<std::size_t>(std::ceil(static_cast<double>(n) / length)) - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = i * (n - size) / (count - 1);
      intervals.push_back({begin, begin + size});
    }
  }
  return intervals;
}

/// The scan of one segment of n ranks, which can be repeated on permutations.
class Scan {
 public:
  Scan(std::vector<Stretch> intervals, std::size_t n)
      : intervals_(std::move(intervals)), sums_(n + 1), squares_(n + 1) {
    // reciprocal_[m] = 1 / m, so that the inner loop does not divide.
    for (std::size_t m = 0; m <= n; ++m)
      reciprocal_.push_back(m == 0 ? 0 : 1 / static_cast<double>(m));
  }

  Split largest(const std::vector<double>& ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      sums_[i + 1] = sums_[i] + ranks[i];
      squares_[i + 1] = squares_[i] + ranks[i] * ranks[i];
    }
    Split best;
    for (const Stretch& interval : intervals_) scan(interval, best);
    return best;
  }

 private:
  void scan(const Stretch& interval, Split& best) const {
    const std::size_t n = interval.size();
    const double mean = (sums_[interval.end] - sums_[interval.begin]) * reciprocal_[n];
    const double scatter =
        squares_[interval.end] - squares_[interval.begin] - mean * mean * static_cast<double>(n);
    if (!(scatter > 1e-9)) return;  // all equal
    double size = -1;
    std::size_t first = 0;
    for (std::size_t m = shortest; m + shortest <= n; ++m) {
      const double sum =
          sums_[interval.begin + m] - sums_[interval.begin] - mean * static_cast<double>(m);
      // Under exchangeability the variance of `sum` is m (n - m) / (n (n - 1)) times the scatter.
      const double here = sum * sum * reciprocal_[m] * reciprocal_[n - m];
      if (here > size) {
        size = here;
        first = m;
      }
    }
    size *= static_cast<double>(n) * static_cast<double>(n - 1) / scatter;
    if (size > best.size) best = {interval.begin + first, size, 1};
  }

  std::vector<Stretch> intervals_;
  std::vector<double> sums_, squares_, reciprocal_;
};

/// The largest change of the segment and its p-value. The permutations stop once the change cannot
/// be significant any more; the p-value is then only known to exceed false_alarms.
Split strongest(const std::vector<double>& series, const Stretch& stretch, double false_alarms,
                std::mt19937_64& generator) {
  if (stretch.size() < 2 * shortest) return {};
  std::vector<double> ranks = centred_ranks(series.data() + stretch.begin, stretch.size());
  Scan scan(seeded_intervals(stretch.size()), stretch.size());
  Split split = scan.largest(ranks);
  if (split.size < 0) return split;
  const double reached = split.size * (1 - 1e-12);  // a tie must not win by rounding
  std::size_t as_large = 1;
  for (std::size_t i = 0; i < permutations; ++i) {
    std::shuffle(ranks.begin(), ranks.end(), generator);
    as_large += scan.largest(ranks).size >= reached ? 1 : 0;
    split.p_value = static_cast<double>(as_large) / (permutations + 1);
    if (split.p_value > false_alarms) return split;
  }
  split.index += stretch.begin;
  return split;
}

double median_of(const std::vector<double>& series, std::size_t begin, std::size_t end) {
  return median(
      {series.begin() + static_cast<long>(begin), series.begin() + static_cast<long>(end)});
}

/// The splits of a segment and of its parts, in order of time.
void divide(const std::vector<double>& series, const Stretch& stretch, double false_alarms,
            std::mt19937_64& generator, std::vector<Split>& found) {
  const Split split = strongest(series, stretch, false_alarms, generator);
  if (split.p_value > false_alarms) return;
  divide(series, {stretch.begin, split.index}, false_alarms, generator, found);
  found.push_back(split);
  divide(series, {split.index, stretch.end}, false_alarms, generator, found);
}

double absolute_deviations(const std::vector<double>& series, std::size_t begin, std::size_t end) {
  const double centre = median_of(series, begin, end);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += std::abs(series[i] - centre);
  return sum;
}

/// Moves each split to where two medians fit best between its neighbours. Ranks prove that there is
/// a change, but they ignore its size. Where the levels are far apart, the rank scan is biased
/// towards the middle of the segment.
void locate(const std::vector<double>& series, std::vector<Split>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].index;
    const std::size_t end = i + 1 < found.size() ? found[i + 1].index : series.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t split = begin + shortest; split + shortest <= end; ++split) {
      const double misfit =
          absolute_deviations(series, begin, split) + absolute_deviations(series, split, end);
      if (misfit >= least) continue;
      least = misfit;
      found[i].index = split;
    }
  }
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& series, double false_alarms,
                                       std::uint64_t seed) {
  if (!(false_alarms >= 1.0 / (permutations + 1) && false_alarms < 1))
    throw std::invalid_argument("the false-alarm rate of change points lies between 0.001 and 1");
  const auto bad = [](double v) { return !std::isfinite(v); };
  if (std::any_of(series.begin(), series.end(), bad))
    throw std::invalid_argument("a series with a value that is not finite has no change points");
  std::mt19937_64 generator(seed);
  std::vector<Split> found;
  divide(series, {0, series.size()}, false_alarms, generator, found);
  locate(series, found);
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].index;
    const std::size_t end = i + 1 < found.size() ? found[i + 1].index : series.size();
    points.push_back({found[i].index, median_of(series, begin, found[i].index),
                      median_of(series, found[i].index, end), found[i].p_value});
  }
  return points;
}

}  // namespace ratchet::stats
