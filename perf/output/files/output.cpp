#include "perf/output/files/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <numeric>
#include <optional>

#include "kernels/contract/counted.h"
#include "perf/output/files/output_row.h"
#include "perf/support/interruption.h"
#include "perf/support/printable.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {
namespace {

constexpr std::size_t columns = 120;
/// A longer name gets its own line: as much as the other columns leave, within these.
constexpr std::size_t narrowest_name = 10, widest_name = 38;
constexpr const char* gap = "  ";
using Cells = std::array<std::string, 9>;
using Widths = std::array<std::size_t, 9>;

const Cells header = {"verdict", "row",      "throughput change, interval",
                      "tol.",    "MDE",      "before -> after",
                      "clock",   "launches", "reason"};

std::string either(const std::string& text) { return text.empty() ? "-" : text; }

Cells cells(const OutputRow& row) {
  std::string change = effect_text(row);
  if (row.interval && !row.identical_work) change += gap + interval_text(row);
  return {to_string(row.verdict), row.name,           change,
          tolerance_text(row),    detects_text(row),  throughput_text(row),
          either(row.clock),      launches_text(row), row.reason};
}

/// The summary's table has more room.
const std::vector<std::string> summary_header = {"verdict",
                                                 "row",
                                                 "throughput change",
                                                 "interval of the change",
                                                 "tolerance",
                                                 "MDE (minimum detectable effect)",
                                                 "before -> after",
                                                 "time per call",
                                                 "clock",
                                                 "launches",
                                                 "reason"};

std::vector<std::string> summary_cells(const OutputRow& row) {
  return {to_string(row.verdict),
          row.name,
          effect_text(row),
          interval_text(row),
          tolerance_text(row),
          detects_text(row),
          throughput_text(row),
          call_text(row),
          either(row.clock),
          launches_text(row),
          row.reason};
}

/// Pads here, since fmt counts bytes or estimates columns itself.
std::string padded(const std::string& text, std::size_t width) {
  const std::size_t length = characters(text);
  return length < width ? text + std::string(width - length, ' ') : text;
}

/// Lines of at most `width` characters, broken at spaces if possible.
std::vector<std::string> wrapped(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (characters(text) > width) {
    std::size_t end = 0;  // of the first `width` characters, in bytes
    for (std::size_t count = 0; count < width; ++end)
      count += end + 1 >= text.size() || (static_cast<unsigned char>(text[end + 1]) & 0xc0) != 0x80;
    const std::size_t space = text.rfind(' ', end);
    if (space != std::string::npos && space > 0) {
      lines.push_back(text.substr(0, space));
      text.erase(0, space + 1);
    } else {
      lines.push_back(text.substr(0, end));
      text.erase(0, end);
    }
  }
  lines.push_back(text);
  return lines;
}

Widths widths_of(const std::vector<Cells>& table) {
  Widths widths{};
  const auto widen = [&](std::size_t column, std::size_t most) {
    for (const Cells& row : table)
      if (const std::size_t width = characters(row[column]); width <= most)
        widths[column] = std::max(widths[column], width);
  };
  std::size_t others = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    if (i != 1) widen(i, columns);
    others += widths[i] + std::string_view(gap).size();
  }
  const std::size_t room = columns - std::min(columns, others);
  widen(1, std::clamp(room, narrowest_name, widest_name));
  return widths;
}

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

std::optional<Colour> colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return Colour::green;
    case Verdict::faster:
      return Colour::blue;
    case Verdict::slower:
    case Verdict::failed:
    case Verdict::missing:
    case Verdict::changed:
    case Verdict::unverified:
      return Colour::red;
    case Verdict::added:
    case Verdict::undecided:
    case Verdict::uncompared:
      return Colour::yellow;
    case Verdict::unavailable:
      break;
  }
  return std::nullopt;
}

/// A row; a long reason continues below, indented.
void add_row(std::string& text, const Cells& row, const Widths& widths,
             std::optional<Colour> paint) {
  std::string line;
  const std::size_t start = text.size();
  const std::string indent(widths[0] + 4, ' ');
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    line += padded(row[i], widths[i]) + gap;
    if (i == 1 && characters(row[i]) > widths[i]) {
      add_line(text, line);
      line = std::string(widths[0] + widths[1] + 4, ' ');
    }
  }
  if (characters(line) + characters(row.back()) <= columns) {
    add_line(text, line + row.back());
  } else {
    add_line(text, line);
    for (const std::string& part : wrapped(row.back(), columns - indent.size()))
      add_line(text, indent + part);
  }
  // Last, because escape sequences have no width.
  if (paint) text.replace(start, row.front().size(), painted(row.front(), *paint));
}

