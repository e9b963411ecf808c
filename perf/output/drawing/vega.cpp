#include "perf/output/drawing/vega.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet::vega {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double limit_s = 300;
constexpr int no_converter = 77;

/// Both themes without their colours. The surrounding page describes the drawing to screen readers,
/// so its marks carry no ARIA labels.
constexpr const char* look = R"({
  "aria": false, "background": "$paper", "font": "Arial, Helvetica, sans-serif", "padding": 8,
  "view": {"stroke": null}, "mark": {"color": "$ink"}, "rule": {"color": "$ink"},
  "text": {"color": "$ink", "fontSize": 12},
  "axis": {"labelFontSize": 12, "labelLimit": 0, "labelColor": "$ink", "titleFontSize": 13,
           "titleFontWeight": "normal", "titleColor": "$ink", "titlePadding": 8,
           "gridColor": "$grid", "domainColor": "$soft", "tickColor": "$soft"},
  "legend": {"orient": "bottom", "title": null, "columnPadding": 22, "labelFontSize": 12, "labelLimit": 0,
             "labelColor": "$ink", "symbolSize": 80, "symbolStrokeWidth": 2, "symbolOpacity": 1},
  "title": {"anchor": "start", "fontSize": 15, "color": "$ink", "offset": 12,
            "subtitleFontSize": 12, "subtitleColor": "$soft", "subtitlePadding": 5,
            "subtitleFont": "Arial, Helvetica, sans-serif"},
  "header": {"title": null, "labelFontSize": 13, "labelFontWeight": "bold",
             "labelAnchor": "start", "labelOrient": "top", "labelColor": "$ink"}
})";

/// Name, light colour, dark colour.
constexpr std::array<std::array<const char*, 3>, 4> shades = {{{"$paper", "#ffffff", "#0d1117"},
                                                               {"$ink", "#1f2328", "#e6edf3"},
                                                               {"$soft", "#59636e", "#9198a1"},
                                                               {"$grid", "#e3e6ea", "#2a313a"}}};

/// Colours of series, light and dark. Any two of a theme differ visibly for normal sight,
/// protanopes and deuteranopes, and each stands out from the background (vega_test.cpp measures
/// it).
constexpr std::array<std::array<const char*, 2>, 8> series = {{{"#0270dd", "#4ea9fc"},
                                                               {"#c47c00", "#d04a10"},
                                                               {"#4f957f", "#23bf6e"},
                                                               {"#7a4a94", "#d1abc7"},
                                                               {"#101020", "#f5f5e6"},
                                                               {"#823f01", "#e0d604"},
                                                               {"#359bd2", "#2a6cf0"},
                                                               {"#652a2e", "#9a549a"}}};

/// Exit 77 without Python, as without the converter.
constexpr const char* python = R"(command -v python3 >/dev/null || exit 77; exec python3 -c "$@")";

/// Arguments: specification, config and the file to write, for each drawing. Nothing is fetched.
constexpr const char* converter = R"python(
import json, re, sys
try:
    import vl_convert
except ImportError:
    sys.exit(77)
rest = sys.argv[1:]
while rest:
    spec, config, out, *rest = rest
    with open(spec, encoding="utf-8") as a, open(config) as b, open(out, "w", encoding="utf-8") as c:
        try:
            svg = vl_convert.vegalite_to_svg(json.load(a), config=json.load(b), allowed_base_urls=[])
            # Hundredths of a pixel are enough.
            c.write(re.sub(' (?:d|transform)="[^"]*"', lambda m: re.sub(r"(\.\d\d)\d+", r"\1", m[0]), svg))
        except ValueError as error:
            sys.exit(f"{spec}: " + " ".join(str(error).split())[:300])
)python";

/// ci/setup installs the converter into a folder that is not on Python's search path.
Environment with_converter() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const std::string stated = variable("XDG_CACHE_HOME");
  const fs::path cache = stated.empty() ? fs::path(variable("HOME")) / ".cache" : fs::path(stated);
  const std::string path = variable("PYTHONPATH");
  return {{"PYTHONPATH",
           (path.empty() ? "" : path + ":") + (cache / "ratchet" / "vega-tools").string()}};
}

std::string spec_digest(const json& spec) {
  return fmt::format("{}, in dark colours {}", sha1(spec.dump() + config(Theme::light).dump()),
                     sha1(spec.dump() + config(Theme::dark).dump()));
}

/// The last line of a drawing: digests of its specification and of itself.
std::string seal(const Drawing& drawing, const std::string& svg) {
  return fmt::format("<!-- ratchet: specification {}, drawing {} -->\n", spec_digest(drawing.spec),
                     sha1(svg));
}

/// CSS rules that replace this light colour in the attributes fill and stroke.
std::string turned_dark(const std::string& svg, const char* light, const char* dark) {
  std::string rules;
  for (const char* attribute : {"fill", "stroke"})
    if (const auto selector = fmt::format("{}=\"{}\"", attribute, light);
        svg.find(selector) != std::string::npos)
      rules += fmt::format("[{}]{{{}:{}}}", selector, attribute, dark);
  return rules;
}

