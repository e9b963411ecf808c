#include "perf/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "perf/report/markdown.h"

namespace ratchet::report {
namespace {

using CellOf = std::function<std::string(const PublishedRow&)>;

/// "5.370 ms (61 %)": the time, and the share of the hardware limit where the row carries it.
std::string time_cell(const Published& published, const Machine& machine, const std::string& row) {
  const auto throughput = machine.throughput(row);
  if (!throughput) return "";
  std::string cell = format_seconds(scaled_seconds(published, *throughput));
  if (const auto share = machine.counter(row, "limit_percent"))
    cell += fmt::format(" ({:.0f} %)", *share);
  return cell;
}

void dash_empty(std::vector<std::string>& cells) {
  for (std::string& cell : cells) {
    if (cell.empty()) cell.push_back('-');
  }
}

Table published_columns(const PublishedTable& table, const std::string& first) {
  std::vector<std::string> header = {first};
  for (const std::string& column : table.columns) header.push_back(column + ", published");
  Table result(header);
  for (const PublishedRow& row : table.rows) {
    std::vector<std::string> cells = {row.label};
    for (const Figure& figure : row.figures) cells.push_back(figure.printed);
    result.add(cells);
  }
  return result;
}

/// Adds a machine's column, unless it has nothing to say.
void add_measured(Table& table, const PublishedTable& published, const std::string& name,
                  const CellOf& cell_of) {
  std::vector<std::string> cells;
  for (const PublishedRow& row : published.rows) cells.push_back(cell_of(row));
  if (std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.empty(); }))
    return;
  dash_empty(cells);
  table.add_column(name, cells);
}

std::string ladder_table(const Published& published, const PublishedTable& table,
                         const std::vector<Machine>& machines) {
  Table result = published_columns(table, "version");
  std::vector<std::string> stages;
  for (const PublishedRow& row : table.rows)
    stages.push_back(row.stage.empty() ? "-" : "`" + row.stage + "`");
  result.add_column("stage", stages);
  for (const Machine& machine : machines)
    add_measured(result, table, machine.name,
                 [&](const PublishedRow& row) { return time_cell(published, machine, row.stage); });
  return result.text();
}

std::string scaling_table(const Published& published, const PublishedTable& table,
                          const std::vector<Machine>& machines) {
  Table result = published_columns(table, "threads");
  for (const Machine& machine : machines) {
    const std::string stage = table.rows.front().stage;
    const auto one = machine.throughput(machine.row_with_threads(stage, 1));
    add_measured(result, table, machine.name, [&](const PublishedRow& row) {
      const std::string name = machine.row_with_threads(row.stage, row.threads);
      std::string cell = time_cell(published, machine, name);
      if (!cell.empty() && one) cell += fmt::format(", {:.3f}x", *machine.throughput(name) / *one);
      return cell;
    });
  }
  return result.text();
}

std::string column_cell(const Published& published, const PublishedTable& table,
                        const Machine& machine, const std::string& threads) {
  const int cores = machine.cores();
  std::string row = table.stage;
  if (threads == "one") row = machine.row_with_threads(table.stage, 1);
  if (threads == "half") row = machine.row_with_threads(table.stage, std::max(1, cores / 2));
  if (threads == "all") row = machine.row_with_threads(table.stage, cores);
  return time_cell(published, machine, row);
}

/// Our machines stand below the text's, as the text lists its own.
std::string machine_table(const Published& published, const PublishedTable& table,
                          const std::vector<Machine>& machines) {
  std::vector<std::string> header = {"machine"};
  header.insert(header.end(), table.columns.begin(), table.columns.end());
  Table result(header);
  for (const PublishedRow& row : table.rows) {
    std::vector<std::string> cells = {row.label + " (published)"};
    for (const Figure& figure : row.figures) cells.push_back(figure.printed);
    result.add(cells);
  }
  for (const Machine& machine : machines) {
    std::vector<std::string> cells;
    for (const std::string& threads : table.column_threads)
      cells.push_back(column_cell(published, table, machine, threads));
    if (std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.empty(); }))
      continue;
    dash_empty(cells);
    cells.insert(cells.begin(), machine.name + " (measured)");
    result.add(cells);
  }
  return result.text();
}

