#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/output/history/render.h"
#include "perf/stats/quantile.h"
#include "perf/support/printable.h"

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

std::string figure_cell(const std::optional<double>& value, const std::string& unit) {
  return value ? rate_text(*value, unit) : "-";
}

void add_remark(std::string& remarks, const std::string& remark) {
  remarks += (remarks.empty() ? "" : "; ") + remark;
}

std::string remarks(const Series& series, std::size_t at, const Point* before) {
  const Point& point = series.points[at];
  std::string text;
  for (const Change& change : series.changes) {
    if (change.point == at)
      add_remark(text, fmt::format("CHANGE POINT {} (p = {:.2g}){}",
                                   change_text(change.after / change.before), change.p_value,
                                   change.same_code ? " of the machine, not of the code" : ""));
  }
  if (before && before->units && point.units && *before->units != *point.units)
    add_remark(text,
               fmt::format("work of one call {:g}, before {:g}", *point.units, *before->units));
  if (!point.reason.empty()) add_remark(text, point.reason);
  if (!point.accepted.empty()) add_remark(text, point.accepted);
  return text;
}

}  // namespace

std::string list_table(const std::vector<SeriesSummary>& all) {
  std::vector<Cells> table = {{"row", "machine", "fingerprint", "runs", "last run (UTC)",
                               "throughput", "clock", "verdict"}};
  for (const SeriesSummary& each : all)
    table.push_back(
        {each.name, each.machine, each.fingerprint_hash.substr(0, 8), std::to_string(each.runs),
         readable(each.last_time), figure_cell(each.last_throughput, each.unit),
         (each.clock.empty() ? "-" : each.clock) + (each.clocks_differ ? ", others too" : ""),
         verdict_text(each.last_verdict, each.accepted)});
  return aligned(table, {3, 5});
}

std::string series_table(const Series& series, std::size_t last) {
  std::vector<Cells> table = {
      {"run (UTC)", "revision", "throughput", "change", "launches", "verdict", ""}};
  const Point* before = nullptr;
  const std::size_t first =
      last == 0 || last > series.points.size() ? 0 : series.points.size() - last;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    const std::string change =
        before && point.throughput ? change_text(*point.throughput / *before->throughput) : "-";
    if (i >= first)
      table.push_back({readable(point.time), point.revision,
                       figure_cell(point.throughput, point.unit), change,
                       std::to_string(point.launches.size()),
                       verdict_text(point.verdict, point.accepted), remarks(series, i, before)});
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

namespace {

struct Signs {
  const char *point, *level, *change, *axis, *corner, *floor;
};
constexpr Signs ascii = {"*", "-", "|", "|", "+", "-"};
constexpr Signs beyond = {"●", "─", "┊", "│", "└", "─"};

/// The figures of a series on a grid of characters; cells point to signs, or are null.
class Grid {
 public:
  Grid(const Series& series, std::size_t columns, std::size_t lines)
      : columns_(columns), lines_(lines), count_(series.points.size()), cells_(columns * lines) {
    low_ = INFINITY;
    high_ = 0;
    for (const Point& point : series.points) {
      if (!point.throughput) continue;
      low_ = std::min(low_, *point.throughput);
      high_ = std::max(high_, *point.throughput);
    }
    if (high_ == low_) {  // centres a flat series
      low_ -= 0.01 * low_ + (low_ == 0);
      high_ += 0.01 * high_ + (high_ == 0);
    }
  }

  /// Few runs lie at most four columns apart; many share columns.
  std::size_t column(std::size_t index) const {
    const std::size_t span = std::min(columns_ - 1, 4 * (count_ - 1));
    return count_ < 2 ? 0 : index * span / (count_ - 1);
  }
  std::size_t line(double value) const {
    const double share = (high_ - value) / (high_ - low_);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(lines_ - 1)));
  }
  double value(std::size_t line) const {
    return high_ - (high_ - low_) * static_cast<double>(line) / static_cast<double>(lines_ - 1);
  }
  void put(std::size_t line, std::size_t column, const char* sign) {
    cells_[line * columns_ + column] = sign;
  }
  std::string text(std::size_t line) const {
    std::string all;
    std::size_t blanks = 0;  // pending, so that lines have no trailing blanks
    for (std::size_t i = 0; i < columns_; ++i) {
      const char* sign = cells_[line * columns_ + i];
      if (!sign) {
        ++blanks;
        continue;
      }
      all += std::string(blanks, ' ') + sign;
      blanks = 0;
    }
    return all;
  }

 private:
  std::size_t columns_, lines_, count_;
  double low_, high_;
  std::vector<const char*> cells_;
};

