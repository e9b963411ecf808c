#include "perf/gate/baseline/third_party_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

using nlohmann::json;

/// Versions before 1.5 mark aggregates by their names alone.
constexpr std::array<std::string_view, 4> aggregate_endings = {"_mean", "_median", "_stddev",
                                                               "_cv"};

bool is_true(const json& row, const char* key) { return row.value(key, json()) == true; }

/// The rows of ->Complexity(); old versions mark them only by their names and keys.
bool is_complexity(const json& row) {
  const json aggregate = row.value("aggregate_name", json());
  return aggregate == "BigO" || aggregate == "RMS" ||
         (row.value("run_type", json()) != "iteration" && !row.contains("iterations") &&
          (row.contains("cpu_coefficient") || row.contains("rms")));
}

/// Per call, where rate and time tell it exactly: Google Benchmark divides the same count by one of
/// the two times, most likely by `divisor_ms`. So one product is a whole number but for rounding.
std::optional<double> work_per_call(double rate, const Launch& launch, double divisor_ms) {
  for (const double ms : {divisor_ms, launch.cpu_ms, launch.real_ms}) {
    const double work = rate * ms * 1e-3;
    const double whole = std::round(work);
    if (whole >= 1 && whole < 1e11 && std::fabs(work - whole) <= 1e-12 * whole) return whole;
  }
  return std::nullopt;
}

/// The rows of one name, before anything is known to be right.
struct Group {
  std::string full_name;
  std::vector<const json*> repetitions;
};

class FileReader {
 public:
  FileReader(std::string what, const ThirdPartyOptions& options)
      : what_(std::move(what)), options_(options) {}

  ThirdPartyMeasurements read(const json& root) {
    for (const char* key : {"context", "benchmarks"}) {
      const bool right = root.is_object() && root.contains(key) &&
                         (key[0] == 'c' ? root[key].is_object() : root[key].is_array());
      if (!right)
        throw Error(fmt::format(
            "{} is not JSON of Google Benchmark, which has \"{}\", nor of another known "
            "tool; a Google Benchmark program writes it with --benchmark_out=FILE",
            what_, key));
    }
    result_.measured.context = root["context"];
    group(root["benchmarks"]);
    for (const auto& [full_name, group] : groups_) add_row(group);
    for (const std::string& full_name : aggregates_) {
      if (!groups_.count(full_name))
        result_.failures[row_name(full_name)] =
            "its repetitions are missing, only aggregates are in " + what_;
    }
    if (groups_.empty() && !aggregates_.empty())
      throw Error(
          fmt::format("{} holds aggregates only; run the program without "
                      "--benchmark_report_aggregates_only",
                      what_));
    return std::move(result_);
  }

