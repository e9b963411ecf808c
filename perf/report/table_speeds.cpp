#include <fmt/format.h>

#include "perf/report/cells.h"
#include "perf/report/table_kinds.h"

namespace ratchet::report {
namespace {

/// "23.49×10¹² (36 %), 2.00x": measured, and how many times the published throughput that is. Names
/// the point where it is not the stage's own.
std::string compared_cell(const Published& published, const Machine& machine,
                          const PublishedRow& row) {
  const std::string name = machine.row_of(row.stage);
  std::string cell = speed_cell(published, machine, name);
  if (cell.empty()) return cell;
  const auto speed =
      row.figures.empty() ? std::nullopt : published_speed(published, row.figures.front());
  if (speed) cell += fmt::format(", {:.2f}x", *machine.throughput(name) / *speed);
  if (name != row.stage) cell += " at " + name.substr(row.stage.size() + 1);
  return cell;
}

bool any_compared(const Published& published, const PublishedTable& table,
                  const std::vector<Machine>& machines) {
  for (const PublishedRow& row : table.rows) {
    if (row.figures.empty() || !published_speed(published, row.figures.front())) continue;
    for (const Machine& machine : machines) {
      if (machine.throughput(machine.row_of(row.stage))) return true;
    }
  }
  return false;
}

std::string ratio_of(const Machine& machine, const PublishedRow& row) {
  const std::string one = machine.row_of(row.stage), other = machine.row_of(row.against);
  const auto reached = machine.throughput(one), reference = machine.throughput(other);
  if (!reached || !reference) return "";
  std::string cell = fmt::format("{:.2f}x", *reached / *reference);
  if (one != row.stage) cell += " at " + one.substr(row.stage.size() + 1);
  return cell;
}

std::string code(const std::string& stage) { return stage.empty() ? "-" : "`" + stage + "`"; }

/// Adds the column of every machine that has anything to say.
template <class CellOf>
void add_machines(Table& table, const PublishedTable& of, const std::vector<Machine>& machines,
                  const CellOf& cell_of) {
  for (const Machine& machine : machines) {
    std::vector<std::string> cells;
    for (const PublishedRow& row : of.rows) cells.push_back(cell_of(machine, row));
    if (all_empty(cells)) continue;
    dash_empty(cells);
    table.add_column(machine.name, cells);
  }
}

/// The row of `machine` at these settings; "" when it was not measured.
std::string row_at(const Machine& machine, const PublishedTable& table, const PublishedRow& row,
                   std::size_t column) {
  RowPattern pattern{table.column_stages[column], row.settings, table.defaults, {}};
  for (const auto& [name, value] : table.column_settings[column]) pattern.wanted[name] = value;
  for (const auto& [name, measured] : machine.content.rows) {
    if (!measured.launches.empty() && pattern.match(name)) return name;
  }
  return "";
}

}  // namespace

std::string hardware_table(const Published& published, const PublishedTable& table,
                           const std::vector<Machine>& machines) {
  std::vector<std::string> header = {"implementation", "hardware"};
  for (const std::string& column : table.columns) header.push_back(column + ", published");
  header.push_back("stage");
  Table result(header);
  for (const PublishedRow& row : table.rows) {
    std::vector<std::string> cells = {row.label, row.hardware};
    for (const Figure& figure : row.figures) cells.push_back(figure.printed);
    cells.push_back(code(row.stage));
    result.add(cells);
  }
  add_machines(result, table, machines, [&](const Machine& machine, const PublishedRow& row) {
    return compared_cell(published, machine, row);
  });
  std::string text = result.text();
  if (any_compared(published, table, machines))
    text += "\nBehind each measured figure: how many times that row's published one it is.\n";
  return text;
}

std::string ratios_table(const PublishedTable& table, const std::vector<Machine>& machines) {
  std::vector<std::string> header = {"what"};
  for (const std::string& column : table.columns) header.push_back(column + ", published");
  header.insert(header.end(), {"stage", "against"});
  Table result(header);
  for (const PublishedRow& row : table.rows) {
    std::vector<std::string> cells = {row.label};
    for (const Figure& figure : row.figures) cells.push_back(figure.printed);
    cells.insert(cells.end(), {code(row.stage), code(row.against)});
    result.add(cells);
  }
  add_machines(result, table, machines, ratio_of);
  return result.text();
}

/// The published grid, then a grid of the same shape for each machine that measured any of it.
std::string sweep_table(const Published& published, const PublishedTable& table,
                        const std::vector<Machine>& machines) {
  const auto grid = [&](const std::string& corner, const auto& cell_of) {
    std::vector<std::string> header = {corner};
    header.insert(header.end(), table.columns.begin(), table.columns.end());
    Table result(header);
    bool any = false;
    for (const PublishedRow& row : table.rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < table.columns.size(); ++i) cells.push_back(cell_of(row, i));
      any = any || !all_empty(cells);
      dash_empty(cells);
      cells.insert(cells.begin(), row.label);
      result.add(cells);
    }
    return any ? result.text() : std::string();
  };
  std::string text =
      grid(table.row_header + ", published",
           [](const PublishedRow& row, std::size_t i) { return row.figures[i].printed; });
  for (const Machine& machine : machines) {
    const std::string measured =
        grid(table.row_header + ", " + machine.name, [&](const PublishedRow& row, std::size_t i) {
          const auto throughput = machine.throughput(row_at(machine, table, row, i));
          return throughput ? format_speed(published, *throughput) : "";
        });
    if (!measured.empty()) text += "\n" + measured;
  }
  return text;
}

}  // namespace ratchet::report
