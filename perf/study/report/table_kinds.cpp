#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "perf/study/report/figures/cells.h"
#include "perf/study/report/tables.h"

namespace ratchet::report {
namespace {

using CellOf = std::function<std::string(const PublishedRow&)>;

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
  if (all_empty(cells)) return;
  dash_empty(cells);
  table.add_column(name, cells);
}

/// Where the text prints how busy the device was, in columns "compute" and "memory": the same by
/// the range profiler. Compute is the busiest pipe of the multiprocessors, memory the busier of the
/// second-level cache and device memory.
std::vector<std::string> columns_of_use(const PublishedTable& table) {
  std::vector<std::string> columns;
  for (const std::string& column : table.columns)
    if (column == "compute" || column == "memory") columns.push_back(column);
  return columns;
}

std::string use_cell(const Machine& machine, const PublishedRow& row, const std::string& column) {
  const std::vector<std::string> pipes = {"alu_percent", "fma_percent", "xu_percent", "lsu_percent",
                                          "tensor_percent"};
  const auto use = machine.busiest(
      row.stage,
      column == "compute" ? pipes : std::vector<std::string>{"dram_percent", "l2_percent"});
  return use ? fmt::format("{:.0f} %", *use) : "";
}

Document ladder_table(const Published& published, const PublishedTable& table,
                      const std::vector<Machine>& machines) {
  Table result = published_columns(table, "version");
  std::vector<std::string> stages;
  for (const PublishedRow& row : table.rows) stages.push_back(stage_cell(published, row.stage));
  result.add_column("stage", stages);
  for (const Machine& machine : machines) {
    add_measured(result, table, machine.name, [&](const PublishedRow& row) {
      return speed_cell(published, machine, row.stage);
    });
    for (const std::string& column : columns_of_use(table))
      add_measured(result, table, machine.name + " " + column,
                   [&](const PublishedRow& row) { return use_cell(machine, row, column); });
  }
  return {result.block()};
}

/// Where the text has this column, measured cells end in it, too.
constexpr const char* kSpeedupOverThreads = "speedup / threads";

bool shows_shares(const PublishedTable& table) {
  return std::count(table.columns.begin(), table.columns.end(), kSpeedupOverThreads) > 0;
}

std::string scaling_cell(const Published& published, const PublishedTable& table,
                         const Machine& machine, const PublishedRow& row) {
  const RowId name = machine.row_with_threads(row.stage, row.threads);
  const auto one = machine.throughput(machine.row_with_threads(table.rows.front().stage, 1));
  std::string cell = speed_cell(published, machine, name);
  if (cell.empty() || !one) return cell;
  const double speedup = *machine.throughput(name) / *one;
  cell += fmt::format(", {:.3f}x", speedup);
  if (shows_shares(table)) cell += fmt::format(", {:.3f}", speedup / row.threads);
  return cell;
}

Document scaling_table(const Published& published, const PublishedTable& table,
                       const std::vector<Machine>& machines) {
  Table result = published_columns(table, "threads");
  for (const Machine& machine : machines)
    add_measured(result, table, machine.name, [&](const PublishedRow& row) {
      return scaling_cell(published, table, machine, row);
    });
  if (!shows_shares(table)) return {result.block()};
  return {
      result.block(),
      {"", "Behind each measured time: its speed-up over one thread, and that over the threads."}};
}

std::string column_cell(const Published& published, const PublishedTable& table,
                        const Machine& machine, const std::string& threads) {
  const int cores = machine.cores();
  RowId row = table.stage;
  if (threads == "one") row = machine.row_with_threads(table.stage, 1);
  if (threads == "half") row = machine.row_with_threads(table.stage, std::max(1, cores / 2));
  if (threads == "all") row = machine.row_with_threads(table.stage, cores);
  return speed_cell(published, machine, row);
}

/// Our machines stand below the text's, as the text lists its own.
Document machine_table(const Published& published, const PublishedTable& table,
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
    if (all_empty(cells)) continue;
    dash_empty(cells);
    cells.insert(cells.begin(), machine.name + " (measured)");
    result.add(cells);
  }
  return {result.block()};
}

