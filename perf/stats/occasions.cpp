#include "perf/stats/occasions.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace ratchet::stats {
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

std::optional<OccasionShift> shift_of_controls(const std::vector<double>& log_ratios) {
  auto shift = shift_of(log_ratios, 5);
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
