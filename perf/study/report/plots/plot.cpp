#include "perf/study/report/plots/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "perf/output/drawing/vega.h"
#include "perf/output/files/markdown.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

constexpr int width = 680, height = 360, panel_height = 220;
/// A curve of a hundred points is its own line; marks would only hide it.
constexpr std::size_t most_marks = 40;

/// What is drawn in which way, lowest first. "x" and "y" are encoded for all of them.
constexpr const char* plot_layers = R"([
  {"transform": [{"filter": "datum.kind == 'band'"}],
   "mark": {"type": "rect", "opacity": 0.15},
   "encoding": {"x2": {"field": "x2"}, "y2": {"field": "y2"}, "color": {}}},
  {"transform": [{"filter": "datum.kind == 'crossing'"}],
   "mark": {"type": "rule", "strokeDash": [2, 3], "strokeWidth": 1.5}, "encoding": {"y": null}},
  {"transform": [{"filter": "datum.kind == 'curve' && datum.published"}],
   "mark": {"type": "line", "strokeWidth": 7, "opacity": 0.3}, "encoding": {"color": {}}},
  {"transform": [{"filter": "datum.kind == 'curve' && !datum.published"}],
   "mark": {"type": "line", "strokeWidth": 2}, "encoding": {"color": {}, "strokeDash": {}}},
  {"transform": [{"filter": "datum.kind == 'median'"}],
   "mark": {"type": "line", "strokeWidth": 2},
   "encoding": {"color": {}, "detail": {"field": "line"},
                "strokeDash": {"condition": {"test": "datum.published", "value": [6, 4]},
                               "value": [1, 0]}}},
  {"transform": [{"filter": "datum.kind == 'launch'"}],
   "mark": {"type": "point", "filled": true, "size": 14, "opacity": 0.35},
   "encoding": {"color": {}}},
  {"transform": [{"filter": "datum.kind == 'median' && !datum.published"}],
   "mark": {"type": "point", "filled": true, "size": 60},
   "encoding": {"color": {}, "shape": {},
                "opacity": {"condition": {"test": "datum.disturbed", "value": 0.45}, "value": 1}}},
  {"transform": [{"filter": "datum.kind == 'median' && datum.published"}],
   "mark": {"type": "point", "size": 60, "opacity": 1, "strokeWidth": 1.5},
   "encoding": {"color": {}, "shape": {}}},
  {"transform": [{"filter": "datum.kind == 'best'"}],
   "mark": {"type": "point", "size": 280, "strokeWidth": 2, "opacity": 1}, "encoding": {}},
  {"transform": [{"filter": "datum.kind == 'best'"}],
   "mark": {"type": "text", "align": {"expr": "datum.align"}, "baseline": "middle"},
   "encoding": {"y": {}, "text": {"field": "note"}}},
  {"transform": [{"filter": "datum.kind == 'crossing'"}],
   "mark": {"type": "text", "align": "left", "baseline": "bottom", "dx": 6, "dy": -6},
   "encoding": {"y": {"value": "height"}, "text": {"field": "note"}}}
])";

bool has_band(const PlotSpec& plot, const PlotSeries& series) {
  return plot.band && series.measured() && series.points.size() > 1;
}

/// What the legend says. Published series in a panel of their own need not say so again.
std::string legend_text(const PlotSpec& plot, const PlotSeries& series) {
  std::string text = series.label;
  if (series.printed && series.panel.empty()) text += " (published)";
  if (!has_band(plot, series)) return text;
  const Spread spread = spread_of(series);
  return text + fmt::format(": {:+.1f} to {:+.1f} % around its median", (spread.least - 1) * 100,
                            (spread.most - 1) * 100);
}

json datum(const char* kind, const std::string& panel, double x, double y) {
  return {{"kind", kind}, {"panel", panel}, {"x", tidy_number(x)}, {"y", tidy_number(y)}};
}

void add_series(json& values, const PlotSpec& plot, const PlotSeries& series) {
  const std::string name = legend_text(plot, series);
  const auto add = [&](json value) -> json& {
    value["series"] = name;
    return values.emplace_back(std::move(value));
  };
  if (has_band(plot, series)) {
    const double median = spread_of(series).median;
    json band = datum("band", series.panel, series.points.front().x, median * (1 - *plot.band));
    band["x2"] = tidy_number(series.points.back().x);
    band["y2"] = tidy_number(median * (1 + *plot.band));
    add(band);
  }
  const char* kind = series.points.size() > most_marks ? "curve" : "median";
  for (const PlotPoint& point : series.points) {
    for (const double launch : point.launches)
      if (point.launches.size() > 1) add(datum("launch", series.panel, point.x, launch));
    json& value = add(datum(kind, series.panel, point.x, point.y));
    value["setting"] = point.setting;
    value["line"] = name + point.setting;
    value["published"] = !series.measured();
    if (point.disturbed) value["disturbed"] = true;
  }
}

