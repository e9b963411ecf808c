// The past that other tools keep, as runs without a verdict. Formats: data.js of
// github-action-benchmark (its src/write.ts), results of asv 0.6 (its "results" folder, version 2),
// and what `bencher perf` prints (JsonPerf of its bencher_json).
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/measure/counter_keys.h"
#include "perf/output/history/keep.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::history {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A run that another tool kept.
struct OtherRun {
  std::string key;  ///< what it is: two of one key are the same run
  std::string tool, time, revision;
  std::map<std::string, std::string> commit;
  std::map<std::string, std::string> machine;  ///< fields of the fingerprint
  std::map<RowId, Row> rows;
};

/// 2026-01-31T12:00:00.000Z of milliseconds since 1970.
std::string time_of(const Node& milliseconds) {
  const std::uint64_t since = milliseconds.count();
  if (since / 1000 > 253402300799) milliseconds.fail("is later than the year 9999");
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(since / 1000)),
                     since % 1000);
}

std::string date_of(const Node& text) {
  const auto time = utc_time(text.text());
  if (!time) text.fail("is not a date");
  return *time;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  /// Adds a figure to the run, unless it is one that no history takes; then a note counts it.
  void add(OtherRun& run, const std::string& name, const json& value, const FigureKind& kind,
           bool several = false) {
    const double figure = value.is_number() ? value.get<double>() : 0;
    const double throughput = kind.throughput(figure);
    if (complaint_of_name(name)) return leave_out("has a name that is empty or cannot be printed");
    if (!(figure > 0) || !std::isfinite(throughput) || !(throughput > 0))
      return leave_out("is not a positive number");
    Row& row = run.rows[name];
    if (!row.launches.empty() && !several) return leave_out("has a name that its run repeats");
    if (!row.launches.empty() && row.basis != kind.text())
      return leave_out("has another unit than the first of its name");
    row.name = name;
    row.basis = kind.text();
    const auto unit_s = seconds_in(kind.unit);
    if (unit_s) row.clock = Clock::manual;
    Launch& launch = row.launches.emplace_back();
    launch.index = static_cast<int>(row.launches.size()) - 1;
    launch.real_ms = unit_s ? 1e3 * figure * *unit_s : 0;
    launch.counters[counter::units_per_second] = throughput;
  }

  void keep(const OtherRun& run) {
    if (run.rows.empty()) return;
    Measurements measured;
    for (const auto& [field, text] : run.machine)
      if (!text.empty()) measured.context[field] = printable(text, 200);
    measured.rows = run.rows;
    RunFacts facts;
    facts.time = run.time;
    facts.mode = "imported";
    for (const auto& [key, text] : run.commit)
      if (!text.empty()) facts.commit[key] = printable(text.substr(0, text.find('\n')), 600);
    std::vector<RowRecord> rows;
    for (const auto& [name, row] : run.rows) {
      rows.emplace_back().name = name;
      rows.back().reason = "imported from " + run.tool;
    }
    RunRecord record = run_record(std::move(rows), measured, printable(run.revision, 64), facts);
    record.id = fnv1a(run.key) + fnv1a("ratchet\n" + run.key);
    // Of two commits the figures may be equal.
    for (RowRecord& row : record.rows) row.measurement = fnv1a(record.id + row.name.text());
    imported_.runs.push_back(std::move(record));
  }

  void leave_out(const std::string& why) { ++left_out_[why]; }
  void note(const std::string& text) { notes_.insert(text); }

  Imported take() {
    for (const auto& [why, count] : left_out_)
      notes_.insert(fmt::format("left out {}: each {}", counted(count, "figures"), why));
    for (const std::string& text : notes_) imported_.notes.push_back(file_ + ": " + text);
    return std::move(imported_);
  }

 private:
  std::string file_;
  std::map<std::string, std::size_t> left_out_;
  std::set<std::string> notes_;
  Imported imported_;
};

// github-action-benchmark

constexpr std::string_view data_js = "window.BENCHMARK_DATA";

bool is_larger_better(const std::string& tool, const std::string& unit) {
  return tool == "customBiggerIsBetter" || tool == "benchmarkjs" || tool == "pytest" ||
         (tool == "jmh" && unit.starts_with("ops/"));
}

