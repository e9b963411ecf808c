// Plots as Vega-Lite specifications, and the SVG drawings that vl-convert (a Python package) makes
// from them. A drawing holds the digest of its specification, so a stale one is found without the
// converter.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ratchet::vega {

enum class Theme { light, dark };

/// A theme as a Vega-Lite "config": background, fonts, and eight series colours that colour-blind
/// readers can tell apart. Specifications name no colours themselves.
nlohmann::json config(Theme theme);

/// The start of every specification: `{"$schema": ..., "title": {...}}`. `subtitle` may be empty.
nlohmann::json titled(const std::string& title, const std::string& subtitle = "");

/// The "axis" for figures from `low` to `high`: "0.1", "5,000", "2M", "1e-6". `low` above 0 means a
/// logarithmic axis with ticks at powers of ten; if there are few, also at 2 and 5 times them.
nlohmann::json decimal_axis(double low, double high);

/// Stacks these panels, {"encoding": ..., "layer": ..., ...}, into one specification. Each stands
/// below its name and shows the data whose `field` is that name. All share the x axis of the last;
/// the y axes share one scale if `one_scale`. Not facets: Vega-Lite warns of a layer without data.
nlohmann::json stacked(const std::string& field,
                       const std::vector<std::pair<std::string, nlohmann::json>>& panels,
                       bool one_scale);

/// A specification and the file of its drawing: "scaling.svg" holds the colours of both themes and
/// follows the reader's preference. The specification goes to scaling.vl.json.
struct Drawing {
  std::filesystem::path file;
  nlohmann::json spec;
};

/// Writes the files of all drawings, all or none; their names must differ. Returns "". Without the
/// converter, writes only the specifications and returns one line that says so. Throws `Error` if a
/// file cannot be written or the converter refuses a drawing, with its name.
std::string draw(const std::vector<Drawing>& drawings);

/// Why the stored picture of `drawing` differs from what draw() would make: it is missing, has
/// another specification or theme, or was edited. "" if it is current.
std::string stale(const Drawing& drawing);

}  // namespace ratchet::vega
