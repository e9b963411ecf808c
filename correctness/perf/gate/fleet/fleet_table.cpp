#include "correctness/perf/gate/fleet/fleet_table.h"

#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "perf/gate/rule/rule.h"
#include "perf/stats/paired.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {
namespace {

/// A sample that scatters exactly so: quantiles of the normal law, scaled.
std::vector<double> sample(std::size_t count, double deviation) {
  std::vector<double> values(count);
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    values[i] = boost::math::quantile(boost::math::normal(), place);
    squares += values[i] * values[i];
  }
  const double scale = deviation / std::sqrt(squares / static_cast<double>(count - 1));
  for (double& value : values) value *= scale;
  return values;
}

double error_of(std::size_t rows) { return stats::error_per_claim(stats::kFalseAlarms, rows); }

std::string percent(double share) {
  return share < 0.0995 ? fmt::format("{:.1f} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

/// Two digits, and those before the point.
std::string whole(double value) {
  return value < 10 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

double fleet_detects(const FleetModel& model, std::size_t rows, std::size_t nodes, double between) {
  const double within = model.pair_spread / std::sqrt(static_cast<double>(model.pairs));
  const auto logs = sample(nodes, std::hypot(between, within));
  return decide_nodes(logs, stats::Reference::own, model.tolerance,
                      {nodes, error_of(rows), stats::kSameError})
      .detectable;
}

std::string fleet_table(const FleetModel& model) {
  std::string text = fmt::format(
      "| rows | nodes | error a row | bounds | launches in all | hours, each node | node hours | "
      "detects, nodes alike by {} | by {} |\n|---|---|---|---|---|---|---|---|---|\n",
      percent(model.small), percent(model.large));
  const std::vector<std::pair<std::size_t, std::size_t>> sizes = {
      {10, 3}, {10, 10}, {100, 3}, {100, 10}, {100, 30}, {1000, 10}, {1000, 30}, {1000, 100}};
  for (const auto& [rows, nodes] : sizes) {
    const double hours = static_cast<double>(rows * model.pairs) * model.pair_s / 3600;
    text += fmt::format(
        "| {} | {} | {:.0e} | {} | {} | {:.2g} | {} | {} | {} |\n", rows, nodes, error_of(rows),
        nodes >= stats::least_pairs(error_of(rows)) ? "ranks" : "Student",
        rows * nodes * model.pairs * 2, hours, whole(hours * static_cast<double>(nodes)),
        percent(fleet_detects(model, rows, nodes, model.small)),
        percent(fleet_detects(model, rows, nodes, model.large)));
  }
  return text;
}

}  // namespace ratchet::gate
