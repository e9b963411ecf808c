#include "perf/gate/baseline/metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/support/error.h"
#include "perf/support/printable.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

constexpr std::pair<std::string_view, Better> directions[] = {{":smaller", Better::smaller},
                                                              {":larger", Better::larger}};

/// Not of Google Benchmark's counters: the gate's own, and what a row is judged by anyway.
const std::set<std::string> not_metrics = {counter::units, counter::units_per_second,
                                           counter::verified, counter::queued};

/// Whether this word can only be a unit: "min" in a name is a minimum, "B" a variant.
bool is_unit(const std::string& word) {
  return word.size() > 1 && word != "min" && better_by_unit(word).has_value();
}

/// The unit that a counter's name holds: "allocs" of "allocs_per_iter", "items/s" of
/// "items_per_second", "ns" of "latency_ns"; else none.
std::string unit_in(const std::string& name) {
  static const std::map<std::string, std::string> known = {{memory_metric, "MB"},
                                                           {size_metric, "B"},
                                                           {device_memory_metric, "B"},
                                                           {energy_metric, energy_unit},
                                                           {device_energy_metric, energy_unit},
                                                           {"max_bytes_used", "B"},
                                                           {"net_heap_growth", "B"}};
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const auto last_word = [](const std::string& text) {
    return text.substr(text.find_last_of("_ ") + 1);  // the whole where there is none
  };
  constexpr std::string_view per = "_per_";
  const std::size_t mark = name.find(per);
  std::string word = last_word(name.substr(0, mark));
  if (mark != std::string::npos && seconds_in(name.substr(mark + per.size()))) return word + "/s";
  if (is_unit(word)) return word;
  std::transform(word.begin(), word.end(), word.begin(),  // "INSTRUCTIONS" of a hardware counter
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return is_unit(word) ? word : "";
}

/// Of what ratchet measures itself. Throws `Error` for a unit that it cannot be in.
void require_own_unit(const Metric& metric) {
  const bool bytes = metric.name == memory_metric || metric.name == size_metric ||
                     metric.name == device_memory_metric;
  if (bytes && !bytes_in(metric.kind.unit))
    throw Error(fmt::format("--metric {0}={1}: {0} is in bytes, not in {1}; leave the unit out",
                            metric.name, metric.kind.unit));
}

}  // namespace

Metric read_metric(const std::string& text, std::optional<Better> otherwise) {
  Metric metric;
  std::string rest = text;
  std::optional<Better> stated;
  for (const auto& [end, better] : directions)
    if (rest.ends_with(end)) {
      stated = better;
      rest.resize(rest.size() - end.size());
      break;
    }
  const std::size_t mark = rest.rfind('=');
  metric.name = rest.substr(0, mark);
  if (metric.name.empty() || mark == rest.size() - 1 || printable(rest) != rest)
    throw Error(fmt::format("--metric '{}' is not NAME, NAME=UNIT or NAME=UNIT:larger",
                            printable(text, 80)));
  metric.kind.unit = mark == std::string::npos ? unit_in(metric.name) : rest.substr(mark + 1);
  if (metric.kind.unit.size() > longest_unit)
    throw Error(fmt::format("--metric '{}': its unit is longer than {} characters",
                            printable(text, 80), longest_unit));
  if (mark != std::string::npos) require_own_unit(metric);
  if (!stated) stated = better_by_unit(metric.kind.unit);
  if (!stated) stated = otherwise;
  if (!stated)
    throw Error(
        fmt::format("--metric '{0}': neither its name nor a unit tells which is better; "
                    "write {0}:smaller or {0}:larger, or a unit: {1}=allocs",
                    text, metric.name));
  metric.kind.better = *stated;
  return metric;
}

std::vector<Metric> read_metrics(const std::vector<std::string>& texts,
                                 std::optional<Better> otherwise) {
  std::vector<Metric> metrics;
  std::set<std::string> names;
  for (const std::string& text : texts) {
    metrics.push_back(read_metric(text, otherwise));
    if (!names.insert(metrics.back().name).second)
      throw Error(fmt::format("--metric names {} twice; name it once", metrics.back().name));
  }
  return metrics;
}

bool wants_no_metrics(const std::vector<std::string>& texts) {
  return texts == std::vector<std::string>{"none"};
}

std::string to_text(const Metric& metric) {
  const std::string unit = metric.kind.unit.empty() ? "" : "=" + metric.kind.unit;
  return metric.name + unit + (metric.kind.better == Better::smaller ? ":smaller" : ":larger");
}

RowId metric_row(const std::string& row, const std::string& metric) {
  return storable_name((row.empty() ? "" : row + "/") + metric);
}

Launch metric_launch(const Launch& of_row, const Metric& metric, double value) {
  if (const std::string wrong = complaint_of_value(value, metric.kind); !wrong.empty())
    throw Error(fmt::format("its {} {}", metric.name, wrong));
  Launch launch{of_row.index, of_row.real_ms, of_row.cpu_ms, of_row.iterations, {}, of_row.process};
  launch.counters[counter::units_per_second] = metric.kind.throughput(value);
  if (const auto verified = of_row.counter(counter::verified))
    launch.counters[counter::verified] = *verified;
  return launch;
}

std::optional<Row> metric_of(const Row& row, const Metric& metric) {
  Row found;
  found.name = metric_row(row.name, metric.name);
  found.basis = metric.kind.text();
  if (seconds_in(metric.kind.unit)) found.clock = Clock::manual;
  std::size_t lacking = 0;
  for (const Launch& launch : row.launches)
    if (const auto value = launch.counter(metric.name))
      found.launches.push_back(metric_launch(launch, metric, *value));
    else
      ++lacking;
  if (found.launches.empty()) return std::nullopt;
  if (lacking > 0)
    throw Error(fmt::format("{} of {} repetitions do not state {}", lacking, row.launches.size(),
                            metric.name));
  return found;
}

std::set<std::string> metrics_in(const Row& row) {
  std::set<std::string> names;
  if (row.basis.empty() || figure_kind(row.basis)) return names;  // ratchet's own; a metric itself
  for (const Launch& launch : row.launches)
    for (const auto& [name, value] : launch.counters)
      if (!not_metrics.contains(name)) names.insert(name);
  return names;
}

std::string complaint_of_metric(const std::string& metric, const std::string& where,
                                const std::set<std::string>& stated) {
  const std::vector<std::string> known(stated.begin(), stated.end());
  return fmt::format("--metric {}: no row of {} states a number of this name; {}{}",
                     printable(metric, 80), where,
                     known.empty() ? "they state no counters"
                                   : fmt::format("stated are {}", fmt::join(known, ", ")),
                     did_you_mean(metric, known));
}

std::map<RowId, FigureKind> stored_metrics(const BaselineStore& store, const std::string& program,
                                           const Fingerprint& here) {
  std::map<RowId, FigureKind> metrics;
  for (const StoredFile& file : store.files())
    for (const auto& [name, row] : file.content.rows)
      if (const auto kind = figure_kind(row.basis);
          kind && file.family == program && file.content.fingerprint().matches(here, name.device()))
        metrics[name] = *kind;
  return metrics;
}

}  // namespace ratchet
