#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/output/files/formats.h"
#include "perf/output/files/output_row.h"
#include "perf/stats/quantile.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

using nlohmann::json;

/// Bencher takes names of 1 to 1024 bytes, and refuses the whole file for one bad name.
bool exportable(const Row& row) {
  const auto fit = [](const Launch& launch) {
    return std::isfinite(launch.real_ms) && launch.real_ms > 0 && std::isfinite(launch.cpu_ms);
  };
  return !row.name.empty() && printable(row.name).size() <= 1024 && !row.launches.empty() &&
         std::all_of(row.launches.begin(), row.launches.end(), fit);
}

/// Throughput over the launches: the median and its bounds.
struct Throughput {
  double value = 0;
  double low = 0;
  double high = 0;
};

Throughput throughput_of(const Row& row) {
  const std::vector<double> values = row.throughputs();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  Throughput found{stats::median(values), *least, *most};
  if (const auto interval = stats::quantile_interval(values, 0.5, 0.95)) {
    found.low = interval->low;
    found.high = interval->high;
  }
  return found;
}

bool has_throughput(const Row& row) {
  if (!exportable(row)) return false;
  const std::vector<double> values = row.throughputs();
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value) && value > 0; });
}

/// The context without ratchet's own keys. An unknown schema version makes compare.py refuse the
/// file.
json export_context(const Measurements& measurements) {
  json context = measurements.context.is_object() ? measurements.context : json::object();
  context.erase("ratchet");
  context.erase("json_schema_version");
  if (!context.contains("caches") || !context["caches"].is_array())
    context["caches"] = json::array();
  return context;
}

json google_row(const Row& row, double real_ms, double cpu_ms, std::int64_t iterations) {
  const std::string name = printable(row.name);
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"threads", 1},
          {"iterations", iterations},
          {"real_time", tidy_number(real_ms)},
          {"cpu_time", tidy_number(cpu_ms)},
          {"time_unit", "ms"}};
}

double median_of(const Row& row, double Launch::*figure) {
  std::vector<double> values;
  for (const Launch& launch : row.launches) values.push_back(launch.*figure);
  return stats::median(values);
}

}  // namespace

json tracker_json(const Measurements& measured) {
  json rows = json::array();
  for (const auto& [name, row] : measured.rows) {
    const auto kind = figure_kind(row.basis);
    if (!exportable(row) || (kind && !seconds_in(kind->unit))) continue;  // smaller_json()
    json out = google_row(row, median_of(row, &Launch::real_ms), median_of(row, &Launch::cpu_ms),
                          row.launches.front().iterations);
    out["repetitions"] = 1;
    out["repetition_index"] = 0;
    out["launches"] = row.launches.size();
    if (has_throughput(row)) out["units_per_second"] = tidy_number(throughput_of(row).value);
    rows.push_back(out);
  }
  return {{"context", export_context(measured)}, {"benchmarks", rows}};
}

namespace {

/// Its own value in place of an inverse.
Throughput value_of(const Row& row, const FigureKind& kind) {
  const Throughput found = throughput_of(row);
  return {kind.throughput(found.value), kind.throughput(found.high), kind.throughput(found.low)};
}

bool is_smaller_better(const Row& row) {
  const auto kind = figure_kind(row.basis);
  return kind && kind->better == Better::smaller;
}

/// The rows whose figures are better smaller, or all others.
json custom_json(const Measurements& measured, const std::vector<RowReport>& reports,
                 bool smaller) {
  std::map<std::string, std::string> sentences, units;
  for (const RowReport& report : reports) {
    sentences[report.name] = sentence(output_row(report, {}));
    units[report.name] = unit_of(report);
  }
  json list = json::array();
  for (const auto& [name, row] : measured.rows) {
    if (!has_throughput(row) || is_smaller_better(row) != smaller) continue;
    const auto kind = figure_kind(row.basis);
    const Throughput found = smaller ? value_of(row, *kind) : throughput_of(row);
    const std::string own = units.contains(name) ? units[name] : unit_of(name, row.basis);
    const std::string unit = !smaller             ? per_second_text(own)
                             : kind->unit.empty() ? "value"
                                                  : kind->unit;
    list.push_back({{"name", printable(name)},
                    {"unit", unit},
                    {"value", tidy_number(found.value)},
                    {"extra", fmt::format("{} launch{}\n{}", row.launches.size(),
                                          row.launches.size() == 1 ? "" : "es", sentences[name])}});
    if (row.launches.size() < 2) continue;
    const double half_width =
        found.value > 0 ? (found.high - found.low) / 2 / found.value * 100 : 0;
    list.back()["range"] = fmt::format("± {:.2f} %", half_width);
  }
  return list;
}

/// The measure of Bencher's that a figure is of, and the factor to its unit: ns or bytes.
std::pair<std::string, double> bencher_measure(const FigureKind& kind) {
  if (const auto seconds = seconds_in(kind.unit)) return {"latency", *seconds * 1e9};
  if (const auto bytes = bytes_in(kind.unit)) return {"file-size", *bytes};
  return {kind.unit.empty() ? "value" : printable(kind.unit), 1};
}

}  // namespace

json throughput_json(const Measurements& measured, const std::vector<RowReport>& reports) {
  return custom_json(measured, reports, false);
}

json smaller_json(const Measurements& measured, const std::vector<RowReport>& reports) {
  return custom_json(measured, reports, true);
}

json bencher_json(const Measurements& measured) {
  json all = json::object();
  for (const auto& [name, row] : measured.rows) {
    if (!has_throughput(row)) continue;
    const bool smaller = is_smaller_better(row);
    const auto [measure, factor] = smaller ? bencher_measure(*figure_kind(row.basis))
                                           : std::pair<std::string, double>("throughput", 1);
    const Throughput found = smaller ? value_of(row, *figure_kind(row.basis)) : throughput_of(row);
    json& entry = all[printable(name)][measure];
    entry["value"] = tidy_number(factor * found.value);
    if (row.launches.size() < 2) continue;  // one launch has no interval
    entry["lower_value"] = tidy_number(factor * found.low);
    entry["upper_value"] = tidy_number(factor * found.high);
  }
  return all;
}

json launches_json(const Measurements& measurements, const std::set<RowId>& rows) {
  json list = json::array();
  for (const auto& [name, row] : measurements.rows) {
    if (!rows.count(name)) continue;
    for (std::size_t i = 0; i < row.launches.size(); ++i) {
      const Launch& launch = row.launches[i];
      json out = google_row(row, launch.real_ms, launch.cpu_ms, launch.iterations);
      out["repetitions"] = row.launches.size();
      out["repetition_index"] = i;
      for (const auto& [counter, value] : launch.counters)
        if (std::isfinite(value) && !out.contains(counter)) out[counter] = tidy_number(value);
      list.push_back(out);
    }
  }
  return {{"context", export_context(measurements)}, {"benchmarks", list}};
}

std::set<RowId> common_rows(const Measurements& a, const Measurements& b) {
  std::set<RowId> names;
  for (const auto& [name, row] : a.rows) {
    const auto other = b.rows.find(name);
    if (other != b.rows.end() && exportable(row) && exportable(other->second)) names.insert(name);
  }
  return names;
}

}  // namespace ratchet::gate
