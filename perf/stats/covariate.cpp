// The reference workload as a covariate: declared in paired.h.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "perf/stats/paired.h"

namespace ratchet::stats {
namespace {

constexpr double most_weight = 3;     // of a block, in typical ones
constexpr double least_saving = 0.1;  // of the mean absolute difference
constexpr double hiccup = 5;          // an r beyond this many typical ones has to explain something

void check(const std::vector<double>& d, const std::vector<double>& r) {
  const auto bad = [](double v) { return !std::isfinite(v); };
  if (d.size() != r.size() || d.empty() || std::any_of(d.begin(), d.end(), bad) ||
      std::any_of(r.begin(), r.end(), bad)) {
    throw std::invalid_argument("a covariate needs finite values, one a block on either side");
  }
}

double typical(const std::vector<double>& values) {
  std::vector<double> sizes(values.size());
  std::transform(values.begin(), values.end(), sizes.begin(), [](double v) { return std::abs(v); });
  return median(std::move(sizes));
}

struct Quotient {
  double value;
  double weight;
};

/// Where half of the weight lies on either side.
double weighted_median(std::vector<Quotient> quotients) {
  std::sort(quotients.begin(), quotients.end(),
            [](const Quotient& a, const Quotient& b) { return a.value < b.value; });
  double total = 0;
  for (const Quotient& q : quotients) total += q.weight;
  double below = 0;
  for (const Quotient& q : quotients) {
    below += q.weight;
    if (2 * below >= total) return q.value;
  }
  return 0;
}

/// Mean of |e - slope r|, each term limited.
double bounded_size(const std::vector<double>& e, const std::vector<double>& r, double slope,
                    double limit) {
  double sum = 0;
  for (std::size_t b = 0; b < e.size(); ++b) sum += std::min(std::abs(e[b] - slope * r[b]), limit);
  return sum / static_cast<double>(e.size());
}

}  // namespace

double covariate_slope(const std::vector<double>& d, const std::vector<double>& r, double centre) {
  check(d, r);
  std::vector<double> e = d;
  for (double& value : e) value -= centre;
  const double usual = typical(r);
  std::vector<Quotient> quotients;
  for (std::size_t b = 0; b < e.size(); ++b) {
    const double size = std::abs(r[b]);
    // A reference that mostly stands still has no typical size: its few moves count alike.
    const double weight = usual > 0 ? std::min(size, most_weight * usual) : 1;
    if (size > 0) quotients.push_back({e[b] / r[b], weight});
  }
  const double slope = std::clamp(weighted_median(std::move(quotients)), 0.0, 1.0);
  const double limit = most_weight * typical(e);
  const double before = bounded_size(e, r, 0, limit);
  return bounded_size(e, r, slope, limit) <= (1 - least_saving) * before ? slope : 0;
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