 private:
  void group(const json& rows) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (const auto wrong = complaint_of_nameless(rows[i]); !wrong.empty())
        result_.failures[fmt::format("benchmarks[{}]", i)] = what_ + ": " + wrong;
      else
        names.insert(rows[i]["name"].get<std::string>());
    std::vector<const json*> runs;
    for (const json& row : rows) {
      // Complexity is of a whole family, and no benchmark's own.
      if (!complaint_of_nameless(row).empty() || is_complexity(row)) continue;
      if (const auto run = aggregated_run(row, row["name"].get<std::string>(), names)) {
        aggregates_.insert(*run);
        add_plain(*run);
      } else {
        runs.push_back(&row);
      }
    }
    for (const json* row : runs) {
      const std::string name = numbered(*row);
      groups_[name].full_name = name;
      groups_[name].repetitions.push_back(row);
      add_plain(name);
    }
  }

  /// A repetition that was there before is of another benchmark of this name. Old versions do not
  /// number them: their aggregates, or how many there are to be, tell that rows are repetitions.
  std::string numbered(const json& row) {
    const std::string name = row["name"].get<std::string>();
    const json count = row.value("repetitions", json());
    const bool repeated = aggregates_.count(name) || (count.is_number() && count > 1);
    if (!row.contains("repetition_index") && repeated) return name;
    const int before = repetitions_[{name, row.value("repetition_index", json()).dump()}]++;
    return before == 0 ? name : fmt::format("{}#{}", name, before + 1);
  }

  static std::string complaint_of_nameless(const json& row) {
    if (!row.is_object()) return "is not an object";
    const json name = row.value("name", json());
    const bool named = name.is_string() && !name.get<std::string>().empty();
    return named ? "" : "\"name\" is missing or not a text";
  }

  /// The benchmark that an aggregate sums up; nothing for a measurement.
  static std::optional<std::string> aggregated_run(const json& row, const std::string& name,
                                                   const std::set<std::string>& names) {
    const json type = row.value("run_type", json());
    if (type == "iteration") return std::nullopt;
    if (type == "aggregate") {
      const json run = row.value("run_name", json());
      return run.is_string() ? run.get<std::string>() : name;
    }
    for (const std::string_view ending : aggregate_endings) {
      if (!name.ends_with(ending)) continue;
      const std::string run = name.substr(0, name.size() - ending.size());
      if (names.count(run)) return run;
    }
    return std::nullopt;
  }

  void add_plain(const std::string& full_name) { plain_[plain_name(full_name)].insert(full_name); }
  std::string row_name(const std::string& full_name) const {
    const std::string plain = plain_name(full_name);
    return storable_name(plain_.at(plain).size() == 1 ? plain : full_name);
  }

  void add_row(const Group& group) {
    Row row;
    row.name = row_name(group.full_name);
    try {
      add_repetitions(group, row);
    } catch (const Error& error) {
      const std::string what = error.what();
      result_.failures[row.name] =
          what +
          (what.ends_with("is not a number") ? "; measure the row again, or leave it out" : "");
      return;
    }
    std::sort(row.launches.begin(), row.launches.end(),
              [](const Launch& a, const Launch& b) { return a.index < b.index; });
    result_.measured.rows[row.name] = std::move(row);
  }

  /// Throws `Error` with what is wrong with this row.
  void add_repetitions(const Group& group, Row& row) {
    const auto skips = [](const json* element) {
      return is_true(*element, "skipped") && !is_true(*element, "error_occurred");
    };
    if (std::all_of(group.repetitions.begin(), group.repetitions.end(), skips))
      result_.skipped.insert(row.name);
    for (const json* element : group.repetitions)
      if (is_true(*element, "error_occurred") || is_true(*element, "skipped"))
        throw Error(message_of(*element));
    row.clock_named = options_.clock != ClockChoice::automatic;
    for (const json* element : group.repetitions) {
      if (element->value("real_time", json()) == 0)
        throw Error("its time is 0: its clock is too coarse; do more work in one iteration");
      Launch launch = parse_launch(*element, what_);
      if (const json process = element->value("launch_index", json()); process.is_string())
        launch.process = process.get<std::string>();
      if (!element->contains("repetition_index"))
        launch.index = static_cast<int>(row.launches.size());
      Row one;  // not a copy of a row of many launches
      one.name = row.name;
      one.clock_named = row.clock_named;
      one.clock = clock_for(*element, launch);
      if (const auto wrong = take_throughput(*element, one, launch)) throw Error(*wrong);
      one.launches = {std::move(launch)};
      add_launches(row, one);
    }
  }

  /// The time that Google Benchmark divided the row's rates by.
  static Clock divisor_of(const json& element) {
    const std::string name = "/" + element["name"].get<std::string>() + "/";
    const auto names = [&](const char* word) { return name.find(word) != std::string::npos; };
    return names("/manual_time/") ? Clock::manual : names("/real_time/") ? Clock::wall : Clock::cpu;
  }

  static bool has_threads(const json& element) {
    const json threads = element.value("threads", json());
    return threads.is_number() && threads > 1;
  }

  Clock clock_for(const json& element, const Launch& launch) const {
    const bool named_cpu = options_.clock == ClockChoice::cpu;
    Row alone;
    alone.launches = {launch};
    if (const Clock timer = clock_of(alone); timer != Clock::unknown) return timer;
    if (element.contains("time_basis") && !named_cpu) {
      alone.basis = to_string(time_basis(element));
      return clock_of(alone);
    }
    const Clock divisor = divisor_of(element);
    if (named_cpu) return Clock::cpu;
    if (divisor == Clock::manual) return Clock::manual;
    if (options_.clock == ClockChoice::wall || divisor == Clock::wall || has_threads(element))
      return Clock::wall;
    return launch.cpu_ms > 0 ? Clock::cpu : Clock::wall;
  }

  static std::string message_of(const json& element) {
    for (const char* key : {"error_message", "skip_message"}) {
      const json message = element.value(key, json());
      if (message.is_string() && !message.get<std::string>().empty())
        return message.get<std::string>();
    }
    return "the benchmark reports an error";
  }

  /// Sets the counters of throughput and work; what is wrong with the row otherwise.
  std::optional<std::string> take_throughput(const json& element, Row& row, Launch& launch) {
    const std::map<ThroughputBasis, const char*> keys = {
        {ThroughputBasis::units, "units_per_second"},
        {ThroughputBasis::items, "items_per_second"},
        {ThroughputBasis::bytes, "bytes_per_second"}};
    for (const auto& [basis, key] : keys) {
      if (!element.contains(key)) continue;
      const double rate = launch.counter(key).value_or(0);
      if (!(rate > 0) || !std::isfinite(rate))
        return fmt::format("its {} is not a positive number", key);
      row.basis = to_string(basis);
      const bool timed_itself = launch.counter(counter::timer) || row.clock == Clock::gpu;
      const double divisor_ms = call_ms(launch, timed_itself ? row.clock : divisor_of(element));
      const auto work = work_per_call(rate, launch, divisor_ms);
      // A counter of this name that is no rate of Google Benchmark's is by a clock of its own.
      const bool own = basis == ThroughputBasis::units && !work;
      if (own && row.clock != Clock::gpu) row.clock = Clock::manual;
      const double ms = call_ms(launch, row.clock);
      if (!(ms > 0)) return no_time;
      // A file may lack the time of the other clock.
      const bool as_is = own || ms == divisor_ms || !(divisor_ms > 0);
      const double scaled = as_is ? rate : rate * (divisor_ms / ms);
      if (!(scaled > 0) || !std::isfinite(scaled))
        return fmt::format("its {} is not a positive number", key);
      if (basis == ThroughputBasis::units)
        launch.counters[counter::units_per_second] = scaled;
      else
        set(launch, scaled, work);
      return std::nullopt;
    }
    const double ms = call_ms(launch, row.clock);
    if (!(ms > 0)) return no_time;
    row.basis =
        to_string(row.clock == Clock::cpu ? ThroughputBasis::cpu_time : time_basis(element));
    set(launch, 1e3 / ms, 1.0);
    return std::nullopt;
  }
  static constexpr const char* no_time = "its cpu_time is not positive";

  /// Which time it is that stands as real_time (other_formats.h).
  static ThroughputBasis time_basis(const json& element) {
    const json basis = element.value("time_basis", json());
    return basis.is_string() ? basis_of(basis.get<std::string>()) : ThroughputBasis::real_time;
  }

  static void set(Launch& launch, double rate, std::optional<double> work) {
    launch.counters[counter::units_per_second] = rate;
    launch.counters.erase(counter::units);
    if (work) launch.counters[counter::units] = *work;
  }

  std::string what_;
  ThirdPartyOptions options_;
  std::map<std::string, Group> groups_;                             ///< by full name
  std::map<std::pair<std::string, std::string>, int> repetitions_;  ///< by name and index
  std::set<std::string> aggregates_;
  std::map<std::string, std::set<std::string>> plain_;
  ThirdPartyMeasurements result_;
};

}  // namespace