void read_data_js(const std::string& text, const std::string& file, Reader& reader) {
  const std::size_t start = text.find('{');
  std::string body = start == std::string::npos ? "" : text.substr(start);
  body.erase(body.find_last_not_of("; \t\r\n") + 1);
  const json root = parse_json(body, file);
  const auto suites = Node(root, file).at("entries").members();
  for (const auto& [suite, entries] : suites) {
    std::map<std::string, int> of_commit;  // runs of it, at one time
    for (const Node& entry : entries.list()) {
      OtherRun run;
      const Node commit = entry.at("commit");
      run.tool = "github-action-benchmark";
      run.time = time_of(entry.at("date"));
      run.revision = commit.at("id").text();
      const std::string author =
          commit.has("author") ? commit.at("author").text_or_empty("name") : std::string();
      run.commit = {{"commit", run.revision},
                    {"subject", commit.text_or_empty("message")},
                    {"author", author},
                    {"url", commit.text_or_empty("url")}};
      if (commit.has("timestamp")) run.commit["date"] = date_of(commit.at("timestamp"));
      run.machine = {{"cpu.model", "github-action-benchmark"}};  // it keeps nothing of the machine
      run.key = fmt::format("{}\n{}\n{}\n{}", run.tool, suite, run.time, run.revision);
      run.key += fmt::format("\n{}", ++of_commit[run.key]);
      const std::string tool = entry.text_or_empty("tool");
      for (const Node& bench : entry.at("benches").list()) {
        FigureKind kind{bench.text_or_empty("unit"), Better::smaller};
        if (is_larger_better(tool, kind.unit)) kind.better = Better::larger;
        reader.add(run, suite + "/" + bench.at("name").text(), bench.at("value").value(), kind);
      }
      reader.keep(run);
    }
  }
}

// asv

/// asv writes NaN and Infinity, which JSON lacks.
json read_asv(const fs::path& file) { return parse_json(without_bare_nan(read_text(file)), file); }

/// Of a benchmark that benchmarks.json does not have: its name begins with what it measures.
std::string asv_unit(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (last.starts_with("time")) return "s";
  if (last.starts_with("mem") || last.starts_with("peakmem")) return "B";
  return "";
}

/// Units by benchmark, as far as known.
std::map<std::string, std::string> asv_units(const fs::path& results) {
  std::map<std::string, std::string> units;
  const fs::path file = results / "benchmarks.json";
  if (!fs::exists(file)) return units;
  const json root = read_asv(file);
  for (const auto& [name, benchmark] : root.items()) {
    const json unit = benchmark.is_object() ? benchmark.value("unit", json()) : json();
    if (!unit.is_string()) continue;
    const std::string text = unit.get<std::string>();
    units[name] = text == "seconds" ? "s" : text == "bytes" ? "B" : text;
  }
  return units;
}

/// "(1, 'a')" for each combination of the values of parameters, the last of which varies fastest.
std::vector<std::string> combinations(const Node& axes) {
  std::vector<std::string> all = {""};
  for (const Node& axis : axes.list()) {
    std::vector<std::string> longer;
    for (const std::string& begun : all)
      for (const Node& value : axis.list())
        longer.push_back(begun + (begun.empty() ? "" : ", ") + value.text());
    if (longer.size() > 1000000) axes.fail("has more than a million combinations");
    all = std::move(longer);
  }
  for (std::string& text : all)
    if (!text.empty()) text = "(" + text + ")";
  return all;
}

