#include "perf/gate/run/pair_budget.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "perf/stats/paired.h"
#include "perf/stats/quantile.h"

namespace ratchet::gate {
namespace {

/// Two pairs say next to nothing of how far pairs lie apart.
constexpr std::size_t least_known = 3;

/// How many deviations of the mean a bound of this error lies away, roughly.
double deviations(double error) {
  return error > 0 && error < 0.5 ? -boost::math::quantile(boost::math::normal(), error)
                                  : std::numeric_limits<double>::infinity();
}

double cost(const OpenRow& row, const std::vector<stats::Look>& looks, std::size_t look) {
  const auto missing =
      static_cast<double>(looks[look].launches) - static_cast<double>(row.differences.size());
  return row.pair_s * std::max(0.0, missing);
}

}  // namespace

std::optional<std::size_t> likely_look(const OpenRow& row, const std::vector<stats::Look>& looks) {
  if (row.differences.size() < least_known) return std::nullopt;
  const double spread = stats::robust_deviation(row.differences);
  const double size = std::abs(std::log(stats::paired_estimate(row.differences)));
  const double room = std::abs(size - row.tolerance);
  for (std::size_t i = row.next_look; i < looks.size(); ++i) {
    const double error = size < row.tolerance ? looks[i].same_error : looks[i].alarm_error;
    const double reach = deviations(error) * spread / std::sqrt(looks[i].launches);
    if (looks[i].launches >= row.differences.size() && reach < room) return i;
  }
  return std::nullopt;
}

std::optional<std::string> worth_measuring(const std::vector<OpenRow>& rows,
                                           const std::vector<stats::Look>& looks, double seconds) {
  using Priced = std::pair<double, std::string>;
  std::optional<Priced> hopeful, other;
  const auto offer = [&](std::optional<Priced>& best, const OpenRow& row, std::size_t look) {
    const Priced priced{cost(row, looks, look), row.name};
    if (priced.first <= seconds && (!best || priced < *best)) best = priced;
  };
  for (const OpenRow& row : rows) {
    const bool known = row.differences.size() >= least_known;
    const auto look = known ? likely_look(row, looks) : row.next_look;
    offer(look ? hopeful : other, row, look.value_or(row.next_look));
  }
  const auto& chosen = hopeful ? hopeful : other;
  if (!chosen) return std::nullopt;
  return chosen->second;
}

}  // namespace ratchet::gate