std::string to_string(ThroughputBasis basis) {
  switch (basis) {
    case ThroughputBasis::units:
      return "units_per_second";
    case ThroughputBasis::items:
      return "items_per_second";
    case ThroughputBasis::bytes:
      return "bytes_per_second";
    case ThroughputBasis::real_time:
      return "1/real_time";
    case ThroughputBasis::cpu_time:
      return "1/cpu_time";
    case ThroughputBasis::gpu_samples:
      return "1/GPU time (samples)";
    case ThroughputBasis::gpu_mean:
      return "1/GPU time (mean)";
    case ThroughputBasis::device_time:
      return "1/GPU time (CUPTI)";
  }
  return "?";
}

ThroughputBasis basis_of(const std::string& text) {
  for (const ThroughputBasis basis :
       {ThroughputBasis::items, ThroughputBasis::bytes, ThroughputBasis::real_time,
        ThroughputBasis::cpu_time, ThroughputBasis::gpu_samples, ThroughputBasis::gpu_mean,
        ThroughputBasis::device_time})
    if (to_string(basis) == text) return basis;
  return ThroughputBasis::units;
}

std::string basis_text(const std::string& basis) {
  return figure_kind(basis) ? basis : to_string(basis_of(basis));
}

std::vector<std::string> numbered_names(const std::vector<std::string>& names) {
  std::map<std::string, int> times;
  std::vector<std::string> numbered;
  for (const std::string& name : names) {
    const int before = times[name]++;
    numbered.push_back(before == 0 ? name : fmt::format("{}#{}", name, before + 1));
  }
  return numbered;
}