/// Every line of the sink that the table is of.
Table time_sink_lines(const timing::TimeSink& sink, const std::string& machine) {
  Table measured({"what, measured on " + machine, "calls", "time", "share"});
  for (const timing::TimeSinkRow& row : sink.rows) {
    if (row.share < 0.001) continue;  // dozens of calls that take microseconds
    measured.add({row.type + ": " + row.name, fmt::format("{}", row.calls),
                  format_seconds(row.seconds), fmt::format("{:.2f} %", row.share * 100)});
  }
  measured.add({"from the first CUDA call to the result: API calls and outside calls", "-",
                format_seconds(sink.wall_seconds), "-"});
  measured.add(
      {"before the first CUDA call (CPU time)", "-", format_seconds(sink.before_seconds), "-"});
  measured.add({"whole process, unobserved", "-", format_seconds(sink.program_seconds), "-"});
  return measured;
}

/// All sinks of a machine, a line each: other stages, other sizes, another call that goes first.
Table time_sinks_side_by_side(const Machine& machine) {
  Table all({"program, measured on " + machine.name, "first call", "starts the runtime", "it takes",
             "on the GPU", "outside calls", "whole process"});
  for (const timing::TimeSink& sink : machine.time_sinks)
    all.add({fmt::format("`{}`", sink.stage), sink.first, sink.start_up_call,
             format_seconds(sink.start_up_seconds), format_seconds(sink.kernel_seconds),
             format_seconds(sink.outside_seconds), format_seconds(sink.program_seconds)});
  return all;
}

Document time_sink_table(const PublishedTable& table, const std::vector<Machine>& machines) {
  Document document = {published_columns(table, "what").block()};
  for (const Machine& machine : machines) {
    const auto& sinks = machine.time_sinks;
    if (sinks.empty()) continue;
    const auto of_table =
        std::find_if(sinks.begin(), sinks.end(),
                     [&](const timing::TimeSink& sink) { return sink.stage == table.stage; });
    if (of_table == sinks.end())
      throw Error(
          fmt::format("{} stores a time sink of {}, but none of {}, which the table \"{}\" needs; "
                      "measure it with `ratchet timesink {} --store FILE`",
                      machine.name, sinks.front().stage, table.stage, table.title, table.stage));
    document.push_back(time_sink_lines(*of_table, machine.name).block());
    if (sinks.size() > 1) document.push_back(time_sinks_side_by_side(machine).block());
  }
  return document;
}

/// Throughput over that of the plain build, with the interval that the verdict is by.
std::string build_cell(const Machine& machine, const PublishedRow& of, const Build& build) {
  const auto found = machine.builds.find(of.stage + "/build:" + build.name);
  if (found == machine.builds.end()) return "";
  const history::RowRecord& row = found->second;
  const std::string interval = fmt::format("({:.3f} to {:.3f})", *row.low, *row.high);
  if (row.verdict == gate::Verdict::same) return "same " + interval;
  const std::string cell = fmt::format("{:.3f}x {}", *row.ratio, interval);
  return row.verdict == gate::Verdict::undecided ? cell + ", undecided" : cell;
}

Document builds_table(const PublishedTable& table, const std::vector<Machine>& machines) {
  Table result = published_columns(table, "stage");
  double tolerance = 0;
  for (const Machine& machine : machines) {
    for (const auto& [name, row] : machine.builds)
      tolerance = std::max(tolerance, row.tolerance.value_or(0));
    for (const Build& build : table.builds)
      add_measured(result, table, fmt::format("{}, {}", build.label, machine.name),
                   [&](const PublishedRow& row) { return build_cell(machine, row, build); });
  }
  return {result.block(),
          {"", fmt::format("Measured: throughput over that of the plain build, and its interval; "
                           "\"same\" where that lies within {:g} %.",
                           100 * tolerance)}};
}

