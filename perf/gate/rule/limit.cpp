#include "perf/gate/rule/limit.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "kernels/contract/row_filter.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"
#include "perf/support/suggestion.h"

namespace ratchet::gate {
namespace {

constexpr double confidence = 0.9;  // of both bounds together

std::string trimmed_of_spaces(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The limit's unit in one of the row's, where both count the same.
std::optional<double> in_unit_of(const std::string& limit, const std::string& row) {
  if (limit == row) return 1;
  for (const auto& base : {seconds_in, bytes_in})
    if (base(limit) && base(row)) return *base(row) / *base(limit);
  return std::nullopt;
}

[[noreturn]] void refuse_unit(const StatedLimit& limit, const RowId& row, const std::string& own) {
  throw Error(fmt::format("--limit '{}{}': its unit does not fit {}, which is in {}", limit.rows,
                          limit.text(), row, own));
}

std::vector<double> values_of(const Row& row, const StatedLimit& limit) {
  const std::string unit = unit_of(row.name, row.basis);
  const auto kind = figure_kind(row.basis);
  const auto factor = in_unit_of(limit.unit, kind ? kind->unit : "s");
  const bool rate = !kind && limit.unit == per_second_text(unit);
  if (!factor && !rate) refuse_unit(limit, row.name, kind ? unit : "s or " + per_second_text(unit));
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
  AtLimit found{limit.text(), limit.unit};
  if (!row) return found;
  const std::vector<double> values = values_of(*row, limit);
  found.launches = values.size();
  found.figure = stats::median(values);
  const auto bounds = stats::quantile_interval(values, 0.5, confidence);
  if (!bounds) return found;
  found.low = bounds->low;
  found.high = bounds->high;
  const bool within = limit.below ? bounds->high < limit.value : bounds->low > limit.value;
  const bool beyond = limit.below ? bounds->low >= limit.value : bounds->high <= limit.value;
  if (within) found.state = AtLimit::State::kept;
  if (beyond) found.state = AtLimit::State::exceeded;
  return found;
}

}  // namespace

std::string StatedLimit::text() const {
  return fmt::format("{} {}{}{}", below ? '<' : '>', value, unit.empty() ? "" : " ", unit);
}

StatedLimit read_limit(const std::string& text) {
  StatedLimit limit;
  const std::size_t mark = text.find_last_of("<>");
  if (mark != std::string::npos) {
    limit.rows = trimmed_of_spaces(text.substr(0, mark));
    limit.below = text[mark] == '<';
    const std::string figure = trimmed_of_spaces(text.substr(mark + 1));
    const auto read = std::from_chars(figure.data(), figure.data() + figure.size(), limit.value);
    if (read.ec == std::errc() && limit.value > 0 && std::isfinite(limit.value))
      limit.unit =
          trimmed_of_spaces(figure.substr(static_cast<std::size_t>(read.ptr - figure.data())));
    else
      limit.value = 0;
  }
  if (limit.rows.empty() || !(limit.value > 0))
    throw Error(fmt::format(
        "limit \"{}\" is not ROWS<VALUE or ROWS>VALUE, with a positive value and the unit of the "
        "row: 'Parse/time<5ms'",
        text));
  return limit;
}

void check_limits(const std::vector<StatedLimit>& limits, const std::set<RowId>& rows,
                  const std::map<RowId, std::string>& units) {
  for (const StatedLimit& limit : limits) {
    const std::set<RowId> selected = select_rows(rows, limit.rows);
    if (selected.empty())
      throw Error(fmt::format("--limit '{}{}': no row of this run has this name{}", limit.rows,
                              limit.text(), did_you_mean_row(limit.rows, rows)));
    for (const RowId& row : selected) {
      const auto unit = units.find(row);
      const auto kind = unit == units.end() ? std::nullopt : figure_kind(unit->second);
      if (kind && !in_unit_of(limit.unit, kind->unit)) refuse_unit(limit, row, unit->second);
      if (!kind && !seconds_in(limit.unit) && !limit.unit.ends_with("/s"))
        refuse_unit(limit, row, "s, or in work per second");
    }
  }
}

void judge_limits(std::vector<Facts>& rows, const std::vector<StatedLimit>& limits,
                  const Measurements& measured) {
  for (const StatedLimit& limit : limits) {
    for (Facts& facts : rows) {
      if (select_rows(std::set<RowId>{facts.name}, limit.rows).empty()) continue;
      const auto row = measured.rows.find(facts.name);
      facts.limits.push_back(
          held_against(row == measured.rows.end() ? nullptr : &row->second, limit));
    }
  }
}

}  // namespace ratchet::gate