/// A drawing in light colours, with a style sheet for dark pages. Style sheets override attributes.
std::string of_both_themes(std::string svg) {
  std::string rules;
  for (const auto& [name, light, dark] : shades) rules += turned_dark(svg, light, dark);
  for (const auto& [light, dark] : series) rules += turned_dark(svg, light, dark);
  const std::size_t begin = svg.find("<svg"), end = svg.find('>', begin);
  if (begin == std::string::npos || end == std::string::npos)
    throw Error("vl_convert: its output is not an SVG");
  return svg.insert(end + 1, "<style>@media (prefers-color-scheme:dark){" + rules + "}</style>");
}

/// The converter's arguments for all drawings; its input and output files lie in `scratch`.
std::vector<std::string> conversion(const std::vector<Drawing>& drawings, const fs::path& scratch) {
  std::vector<std::string> command = {"sh", "-c", python, "sh", converter};
  const fs::path look = scratch / "config.json";
  write_atomically(look, config(Theme::light).dump());
  for (const Drawing& drawing : drawings) {
    const fs::path spec = scratch / drawing.file.stem().concat(".vl.json");
    write_atomically(spec, drawing.spec.dump());
    const fs::path out = scratch / drawing.file.filename();
    command.insert(command.end(), {spec.string(), look.string(), out.string()});
  }
  return command;
}

}  // namespace

json config(Theme theme) {
  std::string text = look;
  for (const auto& [name, light, dark] : shades)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, std::string(name).size(), theme == Theme::light ? light : dark);
  json config = json::parse(text);
  json& category = config["range"]["category"] = json::array();
  for (const auto& [light, dark] : series) category.push_back(theme == Theme::light ? light : dark);
  return config;
}

json decimal_axis(double low, double high) {
  json axis = {{"labelExpr",
                "datum.value == 0 ? '0' : abs(datum.value) < 0.01 ? format(datum.value, '.0e') : "
                "abs(datum.value) < 1e4 ? format(datum.value, ',~r') : format(datum.value, '~s')"}};
  if (!(low > 0)) return axis;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const int every = (last - first + 10) / 10;
  json ticks = json::array();
  for (int power = first; power <= last; power += every)
    for (const double factor : {1, 2, 5})
      if (const double tick = factor * std::pow(10, power);
          tick >= low && tick <= high && (factor == 1 || high / low < 1e3))
        ticks.push_back(tick);
  if (ticks.size() > 2) axis["values"] = ticks;
  return axis;
}

json titled(const std::string& title, const std::string& subtitle) {
  json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
               {"title", {{"text", title}}}};
  if (!subtitle.empty()) spec["title"]["subtitle"] = subtitle;
  return spec;
}

json stacked(const std::string& field, const std::vector<std::pair<std::string, json>>& panels,
             bool one_scale) {
  json list = json::array();
  for (const auto& [name, panel] : panels) {
    json& made = list.emplace_back(panel);
    made["title"] = {{"text", name}, {"fontSize", 13}, {"offset", 6}};
    made["transform"] = {{{"filter", "datum." + field + " == " + json(name).dump()}}};
    if (list.size() == panels.size()) break;
    json& x = made["encoding"]["x"];
    x["title"] = nullptr;
    x["axis"].update({{"labels", false}, {"ticks", false}});
  }
  json resolve = {{"scale", {{"x", "shared"}}}};
  if (one_scale) resolve["scale"]["y"] = "shared";
  return {{"vconcat", list}, {"resolve", resolve}};
}

std::string draw(const std::vector<Drawing>& drawings) {
  const ScratchFolder scratch;
  const auto command = conversion(drawings, scratch.path());
  const ProcessResult result = run_process(command, limit_s, with_converter());
  std::vector<FileText> files;
  for (const Drawing& drawing : drawings)
    files.push_back(
        {fs::path(drawing.file).replace_extension(".vl.json"), drawing.spec.dump(1) + "\n"});
  if (result.exit_code == no_converter) {
    write_all_atomically(files);
    const fs::path& first = drawings.front().file;
    return fmt::format(
        "{} not drawn, only {} written: vl_convert is missing; run ci/setup or pip install "
        "vl-convert-python",
        drawings.size() == 1 ? first.string() + " was" : "the pictures were",
        drawings.size() == 1 ? files.front().file.string() + " was" : "their specifications were");
  }
  if (!result.ok()) throw Error("vl_convert: " + result.describe());
  for (const Drawing& drawing : drawings) {
    const std::string svg =
        of_both_themes(read_text(scratch.path() / drawing.file.filename())) + "\n";
    files.push_back({drawing.file, svg + seal(drawing, svg)});
  }
  write_all_atomically(files);
  return "";
}

std::string stale(const Drawing& drawing) {
  const fs::path& file = drawing.file;
  if (!fs::exists(file)) return file.string() + " is missing";
  const std::string text = read_text(file);
  const std::size_t end = text.rfind("<!-- ratchet: ");
  if (end == std::string::npos) return file.string() + " does not name its specification";
  if (text.find(spec_digest(drawing.spec), end) == std::string::npos)
    return file.string() + " was made of other figures";
  if (text.substr(end) != seal(drawing, text.substr(0, end))) return file.string() + " was edited";
  return "";
}

}  // namespace ratchet::vega
