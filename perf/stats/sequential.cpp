#include "perf/stats/sequential.h"

#include <cmath>
#include <stdexcept>

#include "perf/stats/paired.h"
#include "perf/stats/power.h"

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

/// Spends `total` over the analyses from `first` on: each gets an even part of the rest, as far as
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

}  // namespace ratchet::stats