void read_asv_results(const fs::path& file, const json& root, Reader& reader) {
  const Node node(root, file.string());
  OtherRun run;
  run.tool = "asv";
  run.time = time_of(node.at("date"));
  run.revision = node.at("commit_hash").text();
  run.commit = {{"commit", run.revision}, {"date", run.time}};
  const auto machine = node.at("params");
  const auto of_machine = [&](const char* key) { return machine.text_or_empty(key); };
  const std::string cpu = of_machine("cpu");
  run.machine = {{"cpu.model", cpu.empty() ? of_machine("machine") : cpu},
                 {"cpu.cores", of_machine("num_cpu")},
                 {"os.kernel", of_machine("os")},
                 {"build.compiler", node.at("env_name").text()}};  // its figures are a series
  run.key = fmt::format("{}\n{}\n{}\n{}", run.tool, of_machine("machine"),
                        node.at("env_name").text(), run.revision);
  const auto units = asv_units(file.parent_path().parent_path());
  const std::vector<Node> columns = node.at("result_columns").list();
  const auto place = [&](const char* name) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Node& column) { return column.text() == name; });
    if (found == columns.end()) node.fail(fmt::format("has no column \"{}\"", name));
    return static_cast<std::size_t>(found - columns.begin());
  };
  const std::size_t result = place("result"), params = place("params");
  for (const auto& [name, cells] : node.at("results").members()) {
    const std::vector<Node> row = cells.list();
    if (row.size() <= std::max(result, params) || row[result].value().is_null()) {
      reader.leave_out("is not a positive number");
      continue;
    }
    const auto unit = units.find(name);
    const FigureKind kind{unit == units.end() ? asv_unit(name) : unit->second, Better::smaller};
    const std::vector<std::string> names = combinations(row[params]);
    const std::vector<Node> values = row[result].list();
    if (names.size() != values.size())
      row[result].fail(fmt::format("has {} results for {} combinations of parameters",
                                   values.size(), names.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      reader.add(run, "asv/" + name + names[i], values[i].value(), kind);
  }
  reader.keep(run);
}

// Bencher

FigureKind kind_of(const Node& measure, Reader& reader) {
  const std::string slug = measure.at("slug").text(), units = measure.text_or_empty("units");
  if (const auto known = bencher_kind(slug)) return *known;
  reader.note(fmt::format("the measure \"{}\" does not say which direction is better: smaller",
                          printable(slug, 80)));
  return {printable(units, 40), Better::smaller};
}

void read_bencher(const json& root, const std::string& file, Reader& reader) {
  const Node node(root, file);
  const std::string project = node.at("project").at("slug").text();
  std::map<std::string, OtherRun> runs;
  for (const Node& result : node.at("results").list()) {
    const std::string branch = result.at("branch").at("name").text(),
                      testbed = result.at("testbed").at("name").text(),
                      name =
                          fmt::format("{}/{}/{}", project, result.at("benchmark").at("name").text(),
                                      result.at("measure").at("slug").text());
    const FigureKind kind = kind_of(result.at("measure"), reader);
    for (const Node& metric : result.at("metrics").list()) {
      const std::string key =
          fmt::format("Bencher\n{}\n{}\n{}", metric.at("report").text(), branch, testbed);
      OtherRun& run = runs[key];
      run.key = key;
      run.tool = "Bencher";
      run.time = date_of(metric.at("start_time"));
      const Node version = metric.at("version");
      const bool hashed = version.has("hash") && version.at("hash").value().is_string();
      run.revision = hashed ? version.at("hash").text()
                            : fmt::format("{} {}", branch, version.at("number").count());
      run.commit = {{"branch", branch}};
      if (hashed) run.commit["commit"] = run.revision;
      run.machine = {{"cpu.model", testbed}};
      reader.add(run, name, metric.at("metric").at("value").value(), kind, true);
    }
  }
  for (const auto& [key, run] : runs) reader.keep(run);
}

}  // namespace

std::optional<Imported> runs_of_other_tool(const fs::path& file) {
  Reader reader(file.string());
  const std::string text = read_text(file);
  if (text.starts_with(data_js)) {
    read_data_js(text, file.string(), reader);
    return reader.take();
  }
  const bool of_asv = text.find("\"result_columns\"") != std::string::npos;
  if (of_asv || file.filename() == "machine.json") {
    const json root = read_asv(file);
    if (root.is_object() && root.contains("result_columns"))
      read_asv_results(file, root, reader);
    else if (root.is_object() && root.contains("machine") && !root.contains("benchmarks"))
      reader.note("left out: it describes a machine of asv's and has no results");
    else
      return std::nullopt;
    return reader.take();
  }
  if (text.find("\"testbed\"") == std::string::npos) return std::nullopt;
  const json root = parse_json(text, file.string());
  if (!root.is_object() || !root.contains("project") || !root.contains("results"))
    return std::nullopt;
  read_bencher(root, file.string(), reader);
  return reader.take();
}

}  // namespace ratchet::history