std::string storable_name(const std::string& name) {
  constexpr std::size_t most_bytes = 800;  // leaves room for the program's name before it
  const std::string shown = printable(name);
  if (shown == name && name.size() <= most_bytes) return name;
  std::string front = shown.substr(0, most_bytes - 9);
  while (printable(front) != front) front.pop_back();  // half of a character
  return front + "~" + sha1(name).substr(0, 8);
}

std::vector<json> merged_runs(const json& root) {
  const bool rows = root.is_object() && root.contains("benchmarks") &&
                    root["benchmarks"].is_array() && !root["benchmarks"].empty();
  if (!rows) return {root};
  std::vector<json> runs;
  std::map<std::string, std::size_t> times;
  for (const json& row : root["benchmarks"]) {
    std::size_t run = 0;
    if (row.is_object() && row.contains("family_index")) {
      json identity = json::array();
      for (const char* key : {"name", "family_index", "per_family_instance_index",
                              "repetition_index", "aggregate_name"})
        identity.push_back(row.value(key, json()));
      run = times[identity.dump(-1, ' ', false, json::error_handler_t::replace)]++;
    }
    if (run >= runs.size()) {
      runs.push_back(json::object());
      if (root.contains("context")) runs.back()["context"] = root["context"];
      runs.back()["benchmarks"] = json::array();
    }
    runs[run]["benchmarks"].push_back(row);
  }
  return runs;
}

std::string without_bare_nan(std::string_view text) {
  constexpr std::array<std::string_view, 8> words = {"-NaN", "NaN", "-Infinity", "Infinity",
                                                     "-nan", "nan", "-inf",      "inf"};
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto starts = [&](std::string_view word) { return text.substr(i).starts_with(word); };
    const auto word = in_string ? words.end() : std::find_if(words.begin(), words.end(), starts);
    if (word != words.end()) {
      const std::size_t end = i + word->size();
      const bool whole = end == text.size() || !std::isalnum(static_cast<unsigned char>(text[end]));
      out += whole ? "null" : std::string(*word);
      i = end - 1;
      continue;
    }
    if (text[i] == '"') in_string = !in_string;
    out += text[i];
    if (in_string && text[i] == '\\' && i + 1 < text.size()) out += text[++i];
  }
  return out;
}

