#include "perf/gate/baseline/stated_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/support/error.h"
#include "perf/support/printable.h"
#include "perf/support/suggestion.h"

namespace ratchet::gate {
namespace {

std::string trimmed_of_spaces(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

[[noreturn]] void refuse_unit(const StatedLimit& limit, const RowId& row, const std::string& own) {
  if (limit.unit.empty())
    throw Error(fmt::format("--limit {0} has no unit, and {1} is in {2}: write {3} {4}'",
                            limit.quoted(), row, own,
                            limit.quoted().substr(0, limit.quoted().size() - 1),
                            own.substr(0, own.find_first_of(" ,"))));
  throw Error(fmt::format("--limit {}: its unit does not fit {}, which is in {}", limit.quoted(),
                          row, own));
}

const std::string time_of_a_call = "/time";

/// Without what names the time of a call.
std::string without_time(const std::string& rows) {
  return rows.ends_with(time_of_a_call) ? rows.substr(0, rows.size() - time_of_a_call.size())
                                        : rows;
}

/// By an expression, and not by a name or a part of one.
bool is_expression(const std::string& rows) {
  return rows.starts_with('-') || rows == "all" ||
         rows.find_first_of("^$*+?()[]{}|\\") != std::string::npos;
}

/// One has to lie below what the other has to lie above.
bool contradict(const StatedLimit& one, const StatedLimit& other) {
  const StatedLimit &most = one.below ? one : other, &least = one.below ? other : one;
  const auto factor = in_unit_of(most.unit, least.unit);
  return most.below && !least.below && factor && least.value * *factor >= most.value;
}

}  // namespace

std::string StatedLimit::text() const {
  return fmt::format("{} {}{}{}", below ? '<' : '>', value, unit.empty() ? "" : " ", unit);
}

std::string StatedLimit::quoted() const {
  if (!typed.empty()) return "'" + typed + "'";
  return fmt::format("'{}{}{}'", rows, text()[0], text().substr(2));
}

std::set<RowId> StatedLimit::of(const std::set<RowId>& all) const {
  if (stored) return all.count(rows) ? std::set<RowId>{rows} : std::set<RowId>{};
  std::set<RowId> found = select_stated(all, rows);
  if (const std::string row = without_time(rows); found.empty() && !row.empty() && row != rows) {
    found = select_stated(all, row);
    std::erase_if(found, [&](const RowId& name) { return figures.count(name) > 0; });
  }
  if (is_expression(rows)) return found;
  const std::set<RowId> named = found;
  std::erase_if(found, [&](const RowId& name) {
    const std::string& text = name.text();
    return figures.count(name) > 0 && named.count(text.substr(0, text.rfind('/'))) > 0;
  });
  return found;
}

StatedLimit read_limit(const std::string& text) {
  StatedLimit limit;
  limit.typed = text;
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
    // "563 M items/s", as tables have it.
    constexpr std::array<std::pair<char, double>, 4> prefixes = {
        {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}}};
    for (const auto& [letter, factor] : prefixes)
      if (limit.unit.size() > 2 && limit.unit[0] == letter && limit.unit[1] == ' ') {
        limit.value *= factor;
        limit.unit = trimmed_of_spaces(limit.unit.substr(1));
        break;
      }
  }
  if (limit.rows.empty() || !(limit.value > 0))
    throw Error(fmt::format(
        "limit \"{}\" is not ROWS<VALUE or ROWS>VALUE, with a positive value and the unit of the "
        "row: 'BM_dot<5us' for the time of a call, 'Parse/size<5MB' for a figure",
        text));
  return limit;
}

std::optional<double> in_unit_of(const std::string& limit, const std::string& unit) {
  if (limit == unit) return 1;
  for (const auto& base : {seconds_in, bytes_in})
    if (base(limit) && base(unit)) return *base(unit) / *base(limit);
  return std::nullopt;
}

std::set<RowId> rows_of_figures(const std::map<RowId, std::string>& units) {
  std::set<RowId> found;
  for (const auto& [row, unit] : units)
    if (figure_kind(unit)) found.insert(row);
  return found;
}

std::vector<StatedLimit> of_this_run(std::vector<StatedLimit> limits, const std::set<RowId>& rows,
                                     const std::set<RowId>& listed,
                                     const std::function<void(const std::string&)>& say) {
  std::erase_if(limits, [&](const StatedLimit& limit) {
    const bool left_out = limit.of(rows).empty() && !limit.of(listed).empty();
    if (left_out)
      say(fmt::format("--limit {} is of rows that this run leaves out", limit.quoted()));
    return left_out;
  });
  return limits;
}

std::vector<StatedLimit> checked_limits(std::vector<StatedLimit> limits,
                                        const std::set<RowId>& rows,
                                        const std::map<RowId, std::string>& units) {
  for (StatedLimit& limit : limits) limit.figures = rows_of_figures(units);
  for (const StatedLimit& limit : limits) {
    const std::set<RowId> selected = limit.of(rows);
    if (selected.empty())
      throw Error(fmt::format("--limit {}: no row of this run has this name{}", limit.quoted(),
                              did_you_mean_row(without_time(limit.rows), rows)));
    for (const RowId& row : selected) {
      const auto unit = units.find(row);
      const auto kind = unit == units.end() ? std::nullopt : figure_kind(unit->second);
      if (kind && !in_unit_of(limit.unit, kind->unit)) refuse_unit(limit, row, unit->second);
      if (!kind && !seconds_in(limit.unit) && !limit.unit.ends_with("/s"))
        refuse_unit(limit, row, "s, or in work per second");
      if (const bool rate = !kind && !seconds_in(limit.unit);
          rate && unit != units.end() && !unit->second.empty() &&
          limit.unit != per_second_text(unit->second))
        refuse_unit(limit, row, "s or " + per_second_text(unit->second));
      for (const StatedLimit& other : limits)
        if (contradict(limit, other) && other.of(rows).count(row))
          throw Error(fmt::format("--limit {} and {}: no value of {} keeps both", limit.quoted(),
                                  other.quoted(), row));
    }
  }
  return limits;
}

std::vector<StatedLimit> stored_limits(const BaselineStore& store, const Fingerprint& here) {
  std::vector<StatedLimit> found;
  for (const StoredFile& file : store.files())
    for (const auto& [name, row] : file.content.rows) {
      if (!file.content.fingerprint().matches(here, name.device())) continue;
      for (const std::string& text : row.limits) try {
          found.push_back(read_limit("row" + text));
          found.back().rows = name;
          found.back().typed.clear();
          found.back().stored = true;
        } catch (const Error&) {
          throw Error(
              fmt::format("{}, row {}: its limit \"{}\" is not <VALUE or >VALUE, with a "
                          "positive value and the unit of the row",
                          file.path.string(), name, printable(text, 80)));
        }
    }
  return found;
}

std::vector<std::string> with_limit(std::vector<std::string> limits, const StatedLimit& added) {
  std::erase_if(limits,
                [&](const std::string& text) { return text.starts_with('<') == added.below; });
  limits.push_back(added.text());
  std::sort(limits.begin(), limits.end());
  return limits;
}

}  // namespace ratchet::gate
