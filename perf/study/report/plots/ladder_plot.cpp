#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/contract/counted.h"
#include "kernels/contract/stage.h"
#include "perf/output/drawing/vega.h"
#include "perf/study/report/figures/cells.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/study/report/plots/plot.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// Published figures are hollow.
constexpr const char* ladder_layers = R"([
  {"mark": {"type": "point", "size": 75, "strokeWidth": 2, "opacity": 1},
   "encoding": {"fillOpacity": {"condition": {"test": "datum.of == 'published'", "value": 0},
                                "value": 1}}},
  {"mark": {"type": "text", "align": "left", "dx": 7, "dy": -9, "fontSize": 11, "color": "#888"},
   "encoding": {"text": {"field": "at"}, "fill": null, "stroke": null,
                "shape": null}}
])";

/// "04_three_level (full walk)" of "tiny_mc/cuda/04_three_level".
std::string line_of(const Published& published, const RowId& stage) {
  std::string text = stage.idea();
  if (const auto mark = published.marks.find(stage); mark != published.marks.end())
    text += " (" + mark->second + ")";
  std::erase(text, '*');  // bold in Markdown
  return text;
}

class Figures {
 public:
  explicit Figures(const Published& published) : published_(published) {}

  void add(const RowId& stage, const std::string& of, double units_per_second,
           const std::string& at) {
    const double speed = units_per_second * (published_.rate ? published_.rate->seconds : 1);
    values_.push_back({{"stage", line_of(published_, stage)},
                       {"backend", stage.backend()},
                       {"of", of},
                       {"speed", tidy_number(speed)},
                       {"at", at}});
  }
  /// By stage, for the axis shows stages in the order of the data.
  json sorted() {
    std::stable_sort(values_.begin(), values_.end(), [](const json& one, const json& other) {
      return std::pair(one["backend"], one["stage"]) < std::pair(other["backend"], other["stage"]);
    });
    return values_;
  }

 private:
  const Published& published_;
  std::vector<json> values_;
};

/// A scaling table gives a stage's ends: with fewest and with most threads.
bool is_shown(const PublishedTable& table, const PublishedRow& row) {
  if (table.kind == TableKind::ladder || table.kind == TableKind::hardware) return true;
  if (table.kind != TableKind::scaling) return false;
  int fewest = row.threads, most = row.threads;
  for (const PublishedRow& other : table.rows) {
    if (other.stage != row.stage || other.figures.empty()) continue;
    fewest = std::min(fewest, other.threads);
    most = std::max(most, other.threads);
  }
  return row.threads == fewest || row.threads == most;
}

void add_published(Figures& figures, const Published& published) {
  for (const PublishedTable& table : published.tables) {
    for (const PublishedRow& row : table.rows) {
      if (row.stage.empty() || row.figures.empty() || !is_shown(table, row)) continue;
      if (const auto speed = published_speed(published, row.figures.front()))
        figures.add(RowId(row.stage).stage(), "published", *speed,
                    row.threads == 0 ? "" : counted(row.threads, "threads"));
    }
  }
}

/// Whether there was anything to add.
bool add_measured(Figures& figures, const Machine& machine) {
  bool any = false;
  std::set<std::string> stages;
  for (const auto& [name, row] : machine.content.rows) stages.insert(name.stage());
  for (const std::string& stage : stages) {
    const RowId row = machine.row_of(stage);
    const auto speed = machine.throughput(row);
    if (!speed) continue;
    figures.add(stage, machine.name, *speed, row.settings_text());
    any = true;
  }
  return any;
}

/// Pixels for the longest name beside the axis, in a font wider than Arial, too: every panel leaves
/// as much, so that their names begin at one place.
double label_room(const json& values) {
  std::size_t longest = 0;
  for (const json& value : values)
    longest = std::max(longest, value["stage"].get<std::string>().size());
  return 12 + 7.2 * static_cast<double>(longest);
}

struct SpeedRange {
  double low = INFINITY, high = 0;
};

SpeedRange speed_range(const json& values) {
  SpeedRange range;
  for (const json& value : values) {
    range.low = std::min(range.low, value["speed"].get<double>());
    range.high = std::max(range.high, value["speed"].get<double>());
  }
  return range;
}

