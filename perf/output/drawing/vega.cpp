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

constexpr std::array<Theme, 2> themes = {Theme::light, Theme::dark};
constexpr double limit_s = 300;
constexpr int no_converter = 77;

/// Both themes, but for their shades. The page that shows a drawing says what it is, not its marks.
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

/// Name, in light colours, in dark ones.
constexpr std::array<std::array<const char*, 3>, 4> shades = {{{"$paper", "#ffffff", "#0d1117"},
                                                               {"$ink", "#1f2328", "#e6edf3"},
                                                               {"$soft", "#59636e", "#9198a1"},
                                                               {"$grid", "#e3e6ea", "#2a313a"}}};

/// A machine without Python is one without the converter.
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

/// ci/setup puts the converter where no other program looks.
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

fs::path file_of(const Drawing& drawing, Theme theme) {
  fs::path file = drawing.file;
  return theme == Theme::light ? file : file.replace_extension(".dark.svg");
}

std::string spec_digest(const json& spec, Theme theme) {
  return sha1(spec.dump() + config(theme).dump());
}

/// The last line of a drawing: what it was made of, and what it is.
std::string seal(const Drawing& drawing, Theme theme, const std::string& svg) {
  return fmt::format("<!-- ratchet: specification {}, drawing {} -->\n",
                     spec_digest(drawing.spec, theme), sha1(svg));
}

/// The converter's arguments for all drawings; what it reads and writes lies in `scratch`.
std::vector<std::string> conversion(const std::vector<Drawing>& drawings, const fs::path& scratch) {
  std::vector<std::string> command = {"sh", "-c", python, "sh", converter};
  for (const Theme theme : themes) {
    const fs::path look = scratch / fmt::format("config-{}.json", static_cast<int>(theme));
    write_atomically(look, config(theme).dump());
    for (const Drawing& drawing : drawings) {
      const fs::path spec = scratch / drawing.file.stem().concat(".vl.json");
      write_atomically(spec, drawing.spec.dump());
      const fs::path out = scratch / file_of(drawing, theme).filename();
      command.insert(command.end(), {spec.string(), look.string(), out.string()});
    }
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
  // Any two differ visibly in normal sight, to protanopes and to deuteranopes, and each stands out
  // from the background (vega_test.cpp measures it).
  config["range"]["category"] = theme == Theme::light
                                    ? json{"#0270dd", "#c47c00", "#4f957f", "#7a4a94",
                                           "#101020", "#823f01", "#359bd2", "#652a2e"}
                                    : json{"#4ea9fc", "#d04a10", "#23bf6e", "#d1abc7",
                                           "#f5f5e6", "#e0d604", "#2a6cf0", "#9a549a"};
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
    return "no picture was drawn, the specifications alone: there is no vl_convert; ci/setup "
           "installs it, or pip install vl-convert-python";
  }
  if (!result.ok()) throw Error("vl_convert: " + result.describe());
  for (const Theme theme : themes) {
    for (const Drawing& drawing : drawings) {
      const fs::path file = file_of(drawing, theme);
      const std::string svg = read_text(scratch.path() / file.filename()) + "\n";
      files.push_back({file, svg + seal(drawing, theme, svg)});
    }
  }
  write_all_atomically(files);
  return "";
}

std::string stale(const Drawing& drawing) {
  for (const Theme theme : themes) {
    const fs::path file = file_of(drawing, theme);
    if (!fs::exists(file)) return file.string() + " is missing";
    const std::string text = read_text(file);
    const std::size_t end = text.rfind("<!-- ratchet: ");
    if (end == std::string::npos) return file.string() + " does not say what it was made of";
    if (text.find(spec_digest(drawing.spec, theme), end) == std::string::npos)
      return file.string() + " was made of other figures";
    if (text.substr(end) != seal(drawing, theme, text.substr(0, end)))
      return file.string() + " was edited";
  }
  return "";
}

}  // namespace ratchet::vega
