#include "perf/bench/rows.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>
#include <utility>

#include "kernels/support/error.h"

namespace ratchet::bench {
namespace {

using Matcher = std::function<bool(const std::string&)>;

Matcher matcher(const std::string& filter) {
  if (filter.empty() || filter == "all") return [](const std::string&) { return true; };
  const bool invert = filter[0] == '-';
  try {
    const std::regex expression(invert ? filter.substr(1) : filter);
    return [=](const std::string& name) { return std::regex_search(name, expression) != invert; };
  } catch (const std::regex_error&) {
    throw Error("--benchmark_filter: '" + filter + "' is not a valid regular expression");
  }
}

std::string row_name(const Stage& stage, const Parameters& parameters) {
  std::string name = stage.info().name;
  for (std::size_t i = 0; i < parameters.all().size(); ++i) {
    const Parameter& now = parameters.all()[i];
    if (now.value != stage.info().parameters[i].value)
      name += "/" + now.name + ":" + std::to_string(now.value);
  }
  return name;
}

using Assignments = std::vector<std::pair<std::string, std::string>>;

/// Every way to take one value of each --ratchet_set: "a=1,2" and "b=3,4" are four points.
std::vector<Assignments> choices(const Options& options) {
  std::vector<Assignments> all{{}};
  for (const auto& [name, values] : options.set) {
    std::vector<Assignments> longer;
    for (const Assignments& before : all)
      for (std::size_t from = 0; from <= values.size();) {
        const std::size_t comma = std::min(values.find(',', from), values.size());
        longer.push_back(before);
        longer.back().emplace_back(name, values.substr(from, comma - from));
        from = comma + 1;
      }
    all = std::move(longer);
  }
  return all;
}

/// The points of a stage, its defaults and sweep or its survey, under the parameters of the command
/// line.
std::vector<Row> points(const Stage& stage, const Options& options) {
  std::vector<ParameterPoint> all = options.survey ? stage.info().survey : stage.info().sweep;
  if (!options.survey) all.insert(all.begin(), ParameterPoint{});
  const std::vector<Assignments> chosen = choices(options);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < all.size() * chosen.size(); ++i) {
    Parameters parameters = stage.defaults();
    parameters.set(all[i / chosen.size()]);
    for (const auto& [name, value] : chosen[i % chosen.size()])
      if (parameters.has(name)) parameters.set(name, value);
    std::string name = row_name(stage, parameters);
    if (!options.input.empty())
      name += "/input:" + std::filesystem::path(options.input).filename().string();
    bool seen = false;  // a sweep point at the defaults, or one that the command line overrides
    for (const Row& row : rows) seen = seen || row.name == name;
    if (!seen) rows.push_back({&stage, parameters, name});
  }
  return rows;
}

void require_known_parameters(const std::vector<const Stage*>& stages, const Options& options) {
  for (const auto& [name, value] : options.set) {
    bool known = false;
    for (const Stage* stage : stages) known = known || stage->defaults().has(name);
    if (!known)
      throw Error("--ratchet_set=" + name + "=" + value + ": no stage selected has a parameter '" +
                  name + "'");
  }
}

}  // namespace

Selection select_rows(const Options& options) {
  const Matcher matches = matcher(options.filter);
  Selection selection;
  std::vector<const Stage*> stages;
  for (const Stage* stage : registry()) {
    std::vector<Row> rows;
    for (Row& row : points(*stage, options))
      if (matches(row.name)) rows.push_back(std::move(row));
    if (rows.empty()) continue;
    stages.push_back(stage);
    const Availability available = stage->availability();
    if (available.ok) {
      for (Row& row : rows) selection.rows.push_back(std::move(row));
    } else {
      selection.unavailable.push_back(stage->info().name + ": " + available.reason);
    }
  }
  if (stages.empty())
    throw Error(registry().empty() ? "this build has no stages"
                                   : "no stage matches '" + options.filter +
                                         "'; --benchmark_list_tests shows all");
  require_known_parameters(stages, options);
  return selection;
}

}  // namespace ratchet::bench
