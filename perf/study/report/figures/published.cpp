#include "perf/study/report/figures/published.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

Figure read_figure(const Node& node, const std::optional<Rate>& rate) {
  Figure figure;
  figure.printed = node.at("printed").text();
  if (!node.has("value")) return figure;
  static const std::map<std::string, double> seconds = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  const double value = node.at("value").positive();
  const std::string unit = node.at("unit").text();
  const auto factor = seconds.find(unit);
  if (unit == "x") {
    figure.ratio = value;
  } else if (rate && unit == rate->label) {
    figure.units_per_second = value / rate->seconds;
  } else if (factor != seconds.end()) {
    figure.seconds = value * factor->second;
  } else {
    node.at("unit").fail("is not one of s, ms, us, x" + (rate ? ", " + rate->label : ""));
  }
  return figure;
}

PublishedRow read_row(const Node& node, const PublishedTable& table,
                      const std::optional<Rate>& rate) {
  PublishedRow row;
  row.label = node.at("label").text();
  row.hardware = table.kind == TableKind::hardware ? node.at("hardware").text()
                                                   : node.text_or_empty("hardware");
  row.stage = node.text_or_empty("stage");
  row.against = node.text_or_empty("against");
  row.note = node.text_or_empty("note");
  row.settings = node.counts_or_empty("settings");
  row.nearly = node.counts_or_empty("nearly");
  if (node.has("threads")) row.threads = static_cast<int>(node.at("threads").positive());
  for (const Node& figure : node.at("figures").list())
    row.figures.push_back(read_figure(figure, rate));
  if (row.figures.size() != table.columns.size())
    node.fail(
        fmt::format("has {} figures for {} columns", row.figures.size(), table.columns.size()));
  if (table.kind == TableKind::ratios && (row.stage.empty() || row.against.empty()))
    node.fail("a row of ratios needs \"stage\" and \"against\"");
  return row;
}

TableKind read_kind(const Node& node) {
  static const std::map<std::string, TableKind> kinds = {
      {"ladder", TableKind::ladder},     {"hardware", TableKind::hardware},
      {"ratios", TableKind::ratios},     {"scaling", TableKind::scaling},
      {"sweep", TableKind::sweep},       {"machines", TableKind::machines},
      {"timesink", TableKind::timesink}, {"builds", TableKind::builds}};
  const auto found = kinds.find(node.text());
  if (found == kinds.end()) node.fail("is not a kind of table");
  return found->second;
}

/// What only a sweep table has: columns that set parameters, or measure another stage.
void read_sweep(const Node& node, PublishedTable& table) {
  table.row_header = node.at("row_header").text();
  table.defaults = node.counts_or_empty("defaults");
  table.column_settings.resize(table.columns.size());
  table.column_stages.resize(table.columns.size());
  table.column_defaults.resize(table.columns.size(), table.defaults);
  for (const Node& name : node.list_or_empty("free")) table.free.insert(name.text());
  for (const Node& grid : node.list_or_empty("grids"))
    table.grids.push_back({grid.at("stage").text(), grid.counts_or_empty("settings")});
  const std::vector<Node> columns = node.at("sweep_columns").list();
  if (columns.size() != table.columns.size())
    node.at("sweep_columns").fail("must have one entry for each column");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    table.column_settings[i] = columns[i].counts_or_empty("settings");
    for (const auto& [name, value] : columns[i].counts_or_empty("defaults"))
      table.column_defaults[i][name] = value;
    table.column_stages[i] = columns[i].text_or_empty("stage");
    if (table.column_stages[i].empty()) table.column_stages[i] = table.stage;
    if (!table.grids.empty() && !table.column_stages[i].empty())
      columns[i].fail("and \"grids\" both name the stage");
    if (table.grids.empty() && table.column_stages[i].empty())
      columns[i].fail("nor its table names a \"stage\"");
  }
}

PublishedTable read_table(const Node& node, const std::optional<Rate>& rate) {
  PublishedTable table;
  table.id = node.at("id").text();
  table.kind = read_kind(node.at("kind"));
  table.title = node.at("title").text();
  table.section = node.at("section").text();
  table.hardware = node.at("hardware").text();
  table.stage = node.text_or_empty("stage");
  for (const Node& column : node.at("columns").list()) table.columns.push_back(column.text());
  if (node.has("column_threads")) {
    for (const Node& threads : node.at("column_threads").list())
      table.column_threads.push_back(threads.text());
  }
  if (table.kind == TableKind::machines &&
      (table.stage.empty() || table.column_threads.size() != table.columns.size()))
    node.fail("a table of machines needs \"stage\" and one of \"column_threads\" a column");
  if (table.kind == TableKind::sweep) read_sweep(node, table);
  if (table.kind == TableKind::builds) {
    for (const Node& build : node.at("builds").list())
      table.builds.push_back({build.at("name").text(), build.at("label").text()});
  }
  for (const Node& row : node.at("rows").list()) table.rows.push_back(read_row(row, table, rate));
  return table;
}

}  // namespace

std::set<std::string> Published::stages() const {
  std::set<std::string> names;
  for (const PublishedTable& table : tables) {
    names.insert(table.stage);
    for (const PublishedRow& row : table.rows) names.insert({row.stage, row.against});
    names.insert(table.column_stages.begin(), table.column_stages.end());
    for (const SweepGrid& grid : table.grids) names.insert(grid.stage);
  }
  names.erase("");
  return names;
}

Published read_published(const std::filesystem::path& file) {
  const nlohmann::json root = read_json(file);
  const Node node(root, file.string());
  if (node.at("format").positive() != 1) node.at("format").fail("is not 1");
  Published published;
  published.family = node.at("family").text();
  const Node about = node.at("about");
  published.about = {about.at("problem").text(), about.at("work").text(), about.at("right").text()};
  published.source = node.at("source").text();
  published.title = node.at("title").text();
  published.author = node.at("author").text();
  if (node.has("rate") == node.has("scale")) node.fail("needs one of \"scale\" and \"rate\"");
  if (node.has("rate")) {
    const Node rate = node.at("rate");
    published.rate = Rate{rate.at("label").text(), rate.at("seconds").positive()};
  } else {
    published.scale_units = node.at("scale").at("units").positive();
    published.scale_label = node.at("scale").at("label").text();
  }
  published.best_stage = node.at("best_stage").text_map();
  if (node.has("marks")) published.marks = node.at("marks").text_map();
  if (node.has("other_problem")) published.other_problem = node.at("other_problem").text_map();
  published.marks.insert(published.other_problem.begin(), published.other_problem.end());
  for (const Node& stage : node.list_or_empty("beyond")) published.beyond.insert(stage.text());
  if (node.has("rival")) {
    const Node rival = node.at("rival");
    published.rival =
        Rival{rival.at("program").text(), rival.at("machine").text(), rival.at("date").text(),
              rival.at("value").positive(), rival.at("unit").text()};
  }
  for (const Node& table : node.at("tables").list())
    published.tables.push_back(read_table(table, published.rate));
  for (const Node& plot : node.list_or_empty("plots")) published.plots.push_back(read_plot(plot));
  return published;
}

std::vector<Published> read_all_published(const std::filesystem::path& folder) {
  std::error_code error;
  std::set<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".json") files.insert(it->path());
  }
  std::vector<Published> all;
  for (const auto& file : files) all.push_back(read_published(file));
  return all;
}

}  // namespace ratchet::report
