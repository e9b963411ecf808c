#include "perf/gate/output/output.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/gate/output/output_row.h"

namespace ratchet::gate {
namespace {

using nlohmann::json;
using Cells = std::vector<std::string>;

const Cells header = {"verdict", "row",      "change",  "interval",
                      "detects", "launches", "units/s", "reason"};

Cells cells(const OutputRow& row) {
  return {row.verdict,       row.name,           effect_text(row),     interval_text(row),
          detects_text(row), launches_text(row), throughput_text(row), row.reason};
}

/// A line of a Markdown table; what Markdown or HTML would take for markup is escaped.
std::string markdown_row(const Cells& row) {
  std::string line = "|";
  for (const std::string& cell : row) {
    line += " ";
    for (const char c : cell) {
      if (std::string_view("|*`<[\\").find(c) != std::string_view::npos) line += '\\';
      line += c;
    }
    line += " |";
  }
  return line + "\n";
}

json report_json(const RowReport& report) {
  json entry = {{"verdict", to_string(report.verdict)}, {"launches", report.launches}};
  if (!report.reason.empty()) entry["reason"] = printable(report.reason, 400);
  if (report.tolerance > 0) entry["tolerance"] = tidy_number(report.tolerance);
  if (!report.remarks.empty()) entry["remarks"] = report.remarks;
  if (!report.code_hash.empty()) entry["code_hash"] = report.code_hash;
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

std::string markdown_summary(const std::vector<RowReport>& reports, bool strict,
                             const std::string& note, std::size_t room) {
  // The last line, which counts what is left out, has to fit as well.
  constexpr std::size_t kept = 100;
  std::string text = "## ratchet: " + headline(reports, strict) + "\n\n";
  if (!note.empty()) text += "```\n" + note + "```\n\n";
  text += markdown_row(header) + "|" + std::string(" --- |");
  for (std::size_t i = 1; i < header.size(); ++i) text += " --- |";
  text += "\n";
  std::size_t shown = 0;
  for (const RowReport& report : reports) {
    const std::string line = markdown_row(cells(output_row(report, strict)));
    if (text.size() + line.size() + kept > room) break;
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
  for (const RowReport& report : reports) rows[printable(report.name)] = report_json(report);
  out.context["ratchet"] = {{"format", 1}, {"revision", revision}, {"rows", rows}};
  return out;
}

}  // namespace ratchet::gate
