#include "perf/study/report/figures/plot_spec.h"

#include <algorithm>

namespace ratchet::report {
namespace {

template <class Value>
Value one_of(const Node& node, const std::map<std::string, Value>& known) {
  const auto found = known.find(node.text());
  if (found != known.end()) return found->second;
  std::string names;
  for (const auto& [name, value] : known) names += (names.empty() ? "" : ", ") + name;
  node.fail("is not one of " + names);
}

AxisSpec read_axis(const Node& node) {
  static const std::map<std::string, Scale> scales = {
      {"linear", Scale::linear}, {"binary", Scale::binary}, {"decimal", Scale::decimal}};
  return {node.at("label").text(), one_of(node.at("scale"), scales)};
}

void require_positive(const AxisSpec& axis, const Node& value) {
  if (axis.scale == Scale::linear) {
    value.number();
  } else {
    value.positive();
  }
}

std::vector<XY> read_points(const Node& node, const PlotSpec& plot) {
  std::vector<XY> points;
  for (const Node& pair : node.list()) {
    const std::vector<Node> both = pair.list();
    if (both.size() != 2) pair.fail("is not a pair of x and y");
    require_positive(plot.x, both[0]);
    require_positive(plot.y, both[1]);
    points.push_back({both[0].number(), both[1].number()});
  }
  return points;
}

void read_stage(const Node& node, SeriesSpec& series) {
  series.rows.stage = node.at("stage").text();
  series.parameter = node.at("parameter").text();
  series.rows.wanted = node.counts_or_empty("settings");
  series.rows.defaults = node.counts_or_empty("defaults");
  series.rows.free = {series.parameter};
  for (const Node& name : node.list_or_empty("free")) series.rows.free.insert(name.text());
  for (const Node& name : node.list_or_empty("alike")) series.alike.push_back(name.text());
}

SeriesSpec read_series(const Node& node, const PlotSpec& plot) {
  SeriesSpec series;
  series.label = node.at("label").text();
  int kinds = 0;
  for (const char* kind : {"stage", "points", "file", "machine_file"}) kinds += node.has(kind);
  if (kinds != 1) node.fail("needs one of \"stage\", \"points\", \"file\" and \"machine_file\"");
  if (node.has("stage")) read_stage(node, series);
  if (node.has("points")) series.points = read_points(node.at("points"), plot);
  series.file = node.text_or_empty("file");
  series.machine_file = node.text_or_empty("machine_file");
  if (!series.file.empty() || !series.machine_file.empty()) {
    const std::vector<Node> columns = node.at("columns").list();
    if (columns.size() != 2) node.at("columns").fail("is not a pair of x and y");
    series.x_column = columns[0].text();
    series.y_column = columns[1].text();
  }
  return series;
}

void read_marks(const Node& node, PlotSpec& plot) {
  if (node.has("best")) plot.best = node.at("best").truth();
  for (const Node& label : node.list_or_empty("crossing")) {
    const auto named = [&](const SeriesSpec& series) { return series.label == label.text(); };
    if (std::none_of(plot.series.begin(), plot.series.end(), named))
      label.fail("is not the label of a series");
    plot.crossing.push_back(label.text());
  }
  if (!plot.crossing.empty() && plot.crossing.size() != 2)
    node.at("crossing").fail("is not a pair of labels");
}

}  // namespace

PlotSpec read_plot(const Node& node) {
  static const std::map<std::string, Quantity> quantities = {{"throughput", Quantity::throughput},
                                                             {"cost", Quantity::cost}};
  PlotSpec plot;
  plot.id = node.at("id").text();
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (plot.id.empty() || !std::all_of(plot.id.begin(), plot.id.end(), plain))
    node.at("id").fail("may contain only a-z, 0-9 and _, because it is part of a file name");
  plot.title = node.at("title").text();
  plot.note = node.text_or_empty("note");
  plot.published_on = node.text_or_empty("published_on");
  plot.x = read_axis(node.at("x"));
  plot.y = read_axis(node.at("y"));
  plot.quantity = one_of(node.at("y").at("quantity"), quantities);
  if (node.at("y").has("factor")) plot.factor = node.at("y").at("factor").positive();
  if (node.has("band")) plot.band = node.at("band").positive();
  for (const Node& series : node.at("series").list())
    plot.series.push_back(read_series(series, plot));
  read_marks(node, plot);
  return plot;
}

std::optional<Settings> RowPattern::match(const RowId& row) const {
  if (row.stage() != stage) return std::nullopt;
  const std::optional<Settings> named = row.settings();
  if (!named) return std::nullopt;
  for (const auto& [name, value] : *named) {
    if (!wanted.count(name) && !free.count(name)) return std::nullopt;
  }
  Settings all = defaults;
  for (const auto& [name, value] : *named) all[name] = value;
  for (const auto& [name, value] : wanted) {
    const auto found = all.find(name);
    if (found == all.end() || found->second != value) return std::nullopt;
  }
  return all;
}

}  // namespace ratchet::report