std::string time_sink_table(const PublishedTable& table, const std::vector<Machine>& machines) {
  std::string text = published_columns(table, "what").text();
  for (const Machine& machine : machines) {
    if (!machine.time_sink) continue;
    Table measured({"what, measured on " + machine.name, "calls", "time", "share"});
    const timing::TimeSink& sink = *machine.time_sink;
    for (const timing::TimeSinkRow& row : sink.rows) {
      if (row.share < 0.001) continue;  // dozens of calls that take microseconds
      measured.add({row.type + ": " + row.name, fmt::format("{}", row.calls),
                    format_seconds(row.seconds), fmt::format("{:.2f} %", row.share * 100)});
    }
    measured.add(
        {"whole program, from the first CUDA call", "-", format_seconds(sink.wall_seconds), "-"});
    text += '\n';
    text += measured.text();
  }
  return text;
}

std::string table_text(const Published& published, const PublishedTable& table,
                       const std::vector<Machine>& machines) {
  std::string text = fmt::format("### {}\n\nSection \"{}\". Published on: {}.\n\n", table.title,
                                 table.section, table.hardware);
  switch (table.kind) {
    case TableKind::ladder:
      text += ladder_table(published, table, machines);
      break;
    case TableKind::scaling:
      text += scaling_table(published, table, machines);
      break;
    case TableKind::machines:
      text += machine_table(published, table, machines);
      break;
    case TableKind::timesink:
      text += time_sink_table(table, machines);
      break;
  }
  std::string notes;
  for (const PublishedRow& row : table.rows) {
    if (!row.note.empty()) notes += fmt::format("- {}: {}\n", row.label, row.note);
  }
  return text + (notes.empty() ? "" : "\n" + notes);
}

/// How many times the throughput of the text's last stage of the same backend this row reaches.
std::string ratio_cell(const Published& published, const Machine& machine, const std::string& row) {
  for (const auto& [backend, last] : published.last_stage) {
    if (row.find("/" + backend + "/") == std::string::npos) continue;
    const auto reference = machine.throughput(last);
    const auto reached = machine.throughput(row);
    if (reference && reached) return fmt::format("{:.2f}x of `{}`", *reached / *reference, last);
  }
  return "-";
}

std::string beyond_table(const Published& published, const std::vector<Machine>& machines) {
  const std::set<std::string> known = published.stages();
  Table table({"stage", "machine", "time", "throughput against the text's last stage"});
  bool any = false;
  for (const Machine& machine : machines) {
    for (const auto& [name, row] : machine.content.rows) {
      if (known.count(stage_of(name))) continue;
      table.add({"`" + name + "`", machine.name, time_cell(published, machine, name),
                 ratio_cell(published, machine, name)});
      any = true;
    }
  }
  return any ? "### Beyond the text\n\n" + table.text() + "\n" : "";
}

}  // namespace

double scaled_seconds(const Published& published, double units_per_second) {
  return published.scale_units / units_per_second;
}

std::string family_tables(const Published& published, const std::vector<Machine>& machines) {
  std::string text = fmt::format(
      "## {}: \"{}\" ({}, {})\n\nTimes are for {}. Measured ones are scaled from the median "
      "throughput "
      "of all stored launches; in brackets the share of the hardware limit reached.\n\n",
      published.family, published.title, published.author, published.document,
      published.scale_label);
  if (machines.empty()) text += "No machine has stored figures of this family yet.\n\n";
  for (const PublishedTable& table : published.tables)
    text += table_text(published, table, machines) + "\n";
  return text + beyond_table(published, machines);
}

std::string ladder(const Published& published, const Machine& machine) {
  Table table({"stage", "time for " + published.scale_label, "speed-up", "of the limit"});
  std::optional<double> first;
  for (const auto& [name, row] : machine.content.rows) {
    // The rungs only: a sweep point has a fourth part, and a table of its own in `ratchet tables`.
    if (std::count(name.begin(), name.end(), '/') > 2) continue;
    const auto throughput = machine.throughput(name);
    if (!throughput) continue;
    if (!first) first = throughput;
    const auto share = machine.counter(name, "limit_percent");
    table.add({"`" + name + "`", format_seconds(scaled_seconds(published, *throughput)),
               fmt::format("{:.2f}x", *throughput / *first),
               share ? fmt::format("{:.0f} %", *share) : "-"});
  }
  return first ? table.text() : "";
}

}  // namespace ratchet::report