Launch median_launch(const Row& row) {
  const auto median_of = [&](auto value) {
    std::vector<double> values;
    for (const Launch& launch : row.launches) values.push_back(value(launch));
    return stats::median(values);
  };
  Launch launch = row.launches.front();
  launch.real_ms = median_of([](const Launch& one) { return one.real_ms; });
  launch.cpu_ms = median_of([](const Launch& one) { return one.cpu_ms; });
  launch.counters[counter::units_per_second] =
      median_of([](const Launch& one) { return *one.counter(counter::units_per_second); });
  return launch;
}

ThirdPartyMeasurements parse_third_party(const json& root, const std::string& what,
                                         const ThirdPartyOptions& options) {
  return FileReader(what, options).read(root);
}

namespace {

/// The first number after a key with a decimal comma, or with thousands set apart; empty where all
/// are as JSON has them.
std::string number_of_a_locale(const std::string& text) {
  constexpr std::string_view digits = "0123456789";
  for (std::size_t at = text.find("\": "); at != std::string::npos;
       at = text.find("\": ", at + 1)) {
    const std::size_t begin = at + 3, end = text.find_first_not_of("0123456789.,'e+-", begin);
    const std::string number = text.substr(begin, std::min<std::size_t>(end, begin + 40) - begin);
    const std::size_t mark = number.find_first_of(",'");
    const bool odd = mark != std::string::npos && mark > 0 && mark + 1 < number.size() &&
                     digits.find(number[mark + 1]) != std::string_view::npos;
    const bool thousands = number.find('.') != number.rfind('.');
    if (!number.empty() && (odd || thousands))
      return number.substr(0, number.find_last_not_of(",'") + 1);
  }
  return "";
}

}  // namespace

json parse_their_json(std::string_view text, const std::string& what) {
  const JsonLimits limits = {.first_key_counts = true};
  const std::string strict = without_bare_nan(text);
  try {
    return parse_json(strict, what, limits);
  } catch (const Error& error) {
    if (const std::string number = number_of_a_locale(strict); !number.empty())
      throw Error(
          fmt::format("{}: the number {} is written in a locale's style; run the program with "
                      "LC_ALL=C, or without std::locale::global() and setlocale()",
                      error.what(), number));
    const std::size_t rows = strict.find("\"benchmarks\"");
    if (rows == std::string::npos) throw;
    // A name in another encoding is escaped. If this is still not JSON, the first error is thrown.
    try {
      return parse_json(strict.substr(0, rows) + printable(strict.substr(rows)), what, limits);
    } catch (const Error&) {
    }
    throw;
  }
}

json read_third_party_json(const std::filesystem::path& file) {
  if (const auto folder = criterion_folder(file.string())) return from_criterion_folder(*folder);
  const std::string text = read_text(file);
  if (auto criterion = from_criterion(text, file.string())) return *criterion;
  if (auto go = from_go(text, file.string())) return *go;
  if (holds_figures(text))
    throw Error(
        fmt::format("{0} holds figures of a command and not how often it ran; "
                    "`ratchet gate --exec 'cat {0}'` gates them",
                    file.string()));
  json root;
  try {
    root = parse_their_json(text, file.string());
  } catch (const NotJson& error) {
    throw with_advice(error);
  }
  if (auto nvbench = from_nvbench(root, file.string(), file.parent_path())) return *nvbench;
  if (auto sampled = from_sampled_json(root, file.string())) return *sampled;
  const bool catch2 = root.is_object() && root.contains("test-cases");
  if (catch2)
    throw Error(file.string() +
                " is JSON of Catch2, which holds no benchmarks; ratchet reads Google Benchmark, "
                "nvbench and criterion");
  return root;
}

ThirdPartyMeasurements read_third_party(const std::filesystem::path& file,
                                        const ThirdPartyOptions& options) {
  return parse_third_party(read_third_party_json(file), file.string(), options);
}

}  // namespace ratchet
