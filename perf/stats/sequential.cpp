#include "perf/stats/sequential.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "perf/stats/paired.h"
#include "perf/stats/power.h"
#include "perf/stats/ratio.h"

namespace ratchet::stats {
namespace {

constexpr int pair_looks = 5;    // that can alarm; the last ones are for rows of two minds
constexpr int launch_looks = 3;  // launches of a whole session cost more than pairs
constexpr double growth = 1.5;         // from one look to the next
constexpr double screening = 2.0 / 3;  // the most of same_error that the first look may spend

/// Probabilities of one kind of comparison as a function of the number of pairs or launches.
struct Law {
  std::function<std::size_t(double)> least;          // fewest that can speak at an error; 0: none
  std::function<double(std::size_t, double)> spent;  // what is really spent of an error
};

void check(std::size_t rows, double false_alarms, double same_error) {
  const auto bad = [](double p) { return !(p > 0 && p < 1); };
  if (rows == 0 || bad(false_alarms) || bad(same_error))
    throw std::invalid_argument("a plan needs a row, and errors between 0 and 1");
}

std::size_t times(double factor, std::size_t n) {
  return static_cast<std::size_t>(std::ceil(factor * static_cast<double>(n) - 1e-9));
}

/// Spends `total` over the looks from `first` on: an even part of what is left, less what that look
/// cannot use; the last one is given all the rest.
void share(std::vector<Look>& looks, std::size_t first, double total, double Look::*error,
           const Law& law) {
  double left = total;
  for (std::size_t i = first; i + 1 < looks.size(); ++i) {
    const double part = left / static_cast<double>(looks.size() - i);
    looks[i].*error = law.spent(looks[i].pairs, part);
    left -= looks[i].*error;
  }
  looks.back().*error = left;
}

/// The looks that can alarm have n pairs; their errors, and the look before that only screens.
std::vector<Look> plan(const std::vector<std::size_t>& n, double alarms, double same_error,
                       const Law& law) {
  std::vector<Look> looks;
  for (const std::size_t pairs : n) looks.push_back({pairs, 0, 0});
  share(looks, 0, alarms, &Look::alarm_error, law);
  double left = same_error;
  std::size_t first = 0;
  // Where "same" needs as many pairs as an alarm, the first look that can alarm says it as early.
  const std::size_t screen = law.least(screening * same_error);
  if (screen > 0 && screen < n.front()) {
    const double spent = law.spent(screen, screening * same_error);
    left -= spent;
    looks.insert(looks.begin(), {screen, 0, spent});
    first = 1;
  }
  share(looks, first, left, &Look::same_error, law);
  return looks;
}

std::vector<std::size_t> pairs_to_alarm(double alarms, int looks) {
  const std::size_t n = least_pairs(alarms / looks);
  std::vector<std::size_t> pairs;
  double factor = 1;
  for (int look = 0; look < looks; ++look, factor *= growth) pairs.push_back(times(factor, n));
  return pairs;
}

void decide(Judgement& judgement, double tolerance) {
  const auto& [finding, ratio, alarm, same] = judgement;
  if (alarm && alarm->high < 1 - tolerance) {
    judgement.finding = Finding::slower;
  } else if (alarm && alarm->low > 1 + tolerance) {
    judgement.finding = Finding::faster;
  } else if (same && same->low >= 1 - tolerance && same->high <= 1 + tolerance) {
    judgement.finding = Finding::same;
  }
}

}  // namespace

std::vector<Look> plan_looks(std::size_t rows, double false_alarms, double same_error) {
  check(rows, false_alarms, same_error);
  const Law law{least_pairs, [](std::size_t n, double error) {
                  const std::size_t k = signed_rank_order(n, error);
                  return k == 0 ? 0 : signed_rank_cdf(n, static_cast<long>(k) - 1);
                }};
  const double alarms = error_per_claim(false_alarms, rows);
  return plan(pairs_to_alarm(alarms, pair_looks), alarms, same_error, law);
}

std::vector<Look> plan_launches(std::size_t baseline, std::size_t rows, double false_alarms,
                                double same_error) {
  check(rows, false_alarms, same_error);
  if (baseline == 0) return {};
  const Law law{[&](double error) { return least_launches(baseline, 2 * error); },
                [&](std::size_t n, double error) {
                  const std::size_t k = shift_rank(baseline, n, 2 * error);
                  return k == 0 ? 0 : mann_whitney_cdf(baseline, n, static_cast<long>(k) - 1);
                }};
  const double alarms = error_per_claim(false_alarms, rows);
  const std::size_t n = law.least(alarms / launch_looks);
  if (n == 0) return {};
  const std::vector<std::size_t> pairs = pairs_to_alarm(alarms, launch_looks);
  const std::size_t second = std::max(times(growth, n), pairs.front());
  return plan({n, second, std::max(times(growth, second), pairs.back())}, alarms, same_error, law);
}

Judgement judge(const std::vector<double>& d, const Look& look, double tolerance) {
  Judgement judgement;
  judgement.ratio = paired_estimate(d);
  judgement.alarm = paired_bounds(d, look.alarm_error);
  judgement.same = paired_bounds(d, look.same_error);
  decide(judgement, tolerance);
  return judgement;
}

Judgement judge(const std::vector<double>& d, const std::vector<double>& r, const Look& look,
                double tolerance) {
  Judgement judgement = judge(adjusted(d, r), look, 0);
  judgement.finding = Finding::open;
  const auto low = paired_bounds(adjusted(d, r, std::log1p(-tolerance)), look.same_error);
  const auto high = paired_bounds(adjusted(d, r, std::log1p(tolerance)), look.same_error);
  if (low && high) judgement.same = Bounds{low->low, high->high, low->error};
  decide(judgement, tolerance);
  return judgement;
}

Judgement judge_launches(const std::vector<double>& x, const std::vector<double>& y,
                         const Look& look, double tolerance) {
  Judgement judgement;
  judgement.ratio = ratio_estimate(x, y);
  judgement.alarm = ratio_bounds(x, y, look.alarm_error);
  judgement.same = ratio_bounds(x, y, look.same_error);
  decide(judgement, tolerance);
  return judgement;
}

}  // namespace ratchet::stats
