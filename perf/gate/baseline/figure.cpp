#include "perf/gate/baseline/figure.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "perf/gate/baseline/other_formats.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

using nlohmann::json;

constexpr std::string_view smaller_text = "(smaller is better)", larger_text = "(larger is better)";

std::optional<double> look_up(const std::map<std::string, double>& units, const std::string& unit) {
  const auto found = units.find(unit);
  return found == units.end() ? std::nullopt : std::optional(found->second);
}

/// Without "/op", "/iter", "/call" at its end: the unit of one call.
std::string of_one_call(const std::string& unit) {
  for (const std::string_view end : {"/op", "/iter", "/call"})
    if (unit.ends_with(end)) return unit.substr(0, unit.size() - end.size());
  return unit;
}

bool is_count(const std::string& unit) {
  static const std::set<std::string> counts = {"allocs",   "allocations",  "errors",
                                               "failures", "instructions", "Ir"};
  return counts.count(of_one_call(unit)) > 0;
}

bool is_energy(const std::string& unit) {
  static const std::set<std::string> units = {"J", "mJ", "uJ", "kJ", "Wh", "kWh"};
  return units.count(of_one_call(unit)) > 0;
}

class FigureReader {
 public:
  FigureReader(std::optional<Better> otherwise, std::set<std::string>* not_judged)
      : otherwise_(otherwise), not_judged_(not_judged) {}

  void add(const json& root, const std::string& what) {
    if (root.empty())
      throw Error(what + " is JSON without figures; print at least one, or no JSON at all");
    if (const auto file = from_sampled_json(root, what)) {
      add_times(*file, what);
    } else if (root.is_object() && root.value("benchmarks", json()).is_array()) {
      add_google_benchmark(root["benchmarks"], what);
    } else if (root.is_array()) {
      for (std::size_t i = 0; i < root.size(); ++i)
        add_one(root[i], fmt::format("element {} of {}", i + 1, what));
    } else if (root.contains("value") || root.contains("name")) {
      add_one(root, what);
    } else {
      add_of_bencher(root, what);
    }
  }
  /// The medians of what a benchmark library measured (other_formats.h).
  void add_times(const json& file, const std::string& what) {
    if (not_judged_)
      for (const json& metric : file["context"].value("not_judged", json::array()))
        not_judged_->insert(metric.get<std::string>());
    std::map<std::string, std::vector<double>> times;
    for (const json& row : file["benchmarks"]) {
      const std::string name = row["name"].get<std::string>();
      if (row.contains("error_message"))
        throw Error(fmt::format("{}: {}: {}", what, printable(name, 80),
                                row["error_message"].get<std::string>()));
      times[name].push_back(row["real_time"].get<double>());
    }
    for (auto& [name, samples] : times)
      add_one({{"name", name},
               {"value", stats::median(std::move(samples))},
               {"unit", file["benchmarks"][0]["time_unit"]}},
              what);
  }
  /// The wall times of a call, of repetitions their median.
  void add_google_benchmark(const json& rows, const std::string& what) {
    std::map<std::string, std::vector<double>> times;
    std::map<std::string, std::string> units;
    for (const json& row : rows) {
      const json name = row.is_object() ? row.value("name", json()) : json();
      if (!name.is_string()) throw Error(what + " has a benchmark without a name");
      if (row.value("run_type", json()) == "aggregate") continue;
      const std::string text = name.get<std::string>();
      const json time = row.value("real_time", json()), unit = row.value("time_unit", json("ns"));
      if (row.value("error_occurred", json()) == true || !time.is_number() || !unit.is_string())
        throw Error(fmt::format("{}: {} failed, or has no real_time", what, printable(text, 80)));
      times[text].push_back(time.get<double>());
      units[text] = unit.get<std::string>();
    }
    for (auto& [name, samples] : times)
      add_one({{"name", name}, {"value", stats::median(std::move(samples))}, {"unit", units[name]}},
              what);
  }
  std::vector<Figure> take() { return std::move(figures_); }

