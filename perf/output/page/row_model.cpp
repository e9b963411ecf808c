#include "perf/output/page/row_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "kernels/contract/row_filter.h"
#include "perf/stats/quantile.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using gate::Verdict;
using nlohmann::json;

void copy_texts(json& model, const Node& entry, const char* key, std::size_t most) {
  for (const Node& each : entry.list_or_empty(key))
    model[key].push_back(printable(each.text(), most));
}

void copy_number(json& model, const Node& entry, const char* key, int decimals) {
  if (entry.has(key)) model[key] = rounded(entry.at(key).number(), decimals);
}

/// The interval that decided: the simultaneous one; for "same", or without it, the per-comparison
/// one.
void add_interval(json& model, const Node& entry, Verdict verdict) {
  const bool simultaneous = entry.has("low") && entry.has("high");
  const bool per_comparison = entry.has("plain_low") && entry.has("plain_high");
  if (!simultaneous && !per_comparison) return;
  const bool alone = per_comparison && (verdict == Verdict::same || !simultaneous);
  model["low"] = rounded(entry.at(alone ? "plain_low" : "low").positive(), 6);
  model["high"] = rounded(entry.at(alone ? "plain_high" : "high").positive(), 6);
  model["interval"] = alone ? "per_comparison" : "simultaneous";
}

std::optional<double> median_of(const Row& row, const counter::Counter& key) {
  std::vector<double> values;
  for (const Launch& launch : row.launches)
    if (const auto value = launch.counter(key)) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

}  // namespace

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

RowModel row_model(const RowId& name, const Node& entry) {
  RowModel row;
  row.verdict = gate::verdict_in(entry);
  json model = {{"name", printable(name.text(), 1024)},
                {"family", printable(name.family(), 200)},
                {"verdict", row.verdict}};
  if (entry.has("ratio")) {
    row.ratio = entry.at("ratio").positive();
    model["ratio"] = rounded(*row.ratio, 6);
  }
  add_interval(model, entry, row.verdict);
  copy_number(model, entry, "tolerance", 6);
  copy_number(model, entry, "detectable", 5);
  if (entry.has("reason")) model["reason"] = printable(entry.at("reason").text(), 400);
  if (entry.has("settles")) model["settles"] = printable(entry.at("settles").text(), 200);
  copy_texts(model, entry, "remarks", 400);
  copy_texts(model, entry, "reasons", 400);
  copy_texts(model, entry, "listing", 200);
  for (const char* flag : {"identical_work", "settled"})
    if (entry.has(flag) && entry.at(flag).truth()) model[flag] = true;
  row.identical_work = model.contains("identical_work");
  if (entry.has("pair_s")) model["paired"] = true;
  row.model = std::move(model);
  return row;
}

void add_conditions(json& model, const Row& measured) {
  std::vector<double> milliseconds;
  for (const Launch& launch : measured.launches) milliseconds.push_back(launch.real_ms);
  if (!milliseconds.empty()) model["call_ms"] = tidy_number(stats::median(milliseconds));
  if (const auto share = median_of(measured, counter::limit_percent); share && *share > 0)
    model["limit_percent"] = rounded(*share, 1);
  if (const auto units = median_of(measured, counter::units)) model["units"] = tidy_number(*units);
}

void sort_worst_first(std::vector<RowModel>& rows) {
  const auto badness = [](const RowModel& row) {
    return std::tuple(row.verdict, row.ratio.value_or(1),
                      row.model.at("name").get_ref<const std::string&>());
  };
  std::sort(rows.begin(), rows.end(), [&](const RowModel& one, const RowModel& other) {
    return badness(one) < badness(other);
  });
}

json models_of(const std::vector<RowModel>& rows) {
  json list = json::array();
  for (const RowModel& row : rows) list.push_back(row.model);
  return list;
}

}  // namespace ratchet::report
