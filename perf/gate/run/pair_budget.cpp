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

/// Two pairs are too few to estimate the scatter.
constexpr std::size_t least_known = 3;

/// The approximate distance of a bound with this error, in deviations of the mean.
double deviations(double error) {
  return error > 0 && error < 0.5 ? -boost::math::quantile(boost::math::normal(), error)
                                  : std::numeric_limits<double>::infinity();
}

double cost(const OpenRow& row, const std::vector<stats::Analysis>& analyses,
            std::size_t analysis) {
  const auto missing = static_cast<double>(analyses[analysis].launches) -
                       static_cast<double>(row.differences.size());
  return row.pair_s * std::max(0.0, missing);
}

}  // namespace

std::optional<std::size_t> likely_analysis(const OpenRow& row,
                                           const std::vector<stats::Analysis>& analyses) {
  if (row.differences.size() < least_known) return std::nullopt;
  const double spread = stats::robust_deviation(row.differences);
  const double size = std::abs(std::log(stats::paired_estimate(row.differences)));
  const double room = std::abs(size - row.tolerance);
  for (std::size_t i = row.next_analysis; i < analyses.size(); ++i) {
    const double error =
        size < row.tolerance ? analyses[i].same_error : analyses[i].simultaneous_error;
    const double reach = deviations(error) * spread / std::sqrt(analyses[i].launches);
    if (analyses[i].launches >= row.differences.size() && reach < room) return i;
  }
  return std::nullopt;
}

std::optional<std::string> worth_measuring(const std::vector<OpenRow>& rows,
                                           const std::vector<stats::Analysis>& analyses,
                                           double seconds) {
  using Priced = std::pair<double, std::string>;
  std::optional<Priced> hopeful, other;
  const auto offer = [&](std::optional<Priced>& best, const OpenRow& row, std::size_t analysis) {
    const Priced priced{cost(row, analyses, analysis), row.name};
    if (priced.first <= seconds && (!best || priced < *best)) best = priced;
  };
  for (const OpenRow& row : rows) {
    const bool known = row.differences.size() >= least_known;
    const auto analysis = known ? likely_analysis(row, analyses) : row.next_analysis;
    offer(analysis ? hopeful : other, row, analysis.value_or(row.next_analysis));
  }
  const auto& chosen = hopeful ? hopeful : other;
  if (!chosen) return std::nullopt;
  return chosen->second;
}

}  // namespace ratchet::gate
