#include "perf/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/support/error.h"
#include "perf/baseline/json_file.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// One JSON value and where it stands, for messages.
class Node {
 public:
  Node(const json& value, std::string where) : value_(value), where_(std::move(where)) {}

  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  Node at(const char* key) const {
    if (!has(key)) fail(fmt::format("\"{}\" is missing", key));
    return {value_[key], where_ + "." + key};
  }
  std::string text() const {
    if (!value_.is_string()) fail("is not a text");
    return value_.get<std::string>();
  }
  std::string text_or_empty(const char* key) const { return has(key) ? at(key).text() : ""; }
  double positive() const {
    if (!value_.is_number() || !(value_.get<double>() > 0)) fail("is not a positive number");
    return value_.get<double>();
  }
  std::vector<Node> list() const {
    if (!value_.is_array()) fail("is not a list");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < value_.size(); ++i)
      nodes.emplace_back(value_[i], fmt::format("{}[{}]", where_, i));
    return nodes;
  }
  std::map<std::string, std::string> text_map() const {
    if (!value_.is_object()) fail("is not an object");
    std::map<std::string, std::string> result;
    for (const auto& [key, element] : value_.items())
      result[key] = Node(element, where_ + "." + key).text();
    return result;
  }
  [[noreturn]] void fail(const std::string& what) const { throw Error(where_ + ": " + what); }

 private:
  const json& value_;
  std::string where_;
};

Figure read_figure(const Node& node) {
  Figure figure{node.at("printed").text(), std::nullopt};
  if (!node.has("value")) return figure;
  static const std::map<std::string, double> seconds = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  const auto factor = seconds.find(node.at("unit").text());
  if (factor == seconds.end()) node.at("unit").fail("is none of s, ms, us");
  figure.seconds = node.at("value").positive() * factor->second;
  return figure;
}

PublishedRow read_row(const Node& node, std::size_t columns) {
  PublishedRow row;
  row.label = node.at("label").text();
  row.stage = node.text_or_empty("stage");
  row.note = node.text_or_empty("note");
  if (node.has("threads")) row.threads = static_cast<int>(node.at("threads").positive());
  for (const Node& figure : node.at("figures").list()) row.figures.push_back(read_figure(figure));
  if (row.figures.size() != columns)
    node.fail(fmt::format("has {} figures for {} columns", row.figures.size(), columns));
  return row;
}

TableKind read_kind(const Node& node) {
  static const std::map<std::string, TableKind> kinds = {{"ladder", TableKind::ladder},
                                                         {"scaling", TableKind::scaling},
                                                         {"machines", TableKind::machines},
                                                         {"timesink", TableKind::timesink}};
  const auto found = kinds.find(node.text());
  if (found == kinds.end()) node.fail("is no kind of table");
  return found->second;
}

PublishedTable read_table(const Node& node) {
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
  for (const Node& row : node.at("rows").list())
    table.rows.push_back(read_row(row, table.columns.size()));
  return table;
}

}  // namespace

std::set<std::string> Published::stages() const {
  std::set<std::string> names;
  for (const PublishedTable& table : tables) {
    names.insert(table.stage);
    for (const PublishedRow& row : table.rows) names.insert(row.stage);
  }
  names.erase("");
  return names;
}

Published read_published(const std::filesystem::path& file) {
  const json root = read_json(file);
  const Node node(root, file.string());
  if (node.at("format").positive() != 1) node.at("format").fail("is not 1");
  Published published;
  published.family = node.at("family").text();
  published.document = node.at("document").text();
  published.title = node.at("title").text();
  published.author = node.at("author").text();
  published.scale_units = node.at("scale").at("units").positive();
  published.scale_label = node.at("scale").at("label").text();
  published.last_stage = node.at("last_stage").text_map();
  for (const Node& table : node.at("tables").list()) published.tables.push_back(read_table(table));
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