/// Values, each once, in the order in which they come.
json distinct(const std::vector<std::string>& values) {
  json list = json::array();
  for (const std::string& value : values)
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  return list;
}

/// What stands for an empty encoding of the layers.
json encodings(const PlotSpec& plot, const json& names) {
  std::size_t longest = 1;
  for (const json& name : names) longest = std::max(longest, name.get<std::string>().size());
  const json legend = {{"columns", std::clamp<std::size_t>(110 / (longest + 5), 1, 5)}};
  const json field = {{"field", "series"},
                      {"type", "nominal"},
                      {"title", nullptr},
                      {"legend", legend},
                      {"scale", {{"domain", names}}}};
  json shape = field;
  shape["scale"]["range"] = {"circle",        "square", "triangle-up",    "diamond",
                             "triangle-down", "cross",  "triangle-right", "triangle-left"};
  json dash = field;  // curves that lie on each other show through each other's gaps
  dash["scale"]["range"] = {{1, 0}, {8, 8}, {3, 5}, {12, 4, 3, 4}, {2, 8}, {6, 3}, {1, 3}, {14, 6}};
  const json note = {{"field", "note_y"}, {"type", "quantitative"}, {"title", plot.y.label}};
  return {{"color", field}, {"shape", shape}, {"strokeDash", dash}, {"y", note}};
}

/// The layers of this data, those without any left out.
json layers_for(const json& values, const json& encodings) {
  std::set<std::string> filters;  // that let something through
  for (const json& value : values) {
    const std::string kind = "datum.kind == '" + value.at("kind").get<std::string>() + "'";
    filters.insert(kind);
    filters.insert(kind + (value.value("published", false) ? " && " : " && !") + "datum.published");
  }
  json used = json::array();
  for (json& layer : json::parse(plot_layers)) {
    if (!filters.contains(layer["transform"][0]["filter"].get<std::string>())) continue;
    for (auto& [channel, encoding] : layer["encoding"].items())
      if (encoding.is_object() && encoding.empty()) encoding = encodings[channel];
    used.push_back(layer);
  }
  return used;
}

/// Values under the x axis; powers of two where so many digits would run into each other.
std::string x_text(const PlotSpec& plot, double value, double largest) {
  const bool long_powers = plot.x.scale == Scale::binary && largest >= 1e7;
  return long_powers && std::exp2(std::ilogb(value)) == value ? format_binary(value)
                                                              : format_power(value, 7);
}