void draw(Grid& grid, const Series& series, std::size_t lines, const Signs& signs) {
  for (const Change& change : series.changes) {
    for (std::size_t i = 0; i < lines; ++i) grid.put(i, grid.column(change.point), signs.change);
  }
  const std::vector<double> level = levels(series);
  for (std::size_t i = 0; i < level.size(); ++i) {
    const bool ends = i + 1 == level.size() || level[i + 1] != level[i];
    const std::size_t to = ends ? grid.column(i) : grid.column(i + 1);
    for (std::size_t column = grid.column(i); level[i] > 0 && column <= to; ++column)
      grid.put(grid.line(level[i]), column, signs.level);
  }
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    if (series.points[i].throughput)
      grid.put(grid.line(*series.points[i].throughput), grid.column(i), signs.point);
  }
}

}  // namespace

Series drawn(Series series) {
  const auto kind = figure_kind(series.summary.unit);
  if (!kind) return series;
  for (Point& point : series.points) {
    if (point.throughput) point.throughput = kind->throughput(*point.throughput);
    for (double& launch : point.launches) launch = kind->throughput(launch);
  }
  return series;
}

namespace {

/// Figures of an axis with one prefix, that of the largest: "730 k".
std::string axis_label(double value, double largest) {
  constexpr std::array<std::pair<double, const char*>, 3> prefixes = {
      {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  for (const auto& [size, prefix] : prefixes)
    if (largest >= size) return fmt::format("{:.4g}{}", value / size, prefix);
  return fmt::format("{:.5g}", value);
}

}  // namespace

std::string terminal_plot(const Series& of, std::size_t width, std::size_t height, bool unicode) {
  const Series series = drawn(of);
  const auto figures = std::count_if(series.points.begin(), series.points.end(),
                                     [](const Point& point) { return point.throughput; });
  if (figures < 2) return "";
  constexpr std::size_t label = 12;
  const Signs& signs = unicode ? beyond : ascii;
  const std::size_t columns = std::max<std::size_t>(width, 40) - label;
  const std::size_t lines = std::max<std::size_t>(height, 3);
  Grid grid(series, columns, lines);
  draw(grid, series, lines, signs);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    const bool labelled = i == 0 || i + 1 == lines || i == (lines - 1) / 2;
    text += fmt::format("{:>10} {}{}\n", labelled ? axis_label(grid.value(i), grid.value(0)) : "",
                        signs.axis, grid.text(i));
  }
  text += std::string(label - 1, ' ') + signs.corner;
  for (std::size_t i = 0; i < columns; ++i) text += signs.floor;
  const std::string from = series.points.front().time.substr(0, 10);
  const std::string to = series.points.back().time.substr(0, 10);
  const std::size_t end = std::max(grid.column(series.points.size() - 1) + 1, 2 * from.size() + 2);
  return text + fmt::format("\n{}{}{:>{}}\n", std::string(label, ' '), from, to,
                            std::min(end, columns) - from.size());
}

namespace {

std::string label(const char* name, const std::string& value) {
  std::string escaped;
  for (const char c : printable(value, 1024)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fmt::format("{}=\"{}\"", name, escaped);
}

std::string labels_of(const SeriesSummary& series) {
  const auto kind = figure_kind(series.unit);
  const bool smaller = kind && kind->better == Better::smaller;
  const std::string unit = kind ? kind->unit : series.unit + "/s";
  return fmt::format(
      "{},{},{},{},{},{}", label("row", series.name), label("machine", series.machine),
      label("fingerprint", series.fingerprint_hash.substr(0, 8)), label("unit", unit),
      label("clock", series.clock), label("better", smaller ? "smaller" : "larger"));
}

double value_of(const SeriesSummary& series) {
  const auto kind = figure_kind(series.unit);
  const double throughput = series.last_throughput.value_or(std::nan(""));
  return kind ? kind->throughput(throughput) : throughput;
}

double seconds_of(const std::string& time) {
  std::tm parts{};
  strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return static_cast<double>(timegm(&parts));
}

}  // namespace

std::string openmetrics_text(const std::vector<SeriesSummary>& all) {
  std::string text;
  const auto family = [&](const char* name, const char* help, const auto& sample) {
    text += fmt::format("# TYPE {0} gauge\n# HELP {0} {1}\n", name, help);
    for (const SeriesSummary& series : all) {
      const auto [more, value] = sample(series);
      if (std::isfinite(value))
        text += fmt::format("{}{{{}{}}} {}\n", name, labels_of(series), more, value);
    }
  };
  using Sample = std::pair<std::string, double>;
  family("ratchet_row_value", "Throughput of the last run, or the value of a printed figure.",
         [](const SeriesSummary& series) { return Sample("", value_of(series)); });
  family("ratchet_row_verdict", "1 with the verdict of the last run.",
         [](const SeriesSummary& series) {
           return Sample("," + label("verdict", verdict_text(series.last_verdict)) + "," +
                             label("accepted", series.accepted.empty() ? "no" : "yes"),
                         1);
         });
  family("ratchet_row_runs", "Runs in the history.",
         [](const SeriesSummary& series) { return Sample("", static_cast<double>(series.runs)); });
  family("ratchet_row_last_run_timestamp_seconds", "Time of the last run.",
         [](const SeriesSummary& series) { return Sample("", seconds_of(series.last_time)); });
  return text + "# EOF\n";
}

}  // namespace ratchet::history
