#include "perf/gate/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "perf/baseline/json_file.h"

namespace ratchet::gate {
namespace {

using nlohmann::json;
using Cells = std::vector<std::string>;

const Cells header = {"verdict", "row",      "change",  "interval",
                      "detects", "launches", "units/s", "reason"};

std::string percent(double ratio) { return fmt::format("{:+.2f} %", (ratio - 1) * 100); }

/// The interval that decided, or the per-row one where none could be corrected for all rows.
std::string interval_text(const Decision& decision) {
  const auto& interval =
      decision.verdict == Verdict::same || !decision.alarm ? decision.plain : decision.alarm;
  if (!interval) return "-";
  return fmt::format("{:+.2f} ... {:+.2f} %", (interval->low - 1) * 100,
                     (interval->high - 1) * 100);
}

std::string detects(const Decision& decision) {
  if (std::isinf(decision.detectable)) return "-";
  return fmt::format("{:.1f} %", decision.detectable * 100);
}

Cells cells(const RowReport& report) {
  const bool compared = report.decision.has_value();
  const std::string launches =
      report.baseline_launches || report.launches
          ? fmt::format("{} + {}", report.baseline_launches, report.launches)
          : "-";
  return {to_string(report.verdict),
          report.name,
          compared ? percent(report.decision->ratio) : "-",
          compared ? interval_text(*report.decision) : "-",
          compared ? detects(*report.decision) : "-",
          launches,
          report.throughput > 0 ? fmt::format("{:.4g}", report.throughput) : "-",
          report.reason};
}

std::string markdown_row(const Cells& row) {
  std::string line = "|";
  for (std::string cell : row) {
    for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2)
      cell.replace(at, 1, "\\|");
    std::replace(cell.begin(), cell.end(), '\n', ' ');
    line += " " + cell + " |";
  }
  return line + "\n";
}

json report_json(const RowReport& report) {
  json entry = {{"verdict", to_string(report.verdict)}, {"launches", report.launches}};
  if (!report.reason.empty()) entry["reason"] = report.reason;
  if (report.tolerance > 0) entry["tolerance"] = tidy_number(report.tolerance);
  if (report.decision) {
    entry["ratio"] = tidy_number(report.decision->ratio);
    if (const auto& interval = report.decision->alarm) {
      entry["low"] = tidy_number(interval->low);
      entry["high"] = tidy_number(interval->high);
    }
    if (std::isfinite(report.decision->detectable))
      entry["detectable"] = tidy_number(report.decision->detectable);
  }
  return entry;
}

}  // namespace

std::string headline(const std::vector<RowReport>& reports, bool strict) {
  std::map<Verdict, int> counts;
  for (const RowReport& report : reports) ++counts[report.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  const ExitCode code = exit_code(reports, strict);
  const std::map<ExitCode, std::string> words = {{ExitCode::pass, "PASS"},
                                                 {ExitCode::regression, "REGRESSION"},
                                                 {ExitCode::failed, "FAILED"},
                                                 {ExitCode::undecided, "UNDECIDED"},
                                                 {ExitCode::nothing_ran, "NOTHING RAN"}};
  return fmt::format("{} (exit {}): {}", words.at(code), static_cast<int>(code),
                     text.empty() ? "no rows" : text);
}

std::string nothing_compared(const std::vector<RowReport>& reports, const Fingerprint& here,
                             const std::string& accept_command) {
  std::map<std::string, int> machines;
  int compared = 0;
  for (const RowReport& report : reports) {
    if (report.verdict == Verdict::uncompared)
      ++machines[here.machine_slug(device_of(report.name))];
    if (report.baseline_launches > 0 && report.launches > 0) ++compared;
  }
  std::string text;
  for (const auto& [machine, rows] : machines)
    text += fmt::format("No baseline has the fingerprint of this machine ({}, {} rows).\n", machine,
                        rows);
  if (text.empty()) return "";
  return fmt::format(
      "{}\n{}The intervals shown are those of the build against itself: the noise of this "
      "machine.\n"
      "To make these results the baseline:\n  {}\n",
      compared == 0 ? "NOTHING WAS COMPARED." : "NOT EVERYTHING WAS COMPARED.", text,
      accept_command);
}

std::string terminal_table(const std::vector<RowReport>& reports) {
  std::vector<Cells> table = {header};
  for (const RowReport& report : reports) table.push_back(cells(report));
  std::vector<std::size_t> widths(header.size(), 0);
  for (const Cells& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Cells& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}  ", row[i], i + 1 < row.size() ? widths[i] : 0);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string markdown_summary(const std::vector<RowReport>& reports, bool strict,
                             const std::string& note) {
  constexpr std::size_t room = 900 << 10;
  std::string text = "## ratchet: " + headline(reports, strict) + "\n\n";
  if (!note.empty()) text += "```\n" + note + "```\n\n";
  text += markdown_row(header) + "|" + std::string(" --- |");
  for (std::size_t i = 1; i < header.size(); ++i) text += " --- |";
  text += "\n";
  std::size_t shown = 0;
  for (const RowReport& report : reports) {
    const std::string line = markdown_row(cells(report));
    if (text.size() + line.size() > room) break;
    text += line;
    ++shown;
  }
  if (shown < reports.size())
    text += fmt::format("\n{} more rows are in the results file.\n", reports.size() - shown);
  return text;
}

Measurements results(const Measurements& measured, const std::vector<RowReport>& reports,
                     const std::string& revision) {
  Measurements out = measured;
  json rows = json::object();
  for (const RowReport& report : reports) rows[report.name] = report_json(report);
  out.context["ratchet"] = {{"format", 1}, {"revision", revision}, {"rows", rows}};
  return out;
}

}  // namespace ratchet::gate