/// Powers of two within the data, every so many that they have room.
json binary_ticks(const PlotSpec& plot, double low, double high) {
  const int first = static_cast<int>(std::ceil(std::log2(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(high) + 1e-9));
  const int every = std::max(1, (last - first + 12) / 12);
  json values = json::array(), labels = json::object();
  for (int power = first; power <= last; power += every) {
    const double tick = std::exp2(power);
    values.push_back(tidy_number(tick));
    labels[values.back().dump()] = x_text(plot, tick, high);
  }
  return {{"values", values}, {"labelExpr", labels.dump() + "[datum.value]"}};
}

json axis(const AxisSpec& spec, double low, double high) {
  json scale = {{"type", spec.scale == Scale::linear ? "linear" : "log"}, {"nice", false}};
  if (spec.scale == Scale::binary) scale["base"] = 2;
  scale["padding"] = 12;
  if (spec.scale == Scale::linear) scale["zero"] = false;
  return {{"type", "quantitative"},
          {"title", spec.label},
          {"scale", scale},
          {"axis", vega::decimal_axis(spec.scale == Scale::linear ? 0 : low, high)}};
}

json axes(const PlotSpec& plot, const json& values) {
  double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
  for (const json& value : values) {
    low_x = std::min(low_x, value["x"].get<double>());
    high_x = std::max(high_x, value["x"].get<double>());
    low_y = std::min(low_y, value["y"].get<double>());
    high_y = std::max(high_y, value["y"].get<double>());
  }
  json x = axis(plot.x, low_x, high_x), y = axis(plot.y, low_y, high_y);
  x["field"] = "x";
  y["field"] = "y";
  // Figures that are never negative get no negative room.
  if (plot.y.scale == Scale::linear && low_y >= 0)
    y["scale"] = {{"type", "linear"}, {"zero", true}, {"nice", true}};
  const auto whole = [](const json& value) {
    return value["x"] == std::floor(value["x"].get<double>());
  };
  if (std::all_of(values.begin(), values.end(), whole)) x["axis"]["tickMinStep"] = 1;
  if (plot.x.scale == Scale::binary) x["axis"] = binary_ticks(plot, low_x, high_x);
  return {{"x", x}, {"y", y}};
}

/// "GPU" of "GPU: 01p_as_printed".
std::string before_colon(const std::string& label) { return label.substr(0, label.find(':')); }

/// Best points and crossings of one panel.
void add_marks(json& values, const PlotSpec& plot, const std::string& panel,
               const std::vector<PlotSeries>& all) {
  std::vector<const PlotSeries*> here;
  double low = INFINITY, high = -INFINITY;
  for (const PlotSeries& series : all) {
    low = std::min(low, series.points.front().x);
    high = std::max(high, series.points.back().x);
    if (series.panel == panel) here.push_back(&series);
  }
  if (plot.best) {
    const BestPoint best = best_of(here, plot.quantity);
    json value = datum("best", panel, best.point->x, best.point->y);
    value["note"] = fmt::format("best: {}, {} at {}", best.series->label,
                                format_power(best.point->y, 4), x_text(plot, best.point->x, high));
    // Where there is no curve, and towards the middle, so that it stays on the paper.
    const double away = plot.y.scale == Scale::linear ? 1.1 : 1.3;
    value["note_y"] = tidy_number(plot.quantity == Quantity::throughput ? best.point->y * away
                                                                        : best.point->y / away);
    const double middle = plot.x.scale == Scale::linear ? (low + high) / 2 : std::sqrt(low * high);
    value["align"] = best.point->x > middle ? "right" : "left";
    values.push_back(value);
  }
  if (const auto x = crossing_in(here, plot)) {
    json value = datum("crossing", panel, *x, here.front()->points.front().y);
    value["note"] = fmt::format("{} and {} meet at {}", before_colon(plot.crossing[0]),
                                before_colon(plot.crossing[1]), format_power(*x, 2));
    values.push_back(value);
  }
}

/// Of several panels those with a curve: a machine that measured one point shows nothing against x.
std::vector<PlotSeries> in_panels_with_curves(const std::vector<PlotSeries>& all) {
  std::set<std::string> with;
  for (const PlotSeries& series : all)
    if (series.points.size() > 1) with.insert(series.panel);
  std::vector<PlotSeries> kept;
  for (const PlotSeries& series : all)
    if (series.panel.empty() || with.count(series.panel)) kept.push_back(series);
  return kept;
}

json of_panel(const json& values, const json& panel) {
  json shown = json::array();
  for (const json& value : values)
    if (value["panel"] == panel) shown.push_back(value);
  return shown;
}

}  // namespace

std::optional<json> vega_spec(const PlotSpec& plot, const std::vector<PlotSeries>& all) {
  const std::vector<PlotSeries> series = in_panels_with_curves(all);
  if (series.empty()) return std::nullopt;
  json values = json::array();
  std::vector<std::string> names, panels;
  for (const PlotSeries& one : series) {
    add_series(values, plot, one);
    names.push_back(legend_text(plot, one));
    panels.push_back(one.panel);
  }
  const json rows = distinct(panels);
  for (const json& panel : rows) add_marks(values, plot, panel, series);
  std::string note = plot.note;
  if (plot.band)
    note += fmt::format("{}shaded: {:.0f} % around the median of a measured series",
                        note.empty() ? "" : "; ", *plot.band * 100);
  const auto disturbed = [](const json& value) { return value.contains("disturbed"); };
  if (std::any_of(values.begin(), values.end(), disturbed))
    note += fmt::format("{}pale: other programs held the processors", note.empty() ? "" : "; ");
  json spec = vega::titled(plot.title, note);
  const json encoded = encodings(plot, distinct(names));
  const auto drawing = [&](const json& shown, int high) -> json {
    return {{"width", width},
            {"height", high},
            {"encoding", axes(plot, values)},
            {"layer", layers_for(shown, encoded)}};
  };
  if (rows.size() > 1) {
    std::vector<std::pair<std::string, json>> stack;
    for (const json& panel : rows)
      stack.emplace_back(panel, drawing(of_panel(values, panel), panel_height));
    // Orders of magnitude are compared across panels, a factor of two within one.
    spec.update(vega::stacked("panel", stack, plot.y.scale != Scale::linear));
  } else {
    spec.update(drawing(values, height));
  }
  spec["data"] = {{"values", std::move(values)}};
  return spec;
}

}  // namespace ratchet::report
