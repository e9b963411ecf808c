#include <fmt/format.h>

#include <algorithm>

#include "perf/output/history/render.h"
#include "perf/stats/quantile.h"

namespace ratchet::history {
namespace {

using Cells = std::vector<std::string>;

/// Columns fitted to their content; figures right-aligned, the last column ragged.
std::string aligned(const std::vector<Cells>& table, const std::vector<std::size_t>& to_the_right) {
  std::vector<std::size_t> widths(table.front().size(), 0);
  for (const Cells& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Cells& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool right = std::count(to_the_right.begin(), to_the_right.end(), i) > 0;
      line += right ? fmt::format("{:>{}}  ", row[i], widths[i])
                    : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// "2026-01-31T12:00:00.000Z" as "2026-01-31 12:00:00".
std::string readable(const std::string& time) {
  std::string text = time.substr(0, 19);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string figure_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.5g}", *value) : "-";
}

void add_remark(std::string& remarks, const std::string& remark) {
  remarks += (remarks.empty() ? "" : "; ") + remark;
}

std::string remarks(const Series& series, std::size_t at, const Point* before) {
  const Point& point = series.points[at];
  std::string text;
  for (const Change& change : series.changes) {
    if (change.point == at)
      add_remark(text, fmt::format("CHANGE POINT {:+.2f} % (p = {:.2g})",
                                   (change.after / change.before - 1) * 100, change.p_value));
  }
  if (before && before->units && point.units && *before->units != *point.units)
    add_remark(text,
               fmt::format("work of one call {:g}, before {:g}", *point.units, *before->units));
  if (!point.reason.empty()) add_remark(text, point.reason);
  return text;
}

}  // namespace

std::string list_table(const std::vector<SeriesSummary>& all) {
  std::vector<Cells> table = {
      {"row", "machine", "fingerprint", "runs", "last run (UTC)", "units/s", "verdict"}};
  for (const SeriesSummary& each : all)
    table.push_back({each.name, each.machine, each.fingerprint_hash.substr(0, 8),
                     std::to_string(each.runs), readable(each.last_time),
                     figure_cell(each.last_throughput), verdict_text(each.last_verdict)});
  return aligned(table, {3, 5});
}

std::string series_table(const Series& series, std::size_t last) {
  std::vector<Cells> table = {
      {"run (UTC)", "revision", "units/s", "change", "launches", "verdict", ""}};
  const Point* before = nullptr;
  const std::size_t first =
      last == 0 || last > series.points.size() ? 0 : series.points.size() - last;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    const std::string change =
        before && point.throughput
            ? fmt::format("{:+.2f} %", (*point.throughput / *before->throughput - 1) * 100)
            : "-";
    if (i >= first)
      table.push_back({readable(point.time), point.revision, figure_cell(point.throughput), change,
                       std::to_string(point.launches.size()), verdict_text(point.verdict),
                       remarks(series, i, before)});
    if (point.throughput) before = &point;
  }
  return aligned(table, {2, 3, 4});
}

std::vector<double> levels(const Series& series) {
  std::vector<double> all(series.points.size(), 0);
  std::vector<std::size_t> bounds = {0};
  for (const Change& change : series.changes) bounds.push_back(change.point);
  bounds.push_back(series.points.size());
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    std::vector<double> figures;
    for (std::size_t at = bounds[i]; at < bounds[i + 1]; ++at) {
      if (series.points[at].throughput) figures.push_back(*series.points[at].throughput);
    }
    if (figures.empty()) continue;
    std::fill(all.begin() + static_cast<long>(bounds[i]),
              all.begin() + static_cast<long>(bounds[i + 1]), stats::median(figures));
  }
  return all;
}

}  // namespace ratchet::history