 private:
  void add_one(const json& element, const std::string& what) {
    if (!element.is_object()) throw Error(what + " is not an object with a name and a value");
    const json given_name = element.value("name", json());
    const json given_unit = element.value("unit", json(""));
    const std::string name = given_name.is_string() ? given_name.get<std::string>() : "";
    const std::string unit = given_unit.is_string() ? given_unit.get<std::string>() : "\n";
    if (name.empty()) throw Error(what + " has no name");
    if (printable(unit, longest_unit) != unit)
      throw Error(fmt::format("{}: the unit of {} is not a text of at most {} characters", what,
                              printable(name, 80), longest_unit));
    const json direction = element.value("direction", json());
    std::optional<Better> better = better_by_unit(unit);
    if (direction == "smaller") better = Better::smaller;
    if (direction == "larger") better = Better::larger;
    if (!direction.is_null() && direction != "smaller" && direction != "larger")
      throw Error(fmt::format("{}: the direction of {} is {}, not \"smaller\" or \"larger\"", what,
                              printable(name, 80), printable(direction.dump(), 40)));
    keep(name, element, {unit, {}}, better, what);
  }

  void add_of_bencher(const json& root, const std::string& what) {
    for (const auto& [name, measures] : root.items()) {
      if (!measures.is_object())
        throw Error(fmt::format(
            "{} is JSON without figures: it has no \"name\" and \"value\", and its \"{}\" has no "
            "measures",
            what, printable(name, 40)));
      for (const auto& [measure, metric] : measures.items()) {
        const auto kind = bencher_kind(measure);
        if (!metric.is_object())
          throw Error(fmt::format("{}: {}/{} has no \"value\"", what, printable(name, 80),
                                  printable(measure, 80)));
        keep(name + "/" + measure, metric, kind.value_or(FigureKind()),
             kind ? std::optional(kind->better) : std::nullopt, what);
      }
    }
  }

  void keep(const std::string& name, const json& element, FigureKind kind,
            std::optional<Better> better, const std::string& what) {
    const json value = element.value("value", json());
    const std::string shown = printable(name, 80);
    if (!value.is_number())
      throw Error(fmt::format("{}: the value of {} is {}, not a number", what, shown,
                              printable(value.dump(-1, ' ', true), 40)));
    if (!better && !otherwise_)
      throw Error(fmt::format(
          "{}: {} states no direction, and its unit \"{}\" tells none; add \"direction\": "
          "\"smaller\" or \"larger\" (which is better), or name it by --direction",
          what, shown, kind.unit));
    kind.better = better ? *better : *otherwise_;
    const double figure = value.get<double>();
    if (const std::string wrong = complaint_of_value(figure, kind); !wrong.empty())
      throw Error(fmt::format("{}: the value of {} {}", what, shown, wrong));
    if (!names_.insert(name).second)
      throw Error(
          fmt::format("{}: the name {} stands there twice; a row has one figure", what, shown));
    figures_.push_back({name, figure, std::move(kind)});
  }

  std::optional<Better> otherwise_;
  std::set<std::string>* not_judged_;
  std::set<std::string> names_;
  std::vector<Figure> figures_;
};

bool is_json(std::string_view text) { return json::accept(without_bare_nan(text)); }

}  // namespace

std::string FigureKind::text() const {
  const auto direction = better == Better::smaller ? smaller_text : larger_text;
  return fmt::format("{}{}{}", unit, unit.empty() ? "" : " ", direction);
}

std::optional<FigureKind> figure_kind(const std::string& basis) {
  for (const auto& [end, better] :
       {std::pair(smaller_text, Better::smaller), std::pair(larger_text, Better::larger)}) {
    if (!basis.ends_with(end)) continue;
    const std::size_t unit = basis.size() - end.size();
    return FigureKind{basis.substr(0, unit > 0 ? unit - 1 : 0), better};
  }
  return std::nullopt;
}

