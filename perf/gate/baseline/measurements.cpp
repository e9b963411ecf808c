#include "perf/gate/baseline/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "perf/gate/baseline/clock.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

using nlohmann::json;

/// Numeric keys that Google Benchmark writes itself; every other number of a row is a counter.
const std::set<std::string> own_keys = {"family_index", "per_family_instance_index",
                                        "repetitions",  "repetition_index",
                                        "threads",      "iterations",
                                        "real_time",    "cpu_time",
                                        "tolerance"};

double milliseconds_per(const std::string& unit, const std::string& where) {
  static const std::map<std::string, double> factors = {
      {"ps", 1e-9}, {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
  const auto found = factors.find(unit);
  if (found == factors.end())
    throw Error(fmt::format("{}: unknown time_unit \"{}\"", where, printable(unit, 80)));
  return found->second;
}

/// A row that Google Benchmark marked as failed or skipped carries no time worth reading.
void refuse_error_rows(const json& row, const std::string& where) {
  const auto is_true = [&](const char* key) {
    const auto found = row.find(key);
    return found != row.end() && found->is_boolean() && found->get<bool>();
  };
  if (!is_true("error_occurred") && !is_true("skipped")) return;
  const char* key = is_true("skipped") ? "skip_message" : "error_message";
  const auto message = row.find(key);
  throw Error(fmt::format("{}: {}", where,
                          message != row.end() && message->is_string()
                              ? printable(message->get<std::string>(), 400)
                              : std::string("the benchmark reports an error")));
}

json row_json(const Row& row, const Launch& launch, std::size_t index) {
  json out;
  out["name"] = row.name;
  out["run_name"] = row.name;
  out["run_type"] = "iteration";
  out["repetitions"] = row.launches.size();
  out["repetition_index"] = index;
  out["threads"] = 1;
  out["iterations"] = launch.iterations;
  out["real_time"] = tidy_number(launch.real_ms);
  out["cpu_time"] = tidy_number(launch.cpu_ms);
  out["time_unit"] = "ms";
  if (row.tolerance) out["tolerance"] = tidy_number(*row.tolerance);
  if (!row.limits.empty()) out["limits"] = row.limits;
  if (!row.basis.empty()) out["throughput_of"] = row.basis;
  if (row.clock != Clock::unknown) out["throughput_clock"] = stored_text(row.clock);
  for (const auto& [name, value] : launch.counters) out[name] = tidy_number(value);
  return out;
}

void require_ours(const json& root, const std::string& file) {
  const auto fail = [&](const std::string& why) {
    throw Error(
        fmt::format("{} is not a file of ratchet: {}; `ratchet gate` writes gate.json, "
                    "`ratchet accept` baselines",
                    file, why));
  };
  if (!root.is_object() || !root.contains("context") || !root["context"].is_object())
    fail("it has no object \"context\"");
  if (!root.contains("benchmarks") || !root["benchmarks"].is_array())
    fail("it has no array \"benchmarks\"");
  const json& context = root["context"];
  if (!context.contains("ratchet") || !context["ratchet"].is_object())
    fail("its context has no object \"ratchet\"");
  const json format = context["ratchet"].value("format", json());
  if (format != 1)
    fail("its format is " + printable(format.dump(), 80) + ", and this program reads format 1");
}

/// A value as to_text writes it. Checks use the rounded value, so that a file can be read, written
/// and read again.
double as_written(double value) { return tidy_number(value).get<double>(); }

void require_name(const std::string& name, const std::string& place) {
  if (const auto wrong = complaint_of_name(name))
    throw Error(fmt::format("{}: the row name \"{}\" is {}", place, printable(name, 80), *wrong));
}

/// Fills measurements with launches, one after another.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void add(const json& element) {
    const std::string place = fmt::format("{}, benchmarks[{}]", file_, elements_++);
    if (!element.is_object()) throw Error(place + " is not an object");
    const std::string name = Node(element, place).at("name").text();
    require_name(name, place);
    const std::string where = fmt::format("{}, row {}", file_, name);
    const Node node(element, where);
    if (node.at("run_type").text() != "iteration")
      throw Error(where + ": its run_type is not \"iteration\"");
    if (const std::string unit = node.at("time_unit").text(); unit != "ms")
      throw Error(fmt::format("{}: time_unit is \"{}\", not \"ms\"", where, printable(unit, 80)));
    const Launch launch = parse_launch(element, where);
    const std::string basis =
        node.has("throughput_of") ? node.at("throughput_of").text() : std::string();
    const auto wrong = basis.empty() ? complaint(launch) : complaint_of_third_party(launch);
    if (wrong) throw Error(where + ": " + *wrong);
    Row& row = rows[name];
    row.name = name;
    if (!row.launches.empty() && row.basis != basis)
      throw Error(where + ": its launches differ in throughput_of");
    row.basis = basis;
    const Clock clock = stored_clock(node, where);
    if (!row.launches.empty() && row.clock != clock)
      throw Error(where + ": its launches differ in throughput_clock");
    row.clock = clock;
    if (!indices_[name].insert(launch.index).second)
      throw Error(fmt::format("{}: launch {} appears twice", where, launch.index));
    if (!row.launches.empty() &&
        row.launches.front().counter(counter::units) != launch.counter(counter::units))
      throw Error(where + ": its launches differ in units, the work of one call");
    if (node.has("tolerance")) row.tolerance = tolerance(node, where);
    row.limits.clear();  // each launch repeats them
    for (const Node& limit : node.list_or_empty("limits")) row.limits.push_back(limit.text());
    row.launches.push_back(launch);
  }

  std::map<RowId, Row> rows;

 private:
  static Clock stored_clock(const Node& node, const std::string& where) {
    if (!node.has("throughput_clock")) return Clock::unknown;
    const std::string text = node.at("throughput_clock").text();
    const auto clock = clock_of(text);
    if (!clock)
      throw Error(fmt::format("{}: throughput_clock is \"{}\", not cpu, wall, gpu or manual", where,
                              printable(text, 80)));
    return *clock;
  }

  static double tolerance(const Node& node, const std::string& where) {
    const double value = node.at("tolerance").number();
    if (!(as_written(value) > 0 && as_written(value) < 1))
      throw Error(where + ": tolerance must lie between 0 and 1 (0.03 is 3 %)");
    return value;
  }

  std::string file_;
  std::size_t elements_ = 0;
  std::map<std::string, std::set<int>> indices_;  ///< by row
};

}  // namespace

