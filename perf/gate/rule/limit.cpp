#include "perf/gate/rule/limit.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

constexpr double confidence = 0.9;  // of both bounds together

/// Throws `Error` where the unit does not fit.
std::vector<double> values_of(const Row& row, const StatedLimit& limit) {
  const std::string unit = unit_of(row.name, row.basis);
  const auto kind = figure_kind(row.basis);
  const auto factor = in_unit_of(limit.unit, kind ? kind->unit : "s");
  const bool rate = !kind && limit.unit == per_second_text(unit);
  if (!factor && !rate)
    throw Error(fmt::format("limit {}: its unit does not fit {}, which is in {}", limit.text(),
                            row.name, kind ? unit : "s or " + per_second_text(unit)));
  std::vector<double> values = row.throughputs();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (rate) continue;
    values[i] = *factor * (kind ? kind->throughput(values[i])
                           : !row.basis.empty() && row.units() > 0
                               ? row.units() / values[i]
                               : 1e-3 * call_ms(row.launches[i], clock_of(row)));
  }
  return values;
}

AtLimit held_against(const Row* row, const StatedLimit& limit) {
  AtLimit found;
  found.limit = limit.text();
  found.unit = limit.unit;
  found.stored = limit.stored;
  if (!row) return found;
  std::vector<double> values;
  try {
    values = values_of(*row, limit);
  } catch (const Error&) {
    if (!limit.stored) throw;
    found.other_unit = unit_of(row->name, row->basis);
    return found;
  }
  found.launches = values.size();
  found.figure = stats::median(values);
  found.bounds = stats::quantile_interval(values, 0.5, confidence);
  if (!found.bounds) return found;
  const auto& [low, high] = std::pair(found.bounds->low, found.bounds->high);
  const bool within = limit.below ? high < limit.value : low > limit.value;
  const bool beyond = limit.below ? low >= limit.value : high <= limit.value;
  if (within) found.state = AtLimit::State::kept;
  if (beyond) found.state = AtLimit::State::exceeded;
  return found;
}

}  // namespace

std::size_t launches_for_limits() {
  return static_cast<std::size_t>(std::ceil(std::log2(2 / (1 - confidence))));
}

std::set<RowId> limited_rows(const std::vector<StatedLimit>& limits, const std::set<RowId>& rows) {
  std::set<RowId> found;
  for (const StatedLimit& limit : limits) found.merge(limit.of(rows));
  return found;
}

void judge_limits(std::vector<Facts>& rows, const std::vector<StatedLimit>& limits,
                  const Measurements& measured) {
  std::set<RowId> names;
  for (const Facts& facts : rows) names.insert(facts.name);
  std::map<RowId, std::vector<const StatedLimit*>> asked, stored;
  for (const StatedLimit& limit : limits)
    for (const RowId& name : limit.of(names))
      (limit.stored ? stored : asked)[name].push_back(&limit);
  for (Facts& facts : rows) {
    const bool replaced = asked.count(facts.name) > 0;
    const auto row = measured.rows.find(facts.name);
    for (const StatedLimit* limit : replaced ? asked[facts.name] : stored[facts.name])
      facts.limits.push_back(
          held_against(row == measured.rows.end() ? nullptr : &row->second, *limit));
    if (replaced)
      for (const StatedLimit* limit : stored[facts.name])
        facts.limits.front().in_place_of.push_back(limit->text());
  }
}

}  // namespace ratchet::gate