std::optional<FigureKind> bencher_kind(const std::string& measure) {
  static const std::map<std::string, FigureKind> known = {{"latency", {"ns", Better::smaller}},
                                                          {"throughput", {"ops/s", Better::larger}},
                                                          {"build-time", {"s", Better::smaller}},
                                                          {"file-size", {"B", Better::smaller}}};
  const auto found = known.find(measure);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Better> better_by_unit(const std::string& unit) {
  static const std::set<std::string> rates = {"Hz", "kHz", "MHz", "GHz", "fps", "FLOPS", "GFLOPS"};
  if (seconds_in(unit) || bytes_in(unit) || is_count(unit) || is_energy(unit))
    return Better::smaller;
  const std::size_t slash = unit.find('/');
  const bool a_second = slash != std::string::npos && seconds_in(unit.substr(slash + 1));
  return a_second || rates.count(unit) ? std::optional(Better::larger) : std::nullopt;
}

std::string complaint_of_value(double value, const FigureKind& kind) {
  const double throughput = kind.throughput(value);
  const bool time = seconds_in(kind.unit).has_value();
  if (value == 0 && kind.better == Better::smaller && !time) return "";
  if (value > 0 && throughput > 0 && kind.throughput(throughput) != 0 && std::isfinite(value) &&
      std::isfinite(throughput))
    return "";
  return fmt::format("is {}; rows are compared by ratios, so it must be positive{}", value,
                     value != 0 ? ""
                     : time     ? ": do more work for each time, so that the clock resolves it"
                                : "; 0 can be where smaller is better");
}

bool is_amount(const FigureKind& kind) { return bytes_in(kind.unit) || is_count(kind.unit); }
bool is_amount(const std::string& basis) {
  const auto kind = figure_kind(basis);
  return kind && is_amount(*kind);
}

std::optional<double> seconds_in(const std::string& unit) {
  static const std::map<std::string, double> seconds = {
      {"ps", 1e-12},  {"ns", 1e-9},    {"us", 1e-6}, {"µs", 1e-6},   {"μs", 1e-6},   {"ms", 1e-3},
      {"s", 1},       {"sec", 1},      {"secs", 1},  {"second", 1},  {"seconds", 1}, {"min", 60},
      {"minute", 60}, {"minutes", 60}, {"h", 3600},  {"hours", 3600}};
  return look_up(seconds, of_one_call(unit));
}

std::optional<double> bytes_in(const std::string& unit) {
  static const std::map<std::string, double> bytes = {{"B", 1},
                                                      {"byte", 1},
                                                      {"bytes", 1},
                                                      {"Bytes", 1},
                                                      {"kB", 1e3},
                                                      {"KB", 1e3},
                                                      {"MB", 1e6},
                                                      {"GB", 1e9},
                                                      {"TB", 1e12},
                                                      {"KiB", 1024.0},
                                                      {"MiB", 1048576.0},
                                                      {"GiB", 1073741824.0},
                                                      {"TiB", 1099511627776.0}};
  return look_up(bytes, of_one_call(unit));
}

bool holds_figures(const std::string& text) {
  json first = json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (first.is_discarded() && text.starts_with('[')) first = json::parse(text, nullptr, false);
  if (first.is_array() && !first.empty()) first = json(first.front());
  return first.is_object() && first.contains("name") && first.contains("value");
}

std::vector<Figure> read_figures(const std::string& output, std::optional<Better> otherwise,
                                 std::set<std::string>* not_judged) {
  FigureReader reader(otherwise, not_judged);
  if (const auto go = from_go(output, "its output")) {
    reader.add_times(*go, "its output");
    return reader.take();
  }
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view rest = std::string_view(output).substr(begin);
    std::string_view line = rest.substr(0, end - begin);
    const std::string what = fmt::format("line {} of its output", ++number);
    begin = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    const std::size_t inner = line.find_first_not_of(" \t", 1);
    const bool list = line.starts_with('[') &&
                      (inner == line.npos || line[inner] == '{' || line.substr(inner) == "]");
    if (!list && !line.starts_with('{')) continue;  // "[info] ready" is text
    const bool to_the_end = !is_json(line) && is_json(rest);
    reader.add(parse_their_json(to_the_end ? rest : line, what), what);
    if (to_the_end) break;
  }
  return reader.take();
}

}  // namespace ratchet
