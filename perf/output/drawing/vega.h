// Plots as Vega-Lite specifications, and the drawings that vl-convert, a program of Python's
// package index, makes of them. What is kept is the drawing: it names the specification that it
// was made of, so that whether it is stale shows without the converter.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ratchet::vega {

enum class Theme { light, dark };

/// A theme as a Vega-Lite "config": background, fonts, and eight colours of series that are told
/// apart by people who do not see all colours, too. Specifications name none of these themselves.
nlohmann::json config(Theme theme);

/// `{"$schema": ..., "title": {...}}`: what every specification begins with; `subtitle` may be
/// empty.
nlohmann::json titled(const std::string& title, const std::string& subtitle = "");

/// The "axis" of figures from `low` to `high`: "0.1", "5,000", "2M", "1e-6". `low` above 0 is that
/// of a logarithmic axis, with ticks at powers of ten, and where those are few at twice and five
/// times them.
nlohmann::json decimal_axis(double low, double high);

/// What makes a specification of these panels, {"encoding": ..., "layer": ..., ...}, above each
/// other, each below its name and with the data whose `field` is that name. The x axis of the last
/// one is that of all; the y axes have one scale where `one_scale`. Not facets: a layer without
/// data in one of them has no extent there, of which Vega-Lite warns.
nlohmann::json stacked(const std::string& field,
                       const std::vector<std::pair<std::string, nlohmann::json>>& panels,
                       bool one_scale);

/// A specification, and the file that its drawing goes to: "scaling.svg", which has the colours of
/// both themes and takes those that the reader prefers. The specification goes to scaling.vl.json.
struct Drawing {
  std::filesystem::path file;
  nlohmann::json spec;
};

/// Writes the files of all drawings, whose names must differ, all or none. Returns why there is no
/// picture, in one line, and leaves the specifications alone, where the converter is missing; else
/// "". Throws `Error` where a file cannot be written, and naming the drawing where the converter
/// refuses it.
std::string draw(const std::vector<Drawing>& drawings);

/// Why the picture of `drawing` as it lies there is not the one that draw() would make: it is
/// missing, of another specification or theme, or edited since. "" where it is.
std::string stale(const Drawing& drawing);

}  // namespace ratchet::vega