std::optional<double> Launch::counter(const std::string& name) const {
  const auto found = counters.find(name);
  if (found == counters.end()) return std::nullopt;
  return found->second;
}

bool Launch::contended() const {
  constexpr double most_queued = 0.05;
  if (const auto share = counter(counter::queued)) return *share > most_queued;
  if (counter(counter::one_cpu) != 1.0 || counter(counter::slices)) return false;
  const double allowed = counter(counter::preempted_kept) == 1.0 ? 0.01 : 0.05;
  return cpu_ms < (1 - allowed) * real_ms;
}

std::vector<double> Row::throughputs() const {
  std::vector<double> values;
  for (const Launch& launch : launches)
    values.push_back(launch.counter(counter::units_per_second).value_or(0));
  return values;
}

double Row::units() const {
  return launches.empty() ? 0 : launches.front().counter(counter::units).value_or(0);
}

bool Row::cold() const {
  // A counter of this name alone may be a program's own.
  return !launches.empty() && launches.front().counter(counter::cold) == 1.0 &&
         launches.front().counter(counter::samples);
}

Fingerprint Measurements::fingerprint() const {
  Fingerprint result;
  for (const auto& [key, value] : context.items()) {
    const std::string group = key.substr(0, key.find('.') + 1);
    if (value.is_string() &&
        (group == "cpu." || group == "gpu." || group == "gpus." || group == "opencl." ||
         group == "build." || group == "os." || group == "machine."))
      result.fields[key] = value.get<std::string>();
  }
  return result;
}

void take_opencl(nlohmann::json& into, const nlohmann::json& from) {
  if (into.contains("opencl.device")) return;
  for (const auto& [key, value] : from.items())
    if (key.starts_with("opencl.")) into[key] = value;
}

std::string plain_name(std::string_view benchmark_name) {
  // The regular expression recurses with the length of a match; no benchmark has such a name.
  if (benchmark_name.size() > 4096) return std::string(benchmark_name);
  static const std::regex timing(
      "/(manual_time|real_time|process_time|iterations:[0-9]+|repeats:[0-9]+|"
      "min_time:[0-9.]+s?|min_warmup_time:[0-9.]+s?)(?=/|$)");
  return std::regex_replace(std::string(benchmark_name), timing, "");
}

