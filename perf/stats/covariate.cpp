// The control workload as a covariate: declared in paired.h.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "perf/stats/paired.h"

namespace ratchet::stats {
namespace {

constexpr double most_weight = 3;     // of a block, in typical ones
constexpr double least_saving = 0.2;  // of the spread
constexpr double hiccup = 5;          // an r beyond this many typical ones has to explain something
constexpr int steps = 20;             // slopes tried between 0 and 1

void check(const std::vector<double>& d, const std::vector<double>& r) {
  const auto bad = [](double v) { return !std::isfinite(v); };
  if (d.size() != r.size() || d.empty() || std::any_of(d.begin(), d.end(), bad) ||
      std::any_of(r.begin(), r.end(), bad)) {
    throw std::invalid_argument(
        "a covariate needs finite values, one for each block on either side");
  }
}

double typical(const std::vector<double>& values) {
  std::vector<double> sizes(values.size());
  std::transform(values.begin(), values.end(), sizes.begin(), [](double v) { return std::abs(v); });
  return median(std::move(sizes));
}

/// How far the sizes |e - slope r| scatter about their median, each term limited.
double scatter(const std::vector<double>& e, const std::vector<double>& r, double slope,
               double limit) {
  std::vector<double> sizes(e.size());
  for (std::size_t b = 0; b < e.size(); ++b) sizes[b] = std::abs(e[b] - slope * r[b]);
  const double centre = median(sizes);
  double sum = 0;
  for (const double size : sizes) sum += std::min(std::abs(size - centre), limit);
  return sum;
}

}  // namespace

double covariate_slope(const std::vector<double>& d, const std::vector<double>& r, double centre) {
  check(d, r);
  std::vector<double> e = d;
  for (double& value : e) value -= centre;
  const double limit = most_weight * typical(e);
  const double before = scatter(e, r, 0, limit);
  double best = (1 - least_saving) * before;
  double slope = 0;
  for (int step = 1; step <= steps; ++step) {
    const double here = scatter(e, r, static_cast<double>(step) / steps, limit);
    if (here >= best) continue;
    best = here;
    slope = static_cast<double>(step) / steps;
  }
  return slope;
}

std::vector<double> adjusted(const std::vector<double>& d, const std::vector<double>& r,
                             double centre) {
  const double slope = covariate_slope(d, r, centre);
  const double wild = hiccup * typical(r);
  std::vector<double> result = d;
  for (std::size_t b = 0; b < d.size(); ++b) {
    const double moved = d[b] - slope * r[b];
    const bool explains = std::abs(moved - centre) <= std::abs(d[b] - centre);
    if (std::abs(r[b]) <= wild || explains) result[b] = moved;
  }
  return result;
}

}  // namespace ratchet::stats
