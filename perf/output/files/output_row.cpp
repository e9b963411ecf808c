#include "perf/output/files/output_row.h"

#include <fmt/format.h>

#include <cmath>

#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

/// The interval that decided, or the per-comparison one if there is no simultaneous one.
std::optional<stats::Bounds> shown_bounds(const Decision& decision) {
  return decision.verdict == Verdict::same || !decision.simultaneous ? decision.per_comparison
                                                                     : decision.simultaneous;
}

/// "-5.02", or with an exponent for enormous changes.
std::string percent(double ratio) {
  const double value = (ratio - 1) * 100;
  return std::fabs(value) < 1e5 ? fmt::format("{:+.2f}", value) : fmt::format("{:+.1e}", value);
}

/// The largest loss that an undecided row may have, from the lower bound of its ratio.
std::string most_lost(double low) {
  if (low >= 1) return "no loss is left possible";
  return fmt::format("may have lost up to {:.1f} %", 100 * (1 - low));
}

/// What differs in the code that a slower or faster row executes, one line each.
std::vector<std::string> differences_in_work(const RowReport& report) {
  std::vector<std::string> lines;
  if (report.moved && report.launched)
    lines.push_back("it launches " + to_string(*report.launched));
  if (report.moved && report.executes == Facts::Executes::other_program)
    lines.push_back("the program differs from the baseline's");
  if (report.moved && report.executes == Facts::Executes::other)
    lines.push_back("it executes other code than the baseline: `ratchet explain " +
                    report.name.text() + "` shows the difference");
  lines.insert(lines.end(), report.reasons.begin(), report.reasons.end());
  return lines;
}

}  // namespace

OutputRow output_row(const RowReport& report, const Policy& policy) {
  OutputRow row;
  row.name = printable(report.name);
  row.family = row.name.family();
  if (row.family.empty()) row.family = "ratchet";
  row.verdict = report.verdict;
  // The error output of a third-party program may be long, and a table is not a log.
  std::string reason = to_string(report.reason);
  for (const std::string& remark : texts(report.remarks)) {
    if (reason.find(remark) == std::string::npos) reason += (reason.empty() ? "" : "; ") + remark;
  }
  const std::optional<stats::Bounds> bounds =
      report.decision ? shown_bounds(*report.decision) : std::nullopt;
  if (report.verdict == Verdict::undecided && bounds)
    reason = most_lost(bounds->low) + (reason.empty() ? "" : "; ") + reason;
  row.reason = printable(reason, 400);
  for (const std::string& each : differences_in_work(report))
    row.reasons.push_back(printable(each, 400));
  Ending alone;
  alone.verdicts = {report.verdict};
  row.outcome = exit_code(alone, policy);
  row.tolerance = report.tolerance;
  row.baseline_launches = report.baseline_launches;
  row.launches = report.launches;
  row.throughput = report.throughput;
  if (report.decision) {
    row.ratio = report.decision->ratio;
    row.interval = bounds;
    if (std::isfinite(report.decision->detectable)) row.detectable = report.decision->detectable;
  }
  return row;
}

std::vector<OutputRow> output_rows(const std::vector<RowReport>& reports, const Policy& policy) {
  std::vector<OutputRow> rows;
  for (const RowReport& report : reports) rows.push_back(output_row(report, policy));
  return rows;
}

std::string effect_text(const OutputRow& row) {
  return row.ratio ? percent(*row.ratio) + " %" : "-";
}

std::string interval_text(const OutputRow& row) {
  if (!row.interval) return "-";
  return fmt::format("{} ... {} %", percent(row.interval->low), percent(row.interval->high));
}

std::string detects_text(const OutputRow& row) {
  return row.detectable ? fmt::format("{:.1f} %", *row.detectable * 100) : "-";
}

std::string launches_text(const OutputRow& row) {
  if (row.baseline_launches + row.launches == 0) return "-";
  return fmt::format("{} + {}", row.baseline_launches, row.launches);
}

std::string throughput_text(const OutputRow& row) {
  return row.throughput > 0 ? fmt::format("{:.4g}", row.throughput) : "-";
}

std::string sentence(const OutputRow& row) {
  std::string text = to_string(row.verdict);
  if (row.ratio)
    text +=
        fmt::format(": {} ({}), tolerance {:.1f} %, detects {}, {} launches", effect_text(row),
                    interval_text(row), row.tolerance * 100, detects_text(row), launches_text(row));
  if (row.reason.empty()) return text;
  return text + (row.ratio ? "; " : ": ") + row.reason;
}

}  // namespace ratchet::gate
