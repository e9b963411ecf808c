#include "perf/stats/sequential.h"

#include <cmath>
#include <stdexcept>

#include "perf/stats/paired.h"
#include "perf/stats/power.h"

namespace ratchet::stats {
namespace {

constexpr std::size_t pair_looks = 5;  // that can alarm; the last ones are for rows of two minds
constexpr double growth = 2;           // from one of them to the next
constexpr double screening = 2.0 / 3;  // the most of same_error that the first look may spend
constexpr std::size_t stored_looks = 3;

void check(std::size_t rows, double false_alarms, double same_error) {
  const auto bad = [](double p) { return !(p > 0 && p < 1); };
  if (rows == 0 || bad(false_alarms) || bad(same_error))
    throw std::invalid_argument("a plan needs a row, and errors between 0 and 1");
}

/// What n pairs really spend of an error.
double spent(std::size_t n, double error) {
  const std::size_t k = signed_rank_order(n, error);
  return k == 0 ? 0 : signed_rank_cdf(n, static_cast<long>(k) - 1);
}

/// Spends `total` over the looks from `first` on: an even part of what is left, less what that look
/// cannot use; the last one is given all the rest.
void share(std::vector<Look>& looks, std::size_t first, double total, double Look::*error) {
  double left = total;
  for (std::size_t i = first; i + 1 < looks.size(); ++i) {
    const double part = left / static_cast<double>(looks.size() - i);
    looks[i].*error = spent(looks[i].launches, part);
    left -= looks[i].*error;
  }
  looks.back().*error = left;
}

}  // namespace

std::vector<Look> plan_pairs(std::size_t rows, double false_alarms, double same_error) {
  check(rows, false_alarms, same_error);
  const double alarms = error_per_claim(false_alarms, rows);
  const std::size_t n = least_pairs(error_per_claim(alarms, pair_looks));
  std::vector<Look> looks;
  for (double factor = 1; looks.size() < pair_looks; factor *= growth)
    looks.push_back(
        {static_cast<std::size_t>(std::ceil(factor * static_cast<double>(n) - 1e-9)), 0, 0});
  share(looks, 0, alarms, &Look::alarm_error);
  double left = same_error;
  std::size_t first = 0;
  // Where "same" needs as many pairs as an alarm, the first look that can alarm says it as early.
  const std::size_t screen = least_pairs(screening * same_error);
  if (screen < n) {
    const double error = spent(screen, screening * same_error);
    left -= error;
    looks.insert(looks.begin(), {screen, 0, error});
    first = 1;
  }
  share(looks, first, left, &Look::same_error);
  return looks;
}

std::vector<Look> plan_stored(std::size_t launches, std::size_t rows, double false_alarms,
                              double same_error) {
  check(rows, false_alarms, same_error);
  std::vector<Look> looks;
  for (std::size_t look = 0; look < stored_looks; ++look)
    looks.push_back({launches + look * ((launches + 1) / 2),
                     error_per_claim(false_alarms, rows * stored_looks),
                     error_per_claim(same_error, stored_looks)});
  return looks;
}

}  // namespace ratchet::stats
