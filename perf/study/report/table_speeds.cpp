#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "perf/study/report/figures/cells.h"
#include "perf/study/report/tables.h"

namespace ratchet::report {
namespace {

/// "23.49×10¹² (36 %), 2.00x": measured, and how many times the published throughput that is. Names
/// the point where it is not the stage's own.
std::string compared_cell(const Published& published, const Machine& machine,
                          const PublishedRow& row) {
  const RowId name = machine.row_of(row.stage);
  std::string cell = speed_cell(published, machine, name);
  if (cell.empty()) return cell;
  const auto speed =
      row.figures.empty() ? std::nullopt : published_speed(published, row.figures.front());
  if (speed) cell += fmt::format(", {:.2f}x", *machine.throughput(name) / *speed);
  if (name != row.stage) cell += " at " + name.settings_text();
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

/// Adds the column of every machine that has anything to say.
template <class CellOf>
void add_machines(Table& table, const PublishedTable& of, const std::vector<Machine>& machines,
                  const CellOf& cell_of) {
  for (const Machine& machine : machines) {
    std::vector<std::string> cells;
    for (const PublishedRow& row : of.rows) cells.push_back(cell_of(machine, row));
    if (all_empty(cells)) continue;
    dash_empty(cells);
    std::vector<std::string> stages;
    for (const PublishedRow& row : of.rows) stages.push_back(row.stage);
    table.add_column(machine_header(machine, stages), cells);
  }
}

/// The rows that fill a cell: at the settings of its row, then at those that its row says are
/// nearly its own.
std::vector<RowPattern> rows_of_cell(const PublishedTable& table, const SweepGrid& grid,
                                     const PublishedRow& row, std::size_t column) {
  std::vector<RowPattern> patterns;
  for (const Settings& settings : {row.settings, row.nearly}) {
    if (settings.empty() && !patterns.empty()) continue;
    RowPattern pattern{grid.stage, settings, table.column_defaults[column], table.free};
    pattern.wanted.insert(grid.settings.begin(), grid.settings.end());
    for (const auto& [name, value] : table.column_settings[column]) pattern.wanted[name] = value;
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

/// Median throughput of such a row on `machine`, "" when none was measured. Where a free parameter
/// makes several rows fit, the one whose call does most work counts.
std::string cell_at(const Published& published, const Machine& machine, const RowPattern& pattern) {
  const Row* most = nullptr;
  for (const auto& [name, measured] : machine.content.rows) {
    if (measured.launches.empty() || !pattern.match(name)) continue;
    if (most == nullptr || measured.units() > most->units()) most = &measured;
  }
  if (most == nullptr) return "";
  return format_speed(published, *machine.throughput(most->name)) +
         (machine.disturbed(most->name) ? kDisturbed : "");
}

/// Says which settings were measured where they are only nearly those of the row.
std::string swept_cell(const Published& published, const PublishedTable& table,
                       const Machine& machine, const SweepGrid& grid, const PublishedRow& row,
                       std::size_t column) {
  const std::vector<RowPattern> patterns = rows_of_cell(table, grid, row, column);
  std::string cell = cell_at(published, machine, patterns.front());
  if (!cell.empty() || patterns.size() == 1) return cell;
  cell = cell_at(published, machine, patterns.back());
  if (cell.empty()) return cell;
  for (const auto& [name, value] : row.nearly) cell += fmt::format(" at {}:{}", name, value);
  return cell;
}

using CellAt = std::function<std::string(const PublishedRow&, std::size_t)>;

/// A grid with the rows of `table`; nothing when no cell says anything.
Document grid(const PublishedTable& table, const std::string& corner,
              const std::vector<std::string>& columns, const CellAt& cell_at) {
  std::vector<std::string> header = {table.row_header + ", " + corner};
  header.insert(header.end(), columns.begin(), columns.end());
  Table result(header);
  bool any = false;
  for (const PublishedRow& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < columns.size(); ++i) cells.push_back(cell_at(row, i));
    any = any || !all_empty(cells);
    dash_empty(cells);
    cells.insert(cells.begin(), row.label);
    result.add(cells);
  }
  return any ? Document{result.block()} : Document{};
}

/// Behind the name of a column that measures a stage of its own: that stage.
std::vector<std::string> measured_columns(const Published& published, const PublishedTable& table) {
  std::vector<std::string> columns = table.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (table.column_stages[i] != table.stage)
      columns[i] += ": " + stage_cell(published, table.column_stages[i]);
  }
  return columns;
}

/// "gpu, `stage`, photons:268435456".
std::string grid_corner(const Published& published, const Machine& machine, const SweepGrid& of) {
  std::string corner = machine_header(machine, {of.stage}) + ", " + stage_cell(published, of.stage);
  for (const auto& [name, value] : of.settings) corner += fmt::format(", {}:{}", name, value);
  return corner;
}

/// What one machine measured: each of the table's grids, or one whose columns name their stages.
Document measured_grids(const Published& published, const PublishedTable& table,
                        const Machine& machine) {
  if (table.grids.empty())
    return grid(
        table, machine_header(machine, table.column_stages), measured_columns(published, table),
        [&](const PublishedRow& row, std::size_t i) {
          return swept_cell(published, table, machine, {table.column_stages[i], {}}, row, i);
        });
  Document grids;
  for (const SweepGrid& of : table.grids)
    grids += grid(table, grid_corner(published, machine, of), table.columns,
                  [&](const PublishedRow& row, std::size_t i) {
                    return swept_cell(published, table, machine, of, row, i);
                  });
  return grids;
}

}  // namespace

Document hardware_table(const Published& published, const PublishedTable& table,
                        const std::vector<Machine>& machines) {
  std::vector<std::string> header = {"implementation", "hardware"};
  for (const std::string& column : table.columns) header.push_back(column + ", published");
  header.push_back("stage");
  Table result(header);
  for (const PublishedRow& row : table.rows) {
    std::vector<std::string> cells = {row.label, row.hardware};
    for (const Figure& figure : row.figures) cells.push_back(figure.printed);
    cells.push_back(stage_cell(published, row.stage));
    result.add(cells);
  }
  add_machines(result, table, machines, [&](const Machine& machine, const PublishedRow& row) {
    return compared_cell(published, machine, row);
  });
  Document document = {result.block()};
  if (any_compared(published, table, machines))
    document.push_back(
        {"", "Behind each measured figure: how many times that row's published one it is."});
  return document;
}

Document ratios_table(const Published& published, const PublishedTable& table,
                      const std::vector<Machine>& machines) {
  std::vector<std::string> header = {"what"};
  for (const std::string& column : table.columns) header.push_back(column + ", published");
  header.insert(header.end(), {"stage", "against"});
  Table result(header);
  for (const PublishedRow& row : table.rows) {
    std::vector<std::string> cells = {row.label};
    for (const Figure& figure : row.figures) cells.push_back(figure.printed);
    cells.insert(cells.end(),
                 {stage_cell(published, row.stage), stage_cell(published, row.against)});
    result.add(cells);
  }
  add_machines(result, table, machines, ratio_of);
  return {result.block()};
}

std::vector<MeasuredCell> speed_cells(const Published& published, const PublishedTable& table,
                                      const Machine& machine) {
  std::vector<MeasuredCell> cells;
  for (const PublishedRow& row : table.rows) {
    if (table.kind == TableKind::hardware)
      cells.push_back({row.hardware == "-" ? row.label : row.label + ", " + row.hardware, row.stage,
                       compared_cell(published, machine, row)});
    if (table.kind == TableKind::ratios)
      cells.push_back({row.label, row.stage, ratio_of(machine, row)});
    for (std::size_t i = 0; i < table.column_settings.size(); ++i) {
      std::vector<SweepGrid> grids = table.grids;
      if (grids.empty()) grids = {{table.column_stages[i], {}}};
      const auto printed = [i](const PublishedRow& each) { return each.figures[i].printed != "-"; };
      if (!printed(row) && std::any_of(table.rows.begin(), table.rows.end(), printed))
        continue;  // the article leaves it empty
      for (const SweepGrid& of : grids)
        cells.push_back({fmt::format("{}, {}, {}", of.stage, row.label, table.columns[i]), of.stage,
                         swept_cell(published, table, machine, of, row, i), "",
                         rows_of_cell(table, of, row, i)});
    }
  }
  return cells;
}

/// The published grid, then grids of the same shape for each machine that measured any of it.
Document sweep_table(const Published& published, const PublishedTable& table,
                     const std::vector<Machine>& machines) {
  Document document =
      grid(table, "published", table.columns,
           [](const PublishedRow& row, std::size_t i) { return row.figures[i].printed; });
  for (const Machine& machine : machines) document += measured_grids(published, table, machine);
  return document;
}

}  // namespace ratchet::report