/// Rows counted by what they have in common, instead of one line each.
std::string together(const std::string& verdict, const std::map<std::string, int>& rows,
                     bool named = true) {
  if (rows.empty()) return "";
  int count = 0;
  std::string parts;
  for (const auto& [part, of_it] : rows) {
    count += of_it;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", of_it, part);
  }
  std::string text;
  for (const std::string& line :
       wrapped(fmt::format("{} {}{}", counted(count, "rows"), verdict, named ? ": " + parts : ""),
               columns))
    add_line(text, (text.empty() ? "" : "  ") + line);
  return text;
}

/// Below a row, what differs in what it executes.
void add_reason_lines(std::string& text, const std::vector<std::string>& reasons,
                      std::size_t indent) {
  for (const std::string& reason : reasons) {
    const char* mark = "* ";
    for (const std::string& part : wrapped(reason, columns - indent - 2)) {
      add_line(text, std::string(indent, ' ') + mark + part);
      mark = "  ";
    }
  }
}

/// Text for Markdown, with Markdown's and HTML's markup escaped.
std::string escaped_markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("|*`<[\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// A line of a Markdown table.
std::string markdown_row(const std::vector<std::string>& row) {
  std::string line = "|";
  for (const std::string& cell : row) line += " " + escaped_markdown(cell) + " |";
  return line + "\n";
}

}  // namespace

std::string headline(const std::vector<RowReport>& reports, ExitCode code, bool colour) {
  VerdictCounts counts;
  for (const RowReport& report : reports) counts.add(report.verdict);
  const auto slow = std::count_if(reports.begin(), reports.end(), seems_slower);
  std::string text = counts.text();
  if (slow > 0)
    text += fmt::format("; {} of the undecided seem{} slower", slow, slow == 1 ? "s" : "");
  for (const Verdict verdict : {Verdict::slower, Verdict::changed, Verdict::missing})
    if (const auto accepted =
            std::count_if(reports.begin(), reports.end(), [&](const RowReport& report) {
              return report.verdict == verdict && gate::is_accepted(report);
            }))
      text += fmt::format("; {} of the {} accepted by a commit", accepted, to_string(verdict));
  std::map<AtLimit::State, int> limits;
  for (const RowReport& report : reports)
    for (const AtLimit& limit : report.limits) ++limits[limit.state];
  for (const AtLimit::State state : {AtLimit::State::exceeded, AtLimit::State::undecided})
    if (const int count = limits[state]; count > 0)
      text += fmt::format("; {} {}", counted(static_cast<std::size_t>(count), "limits"),
                          to_string(state));
  const std::map<ExitCode, std::string> words = {{ExitCode::pass, "PASS"},
                                                 {ExitCode::regression, "REGRESSION"},
                                                 {ExitCode::failed, "FAILED"},
                                                 {ExitCode::undecided, "UNDECIDED"},
                                                 {ExitCode::nothing_ran, "NOTHING RAN"},
                                                 {after_interruption(SIGINT), "INTERRUPTED"},
                                                 {after_interruption(SIGTERM), "INTERRUPTED"}};
  const bool passed = code == ExitCode::pass;
  const std::size_t decided =
      counts[Verdict::same] + counts[Verdict::faster] + counts[Verdict::slower];
  // Under `strict`: rows that are new or compared with nothing.
  const bool open =
      code == ExitCode::undecided && counts[Verdict::added] + counts[Verdict::uncompared] > 0;
  const bool mostly_open = counts[Verdict::undecided] > decided;
  const bool slower_on_nodes = std::any_of(
      reports.begin(), reports.end(),
      [](const RowReport& report) { return nodes_that_call_slower(report.remarks) > 0; });
  const bool limit = code == ExitCode::regression &&
                     std::none_of(reports.begin(), reports.end(), [](const RowReport& report) {
                       return report.verdict == Verdict::slower && !is_accepted(report);
                     });
  // Of identical work, by --by-time.
  const bool by_time_alone =
      code == ExitCode::regression && !limit && limits[AtLimit::State::exceeded] == 0 &&
      std::none_of(reports.begin(), reports.end(), [](const RowReport& report) {
        return report.verdict == Verdict::slower && !is_accepted(report) && !report.same_by_time;
      });
  const std::string word = passed && (slower_on_nodes || slow > 0)   ? "UNDECIDED"
                           : passed && decided == 0                  ? "NOTHING DECIDED"
                           : passed && mostly_open                   ? "MOSTLY UNDECIDED"
                           : open && counts[Verdict::undecided] == 0 ? "INCOMPLETE"
                           : limit                                   ? "LIMIT EXCEEDED"
                           : by_time_alone                           ? "SLOWER BY TIME ALONE"
                                                                     : words.at(code);
  const Colour paint = word == words.at(ExitCode::pass)                           ? Colour::green
                       : code == ExitCode::regression || code == ExitCode::failed ? Colour::red
                                                                                  : Colour::yellow;
  return fmt::format("{} (exit {}): {}", colour ? painted(word, paint) : word,
                     static_cast<int>(code), text.empty() ? "no rows" : text);
}