Launch parse_launch(const json& row, const std::string& where) {
  refuse_error_rows(row, where);
  const Node node(row, where);
  const double factor = milliseconds_per(node.at("time_unit").text(), where);
  Launch launch;
  launch.real_ms = node.at("real_time").number() * factor;
  launch.cpu_ms = node.at("cpu_time").number() * factor;
  const double iterations = node.at("iterations").number();
  if (!std::isfinite(launch.real_ms) || !std::isfinite(launch.cpu_ms))
    throw Error(where + ": a time is too large");
  if (!(launch.real_ms > 0)) throw Error(where + ": real_time is not positive");
  if (!(launch.cpu_ms >= 0)) throw Error(where + ": cpu_time is negative");
  if (!(iterations >= 1 && iterations < 9e15)) throw Error(where + ": iterations is not positive");
  launch.iterations = static_cast<std::int64_t>(iterations);
  if (row.contains("repetition_index")) {
    const double index = node.at("repetition_index").number();
    if (!(index >= 0 && index < 1e6 && index == std::floor(index)))
      throw Error(where + ": repetition_index is not a small whole number");
    launch.index = static_cast<int>(index);
  }
  for (const auto& [key, value] : row.items()) {
    if (value.is_number() && !own_keys.count(key))
      launch.counters[counter::current(key)] = value.get<double>();
  }
  return launch;
}

std::optional<std::string> complaint(const Launch& launch) {
  for (const std::string name : {counter::units, counter::units_per_second}) {
    const auto value = launch.counter(name);
    if (!value) return fmt::format("the counter \"{}\" is missing", name);
    if (!(*value > 0)) return fmt::format("the counter \"{}\" is not positive", name);
  }
  if (launch.counter(counter::verified) != 1.0)
    return std::string("unverified: the counter \"verified\" is not 1");
  const double by_time =
      as_written(*launch.counter(counter::units)) / as_written(launch.real_ms) * 1e3;
  const double ratio = as_written(*launch.counter(counter::units_per_second)) / by_time;
  if (!(ratio <= 2 && ratio >= 0.5))
    return fmt::format(
        "units_per_second is {:.3g} times units / real_time; check the time unit and the unit of "
        "work",
        ratio);
  return std::nullopt;
}

std::optional<std::string> complaint_of_third_party(const Launch& launch) {
  const auto rate = launch.counter(counter::units_per_second),
             units = launch.counter(counter::units);
  if (!rate || !(*rate > 0)) return std::string("the counter \"units_per_second\" is not positive");
  if (units && !(*units > 0)) return std::string("the counter \"units\" is not positive");
  if (launch.counter(counter::verified).value_or(1) != 1)
    return std::string("unverified: the counter \"verified\" is not 1");
  return std::nullopt;
}

/// Names become file names, lines of tables and keys of other tools (Bencher takes 1024 bytes).
std::optional<std::string> complaint_of_name(const RowId& name) {
  if (name.text().size() > 1024) return std::string("longer than 1024 bytes");
  if (name.text() != printable(name.text())) return std::string("not printable text");
  if (name.family().empty()) return std::string("without a family before the first \"/\"");
  return std::nullopt;
}

bool is_verified(const Row& row) {
  return std::all_of(row.launches.begin(), row.launches.end(),
                     [](const Launch& launch) { return launch.counter(counter::verified) == 1.0; });
}

Measurements parse_measurements(std::string_view text, const std::string& what) {
  const json root = parse_json(text, what);
  require_ours(root, what);
  Reader reader(what);
  for (const json& element : root["benchmarks"]) reader.add(element);
  Measurements result{root["context"], std::move(reader.rows)};
  if (json& ratchet = result.context["ratchet"]; ratchet.contains("revisions"))
    ratchet["revisions"] =
        Node(ratchet["revisions"], what + ".context.ratchet.revisions").texts_of_keys();
  for (auto& [name, row] : result.rows) {
    std::sort(row.launches.begin(), row.launches.end(),
              [](const Launch& a, const Launch& b) { return a.index < b.index; });
  }
  return result;
}

Measurements read_measurements(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  try {
    return parse_measurements(text, file.string());
  } catch (const NotJson& error) {
    throw with_advice(error);
  }
}

std::string to_text(const Measurements& measurements) {
  json context = measurements.context;
  if (!context.contains("caches")) context["caches"] = json::array();  // some readers insist
  if (!context.value("ratchet", json()).is_object()) context["ratchet"] = json::object();
  json& ratchet = context["ratchet"];
  ratchet["format"] = 1;
  if (ratchet.contains("revisions"))  // by row, as parse_measurements has them
    ratchet["revisions"] =
        keys_by_text(ratchet["revisions"].get<std::map<std::string, std::string>>());
  std::vector<std::string> launches;
  for (const auto& [name, row] : measurements.rows) {
    for (std::size_t i = 0; i < row.launches.size(); ++i)
      launches.push_back(pretty(row_json(row, row.launches[i], i), 0));
  }
  return launches_text(context, launches);
}

}  // namespace ratchet
