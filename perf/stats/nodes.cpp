#include "perf/stats/nodes.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "perf/stats/paired.h"

namespace ratchet::stats {
namespace {

NodesSay by_ranks(const std::vector<double>& logs, double deviation, double error) {
  return {paired_estimate(logs), deviation, paired_bounds(logs, error),
          paired_detectable(logs.size(), deviation, error)};
}

/// How many standard deviations of the estimate the mean must lie from 0 for Student's bound at
/// `error` to exclude 0 nine times in ten. The estimate over its deviation is then non-central t.
double needed_distance(double degrees, double error) {
  constexpr double missed = 0.1;
  // Remembered: a run asks the same question for every one of its rows.
  static thread_local std::map<std::pair<double, double>, double> known;
  const auto [entry, added] = known.try_emplace({degrees, error}, 0.0);
  if (!added) return entry->second;
  const double bound = reach({0, 1, degrees, 0, false}, error);
  const auto more_missed = [&](double distance) {
    return boost::math::cdf(boost::math::non_central_t(degrees, distance), bound) - missed;
  };
  std::uintmax_t steps = 100;
  const auto found = boost::math::tools::bisect(
      more_missed, 0.0, 20 * (bound + 1), boost::math::tools::eps_tolerance<double>(12), steps);
  return entry->second = (found.first + found.second) / 2;
}

NodesSay by_student(const std::vector<double>& logs, OccasionShift shift, Reference reference,
                    double error) {
  const double n = static_cast<double>(logs.size());
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  const double deviation = shift.deviation / std::sqrt(1 + 1 / n);
  // That of a further node around the mean is at hand; that of the mean alone is smaller.
  if (reference == Reference::own) shift.deviation = deviation / std::sqrt(n);
  const double width = reach(shift, error);
  return {std::exp(mean), deviation, Bounds{std::exp(mean - width), std::exp(mean + width), error},
          -std::expm1(-shift.deviation * needed_distance(shift.degrees, error))};
}

}  // namespace

NodesSay of_nodes(const std::vector<double>& logs, Reference reference, double error) {
  const auto bad = [](double value) { return !std::isfinite(value); };
  if (logs.empty() || std::any_of(logs.begin(), logs.end(), bad))
    throw std::invalid_argument(
        "the figures of nodes must be finite, and there must be at least one");
  const auto shift = shift_of_occasions(logs);
  if (!shift || logs.size() < kLeastNodes)
    return {paired_estimate(logs), 0, std::nullopt, std::numeric_limits<double>::infinity()};
  if (reference == Reference::own && logs.size() >= least_pairs(error))
    return by_ranks(logs, shift->deviation / std::sqrt(1 + 1 / static_cast<double>(logs.size())),
                    error);
  return by_student(logs, *shift, reference, error);
}

namespace {

std::optional<OccasionShift> shift_of(const std::vector<double>& logs, std::size_t least) {
  const std::size_t n = logs.size();
  if (n < least) return std::nullopt;
  const double count = static_cast<double>(n);
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  double squares = 0;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  const double variance = squares / (count - 1);
  return OccasionShift{mean, std::sqrt(variance * (1 + 1 / count)), count - 1, n, false};
}

}  // namespace

std::optional<OccasionShift> shift_of_controls(const std::vector<double>& log_ratios,
                                               std::size_t least) {
  auto shift = shift_of(log_ratios, least);
  if (shift) shift->of_rows = true;
  return shift;
}

std::optional<OccasionShift> shift_of_occasions(const std::vector<double>& logs) {
  auto shift = shift_of(logs, 3);
  if (shift) shift->centre = 0;  // expected difference of the next occasion from their mean
  return shift;
}

double reach(const OccasionShift& shift, double error) {
  const boost::math::students_t_distribution<double> t(shift.degrees);
  return shift.deviation * boost::math::quantile(boost::math::complement(t, error));
}

}  // namespace ratchet::stats