Document notes_of(const PublishedTable& table) {
  Document notes;
  for (const PublishedRow& row : table.rows) {
    if (row.note.empty()) continue;
    const std::string on = row.hardware.empty() || row.hardware == "-" ? "" : ", " + row.hardware;
    notes.push_back({"- ", fmt::format("{}{}: {}", row.label, on, row.note)});
  }
  return notes;
}

std::vector<MeasuredCell> cells_of(const Published& published, const PublishedTable& table,
                                   const Machine& machine) {
  std::vector<MeasuredCell> cells = speed_cells(published, table, machine);
  const auto add = [&](const std::string& place, const std::string& stage, std::string text,
                       const std::string& from = "") {
    cells.push_back({place, stage, std::move(text), from});
  };
  if (table.kind == TableKind::timesink)
    add("its lines", table.stage, machine.time_sinks.empty() ? "" : "measured", table.title);
  if (table.kind == TableKind::machines)
    for (std::size_t i = 0; i < table.column_threads.size(); ++i)
      add(table.columns[i], table.stage,
          column_cell(published, table, machine, table.column_threads[i]));
  for (const PublishedRow& row : table.rows) {
    if (table.kind == TableKind::ladder) {
      add(row.label, row.stage, speed_cell(published, machine, row.stage));
      for (const std::string& column : columns_of_use(table))
        add(row.label + ", " + column, row.stage, use_cell(machine, row, column), kGpuCounters);
    }
    if (table.kind == TableKind::scaling)
      add(fmt::format("{} with {} threads", row.stage, row.threads), row.stage,
          scaling_cell(published, table, machine, row));
    for (const Build& build : table.builds)
      add(row.label + ", " + build.label, row.stage, build_cell(machine, row, build), table.title);
  }
  return cells;
}

}  // namespace

Document table_text(const Published& published, const PublishedTable& table,
                    const std::vector<Machine>& machines) {
  Document document = {
      {"### ", table.title},
      {"", fmt::format("Section \"{}\". Published on: {}.", table.section, table.hardware)}};
  switch (table.kind) {
    case TableKind::ladder:
      document += ladder_table(published, table, machines);
      break;
    case TableKind::hardware:
      document += hardware_table(published, table, machines);
      break;
    case TableKind::ratios:
      document += ratios_table(published, table, machines);
      break;
    case TableKind::sweep:
      document += sweep_table(published, table, machines);
      break;
    case TableKind::scaling:
      document += scaling_table(published, table, machines);
      break;
    case TableKind::machines:
      document += machine_table(published, table, machines);
      break;
    case TableKind::timesink:
      document += time_sink_table(table, machines);
      break;
    case TableKind::builds:
      document += builds_table(table, machines);
      break;
  }
  if (markdown(document).find(kDisturbed) != std::string::npos)
    document.push_back(
        {"",
         "†: other programs held the processors during every launch; undisturbed it is faster."});
  document += notes_of(table);
  return document;
}

std::set<RowId> points_of_use(const Published& published) {
  std::set<RowId> points;
  for (const PublishedTable& table : published.tables)
    if (table.kind == TableKind::ladder && !columns_of_use(table).empty())
      for (const PublishedRow& row : table.rows)
        if (const RowId point(row.stage); !point.settings_text().empty()) points.insert(point);
  return points;
}

std::vector<MeasuredCell> measured_cells(const Published& published, const Machine& machine) {
  std::vector<MeasuredCell> all;
  for (const PublishedTable& table : published.tables)
    for (MeasuredCell& cell : cells_of(published, table, machine)) {
      cell.place = table.title + ": " + cell.place;
      all.push_back(std::move(cell));
    }
  return all;
}

std::string filled(const std::vector<MeasuredCell>& cells) {
  const auto full = std::count_if(cells.begin(), cells.end(),
                                  [](const MeasuredCell& cell) { return !cell.text.empty(); });
  return fmt::format("{} of {} ({:.0f} %)", full, cells.size(),
                     100.0 * static_cast<double>(full) / static_cast<double>(cells.size()));
}

}  // namespace ratchet::report
