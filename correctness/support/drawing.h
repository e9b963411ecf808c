// A picture made of rectangles, arrows and text, as a Vega-Lite specification, for the pages of
// several families.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace ratchet::correctness {

struct Point {
  double x = 0, y = 0;  ///< in pixels, y downwards
};

/// Rectangles, arrows and text as data; a layer a kind draws them. Colours are such that they stand
/// out on light and on dark paper.
class Drawing {
 public:
  /// `look`: "cell", "alive", "word", "halo", "kept" or "faint".
  void rectangle(Point corner, double width, double height, const char* look) {
    values_.push_back({{"kind", look},
                       {"x", rounded(corner.x)},
                       {"y", rounded(corner.y)},
                       {"x2", rounded(corner.x + width)},
                       {"y2", rounded(corner.y + height)}});
  }
  void arrow(Point from, Point to) {
    const double degrees = std::atan2(to.x - from.x, from.y - to.y) * 180 / 3.14159265358979;
    values_.push_back({{"kind", "arrow"},
                       {"x", rounded(from.x)},
                       {"y", rounded(from.y)},
                       {"x2", rounded(to.x)},
                       {"y2", rounded(to.y)},
                       {"angle", rounded(degrees)}});
  }
  /// `align`: "left", "center" or "right"; `size` in pixels.
  void text(Point at, const char* align, const std::string& text, int size = 12) {
    values_.push_back({{"kind", "text"},
                       {"x", rounded(at.x)},
                       {"y", rounded(at.y)},
                       {"text", text},
                       {"align", align},
                       {"size", size}});
  }
  nlohmann::json spec(const std::string& title, double width, double height) const {
    nlohmann::json spec = nlohmann::json::parse(frame);
    spec["title"] = {{"text", title}};
    spec["data"] = {{"values", values_}};
    spec["width"] = width;
    spec["height"] = height;
    return spec;
  }

 private:
  static double rounded(double value) { return std::round(value * 10) / 10; }
  static const char* const frame;
  nlohmann::json values_ = nlohmann::json::array();
};

inline const char* const Drawing::frame = R"json({
  "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
  "encoding": {"x": {"field": "x", "type": "quantitative", "scale": null, "axis": null},
               "y": {"field": "y", "type": "quantitative", "scale": null, "axis": null}},
  "layer": [
    {"transform": [{"filter": "isDefined(datum.x2) && datum.kind != 'arrow'"}],
     "mark": {"type": "rect", "opacity": 1},
     "encoding": {
       "x2": {"field": "x2"}, "y2": {"field": "y2"},
       "fill": {"field": "kind", "type": "nominal", "legend": null, "scale": {
         "domain": ["cell", "alive", "word", "halo", "kept", "faint"],
         "range": ["rgba(0,0,0,0)", "#2f86e0", "rgba(0,0,0,0)", "rgba(208,74,16,0.35)",
                   "rgba(47,134,224,0.3)", "rgba(136,136,136,0.12)"]}},
       "stroke": {"value": "#888"},
       "strokeWidth": {"condition": {"test": "datum.kind == 'word'", "value": 2}, "value": 0.7}}},
    {"transform": [{"filter": "datum.kind == 'arrow'"}],
     "mark": {"type": "rule", "color": "#d04a10", "strokeWidth": 1.5},
     "encoding": {"x2": {"field": "x2"}, "y2": {"field": "y2"}}},
    {"transform": [{"filter": "datum.kind == 'arrow'"}],
     "mark": {"type": "point", "shape": "triangle", "filled": true, "color": "#d04a10",
              "size": 50, "opacity": 1},
     "encoding": {"x": {"field": "x2"}, "y": {"field": "y2"},
                  "angle": {"field": "angle", "type": "quantitative", "scale": null}}},
    {"transform": [{"filter": "datum.kind == 'text' && datum.size < 14"}],
     "mark": {"type": "text", "align": {"expr": "datum.align"}, "baseline": "alphabetic"},
     "encoding": {"text": {"field": "text"},
                  "size": {"field": "size", "type": "quantitative", "scale": null}}},
    {"transform": [{"filter": "datum.kind == 'text' && datum.size >= 14"}],
     "mark": {"type": "text", "align": "left", "baseline": "alphabetic", "fontSize": 14,
              "fontWeight": "bold"},
     "encoding": {"text": {"field": "text"}}}
  ]
})json";

}  // namespace ratchet::correctness