std::string nothing_compared(const std::vector<RowReport>& reports, const Fingerprint& here,
                             const std::string& accept_command) {
  std::map<std::string, int> machines;
  int compared = 0;
  for (const RowReport& report : reports) {
    if (report.verdict == Verdict::uncompared) ++machines[here.machine_slug(report.name.device())];
    if (report.baseline_launches > 0 && report.launches > 0) ++compared;
  }
  std::string text;
  for (const auto& [machine, rows] : machines)
    text += fmt::format("No baseline has the fingerprint of this machine ({}, {}).\n", machine,
                        counted(rows, "rows"));
  // The rows of a further program, beside those of which there are baselines.
  const auto added = std::count_if(reports.begin(), reports.end(), [](const RowReport& report) {
    return report.verdict == Verdict::added;
  });
  if (text.empty() && compared == 0 && added > 0)
    text = fmt::format("No baseline has {}.\n", added == 1 ? "this row" : "these rows");
  if (text.empty()) return "";
  return fmt::format("{}\n{}{}",
                     compared == 0 ? "NOTHING WAS COMPARED." : "NOT EVERYTHING WAS COMPARED.", text,
                     accept_note(accept_command));
}

std::string accept_note(const std::string& command) {
  return command.empty() ? "" : "To make these results the baseline:\n  " + command + "\n";
}

std::string terminal_table(const std::vector<RowReport>& reports, const DisplayOptions& display) {
  std::vector<Cells> table = {header};
  std::vector<OutputRow> rows(1);  // of the header none
  std::map<std::string, int> identical, unavailable;
  for (const RowReport& report : reports) {
    const OutputRow row = output_row(report, {});
    const bool limits_kept = std::ranges::all_of(
        report.limits, [](const auto& limit) { return limit.state == gate::AtLimit::State::kept; });
    if (display.quiet && limits_kept &&
        (report.verdict == Verdict::same || report.verdict == Verdict::unavailable))
      continue;
    if (!display.all_rows && report.identical_work && report.verdict == Verdict::same &&
        report.limits.empty() &&
        !report.layout)  // has a remark about its own speed, not about the machine's
      ++identical[row.family];
    else if (!display.all_rows && report.verdict == Verdict::unavailable && report.launches == 0)
      ++unavailable[row.reason];
    else {
      table.push_back(cells(row));
      rows.push_back(row);
    }
  }
  const auto widths = widths_of(table);
  const std::size_t figures = std::accumulate(widths.begin(), widths.end() - 1, std::size_t{0});
  if (figures + 8 * 2 + 6 > columns) table.front().back().clear();  // reasons stand below
  std::string text;
  for (std::size_t i = 0; i < table.size() && table.size() > 1; ++i) {
    add_row(text, table[i], widths,
            display.colour && i > 0 ? colour_of(rows[i].verdict) : std::nullopt);
    add_reason_lines(text, rows[i].reasons, widths[0] + 4);
  }
  const auto rows_of = [](int sum, const auto& part) { return sum + part.second; };
  const int count = std::accumulate(identical.begin(), identical.end(), 0, rows_of);
  // The first parts of the names are no families if nearly every row has its own.
  const bool families = 2 * static_cast<int>(identical.size()) <= count;
  text +=
      together("same (identical work)", identical, families) + together("unavailable", unavailable);
  if (!identical.empty() || !unavailable.empty())
    text += "all rows: summary.md in the results, or --all-rows\n";
  return text;
}

std::string markdown_summary(const std::vector<RowReport>& reports, const Policy& policy,
                             const std::string& note, std::optional<ExitCode> code,
                             std::size_t room) {
  // Leave room for the last line, which counts the omitted rows.
  constexpr std::size_t kept = 100;
  std::string text =
      "## ratchet: " + headline(reports, code.value_or(exit_code(reports, policy))) + "\n\n";
  if (!note.empty()) text += "```\n" + note + "```\n\n";
  text += markdown_row(summary_header) + "|";
  for (std::size_t i = 0; i < summary_header.size(); ++i) text += " --- |";
  text += "\n";
  std::size_t shown = 0;
  for (const RowReport& report : reports) {
    const std::string line = markdown_row(summary_cells(output_row(report, policy)));
    if (text.size() + line.size() + kept > room) break;
    text += line;
    ++shown;
  }
  std::string why;
  for (const RowReport& report : reports) {
    const OutputRow row = output_row(report, policy);
    std::string lines;
    if (!row.reasons.empty())
      lines = "\n" + escaped_markdown(row.name) + ", " + to_string(row.verdict) + ":\n\n";
    for (const std::string& reason : row.reasons) lines += "- " + escaped_markdown(reason) + "\n";
    if (text.size() + why.size() + lines.size() + kept > room) break;
    why += lines;
  }
  if (!why.empty()) text += "\n### What differs in the executed code\n" + why;
  if (shown < reports.size())
    text += fmt::format("\n{} more rows are in the results file.\n", reports.size() - shown);
  return text;
}

}  // namespace ratchet::gate