constexpr double ladder_width = 520, scale_padding = 14, paper_padding = 8;

/// Texts beside points are laid out in Arial; in a wider font they need this much more to the
/// right.
double room_right(const json& values) {
  std::size_t longest = 0;
  for (const json& value : values)
    longest = std::max(longest, value["at"].get<std::string>().size());
  return std::ceil(paper_padding + 1.2 * static_cast<double>(longest));
}

json encoding(const Published& published, const json& names, const json& values) {
  const auto [low, high] = speed_range(values);
  json shape = {{"field", "of"},
                {"type", "nominal"},
                {"title", nullptr},
                {"legend", {{"columns", 4}}},
                {"scale", {{"domain", names}}}};
  const json colour = shape;
  shape["scale"]["range"] = {"circle", "square", "triangle-up", "triangle-down", "cross"};
  shape["scale"]["range"].get_ref<json::array_t&>().resize(names.size() - 1, "circle");
  shape["scale"]["range"].push_back("diamond");  // published, the last
  return {{"y",
           {{"field", "stage"},
            {"type", "nominal"},
            {"title", nullptr},
            {"sort", nullptr},
            {"axis", {{"grid", true}, {"minExtent", label_room(values)}}}}},
          {"x",
           {{"field", "speed"},
            {"type", "quantitative"},
            {"title", published.rate ? published.rate->label : published.about.work + "/s"},
            {"scale", {{"type", "log"}, {"nice", false}, {"padding", scale_padding}}},
            {"axis", vega::decimal_axis(low, high)}}},
          {"stroke", colour},
          {"fill", colour},
          {"shape", shape}};
}

/// A panel a backend.
json panels(const json& encoding, const json& values) {
  std::vector<std::pair<std::string, json>> made;
  for (const json& value : values) {
    const std::string backend = value["backend"];
    if (!made.empty() && made.back().first == backend) continue;
    made.emplace_back(backend, json{{"width", ladder_width},
                                    {"height", {{"step", 22}}},
                                    {"encoding", encoding},
                                    {"layer", json::parse(ladder_layers)}});
  }
  return vega::stacked("backend", made, false);
}

}  // namespace

std::optional<json> ladder_spec(const Published& published, const std::vector<Machine>& machines) {
  Figures figures(published);
  json names = json::array();
  for (const Machine& machine : machines)
    if (add_measured(figures, machine)) names.push_back(machine.name);
  names.push_back("published");
  add_published(figures, published);
  json values = figures.sorted();
  if (values.empty()) return std::nullopt;
  json spec = vega::titled(published.family + ": how fast each stage is");
  spec["title"]["subtitle"] = {"published figures are of the hardware that the article names",
                               "label of a point: its configuration, if not the default"};
  spec["padding"] = {{"left", paper_padding},
                     {"top", paper_padding},
                     {"bottom", paper_padding},
                     {"right", room_right(values)}};
  spec.update(panels(encoding(published, names, values), values));
  spec["data"] = {{"values", std::move(values)}};
  return spec;
}

std::optional<nlohmann::json> scaling_spec(const std::vector<GpuScaling>& scalings) {
  if (scalings.empty()) return std::nullopt;
  PlotSpec plot;
  plot.id = "gpus";
  plot.title = "Speed against the number of GPUs";
  plot.note = "as many times one GPU; hollow: what the model of messages and links expects";
  plot.x = {"GPUs", Scale::binary};
  plot.y = {"times one GPU", Scale::decimal};
  std::vector<PlotSeries> all;
  for (const GpuScaling& scaling : scalings) {
    const std::string label = scaling.weak ? "as much work a GPU" : "the work shared";
    PlotSeries measured{.label = label, .machine = scaling.machine};
    PlotSeries expected{.label = label + ", the model"};
    for (const ScalingPoint& point : scaling.points) {
      if (point.measured) measured.points.push_back({double(point.gpus), *point.measured});
      expected.points.push_back({double(point.gpus), point.predicted});
    }
    all.push_back(std::move(measured));
    all.push_back(std::move(expected));
  }
  return vega_spec(plot, all);
}

}  // namespace ratchet::report
