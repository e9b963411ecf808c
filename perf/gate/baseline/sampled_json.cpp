// Libraries whose JSON holds the samples or the median of each benchmark.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "perf/gate/baseline/converted.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/stats/quantile.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

using converted::Launches;
using converted::member;
using converted::number;
using converted::numbers;
using converted::Rows;
using nlohmann::json;

std::string text(const json& object, const char* key) {
  const json value = member(object, key);
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

/// "/size:10/kind:a": the values of an object.
std::string parameters(const json& values) {
  std::string all;
  if (values.is_object())
    for (const auto& [key, value] : values.items())
      all += fmt::format("/{}:{}", key, converted::text_of(value));
  return all;
}

/// Names that the file repeats get what tells them apart.
std::vector<std::string> told_apart(const json& benchmarks, const char* key, auto&& more) {
  std::map<std::string, int> times;
  for (const json& one : benchmarks) ++times[text(one, key)];
  std::vector<std::string> names;
  for (const json& one : benchmarks) {
    const std::string name = text(one, key);
    names.push_back(times[name] > 1 ? name + more(one) : name);
  }
  return names;
}

json list(const json& value) { return value.is_array() ? value : json::array(); }

/// A file is a process. Of up to a million rounds only the median is kept.
json pytest_rows(const json& root, Rows& rows) {
  for (const json& benchmark : list(root["benchmarks"])) {
    const json stats = member(benchmark, "stats"),
               timer = member(member(benchmark, "options"), "timer");
    const std::vector<double> rounds = numbers(member(stats, "data"));
    const auto median = rounds.empty() ? number(member(stats, "median")) : stats::median(rounds);
    const bool cpu = timer == "process_time" || timer == "thread_time";
    rows.add(text(benchmark, "fullname"), median ? Launches{{*median}} : Launches(), cpu);
  }
  const json machine = root["machine_info"], cpu = member(machine, "cpu");
  json context = json::object();
  for (const auto& [key, value] : {std::pair("host_name", member(machine, "node")),
                                   std::pair("num_cpus", member(cpu, "count")),
                                   std::pair("cpu.model", member(cpu, "brand_raw"))})
    if (!value.is_null()) context[key] = value;
  return context;
}

/// Each time is a process.
json hyperfine_rows(const json& root, Rows& rows) {
  const json results = root["results"];
  const auto names = told_apart(results, "command", [](const json& result) {
    return parameters(member(result, "parameters"));
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    Launches launches;
    for (const double seconds : numbers(member(results[i], "times"))) launches.push_back({seconds});
    const json codes = list(member(results[i], "exit_codes"));
    const auto failed =
        std::find_if(codes.begin(), codes.end(), [](const json& c) { return c != 0; });
    if (failed == codes.end())
      rows.add(names[i], launches);
    else
      rows.fail(
          names[i],
          fmt::format("that process {} of {} {}", failed - codes.begin() + 1, codes.size(),
                      failed->is_number() ? fmt::format("ended with exit code {}", failed->dump())
                                          : "was ended by a signal"));
  }
  return json::object();
}

/// The mean of "[[time, how often], ...]".
double histogram_mean(const json& histogram) {
  double sum = 0, count = 0;
  for (const json& bin : list(histogram)) {
    const std::vector<double> pair = numbers(bin);
    if (pair.size() != 2) return std::numeric_limits<double>::quiet_NaN();
    sum += pair[0] * pair[1];
    count += pair[1];
  }
  return sum / count;
}

/// A fork is a process, an iteration a sample. The time is the inverse of a rate.
json jmh_rows(const json& root, Rows& rows) {
  for (const json& run : root) {
    const json metric = member(run, "primaryMetric"), raw = member(metric, "rawData");
    const std::string unit = text(metric, "scoreUnit"), threads = text(run, "threads");
    std::string name = text(run, "benchmark");
    if (!name.empty()) name += parameters(member(run, "params")) + "/mode:" + text(run, "mode");
    if (!name.empty() && !threads.empty() && threads != "1") name += "/threads:" + threads;
    const bool rate = unit.starts_with("ops/");
    const auto unit_s = seconds_in(rate ? unit.substr(4) : unit);
    Launches launches;
    for (const json& fork : list(raw.is_null() ? member(metric, "rawDataHistogram") : raw)) {
      launches.push_back(raw.is_null() ? std::vector<double>() : numbers(fork));
      if (raw.is_null())
        for (const json& iteration : list(fork))
          launches.back().push_back(histogram_mean(iteration));
      for (double& score : launches.back())
        score = rate ? unit_s.value_or(0) / score : unit_s.value_or(0) * score;
    }
    if (unit_s)
      rows.add(name, launches);
    else
      rows.fail(name, fmt::format("figures in \"{}\", which is not a time", printable(unit, 40)));
    if (const json others = member(run, "secondaryMetrics"); others.is_object())
      for (const auto& [other, value] : others.items()) rows.leave_out(other);
  }
  return json::object();
}

/// "Type.Method: Job(...) [N=10]".
std::string job_of(const json& benchmark) {
  const std::string shown = text(benchmark, "DisplayInfo");
  const std::size_t begin = std::min(shown.find(": "), shown.size()), end = shown.find(" [", begin);
  return begin == shown.size() ? ""
                               : fmt::format(" ({})", shown.substr(begin + 2, end - begin - 2));
}

/// Each launch is a process. Its results are less the overhead of the loop.
json dotnet_rows(const json& root, Rows& rows) {
  const json benchmarks = root["Benchmarks"];
  const auto names = told_apart(benchmarks, "FullName", job_of);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::map<std::string, std::vector<double>> launches;
    for (const json& one : list(member(benchmarks[i], "Measurements"))) {
      if (text(one, "IterationMode") != "Workload" || text(one, "IterationStage") != "Result")
        continue;
      const auto ns = number(member(one, "Nanoseconds")), calls = number(member(one, "Operations"));
      launches[text(one, "LaunchIndex")].push_back(ns && calls ? 1e-9 * *ns / *calls : -1);
    }
    Launches found;
    for (auto& [launch, samples] : launches) found.push_back(std::move(samples));
    if (benchmarks[i].is_object() && !benchmarks[i].contains("Measurements"))
      rows.fail(names[i], "no measurements; export them with --exporters fulljson");
    else
      rows.add(names[i], found);
    for (const json& metric : list(member(benchmarks[i], "Metrics")))
      rows.leave_out(text(member(metric, "Descriptor"), "DisplayName"));
  }
  const json host = root["HostEnvironmentInfo"];
  json context = json::object();
  if (const json cpu = member(host, "ProcessorName"); cpu.is_string()) context["cpu.model"] = cpu;
  if (const json cpus = member(host, "LogicalCoreCount"); cpus.is_number())
    context["num_cpus"] = cpus;
  return context;
}

/// The median in milliseconds of a process's samples, which vitest leaves out.
json vitest_rows(const json& root, Rows& rows) {
  for (const json& file : root["files"])
    for (const json& group : list(member(file, "groups")))
      for (const json& benchmark : list(member(group, "benchmarks"))) {
        const auto ms = number(member(benchmark, "median"));
        rows.add(text(group, "fullName") + " > " + text(benchmark, "name"),
                 ms ? Launches{{1e-3 * *ms}} : Launches());
      }
  return json::object();
}

/// A run is a process. One without values calibrates.
json pyperf_rows(const json& root, Rows& rows) {
  const json common = member(root, "metadata");
  json context = json::object();
  for (const json& benchmark : root["benchmarks"]) {
    json own = common.is_object() ? common : json::object();
    if (const json more = member(benchmark, "metadata"); more.is_object()) own.update(more);
    const std::string name = text(own, "name"), unit = text(own, "unit");
    Launches launches;
    for (const json& run : list(member(benchmark, "runs")))
      if (run.is_object() && run.contains("values")) launches.push_back(numbers(run["values"]));
    if (unit.empty() || unit == "second")
      rows.add(name, launches);
    else
      rows.fail(name, fmt::format("figures in \"{}\", which is not a time", printable(unit, 40)));
    for (const auto& [key, theirs] :
         {std::pair("host_name", "hostname"), std::pair("num_cpus", "cpu_count"),
          std::pair("cpu.model", "cpu_model_name")})
      if (own.contains(theirs)) context[key] = own[theirs];
  }
  return context;
}

/// The file is a process, an epoch a sample: the time of a call, or of each of `batch` in it.
json nanobench_rows(const json& root, Rows& rows) {
  const json results = root["results"];
  const auto names = told_apart(results, "name", [](const json& result) {
    return fmt::format(" ({})", text(result, "title"));
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double batch = number(member(results[i], "batch")).value_or(1);
    std::vector<double> epochs;
    for (const json& epoch : list(member(results[i], "measurements")))
      epochs.push_back(number(member(epoch, "elapsed")).value_or(-1) / batch);
    rows.add(names[i], {epochs});
  }
  return json::object();
}

struct Library {
  const char* name;
  const char* unit;
  const char* list;                 ///< the list of its benchmarks, "" where the root is it
  std::vector<const char*> beside;  ///< keys of the root
  std::vector<const char*> within;  ///< keys of the first element
  json (*read)(const json& root, Rows& rows);
};

const Library libraries[] = {
    {"pytest-benchmark", "ns", "benchmarks", {"machine_info"}, {}, pytest_rows},
    {"hyperfine", "s", "results", {}, {"command", "times"}, hyperfine_rows},
    {"JMH", "ns", "", {}, {"benchmark", "primaryMetric"}, jmh_rows},
    {"BenchmarkDotNet", "ns", "Benchmarks", {"HostEnvironmentInfo"}, {}, dotnet_rows},
    {"vitest", "ns", "files", {}, {"filepath", "groups"}, vitest_rows},
    {"pyperf", "ns", "benchmarks", {"version"}, {"runs"}, pyperf_rows},
    {"nanobench", "ns", "results", {}, {"name", "epochs", "measurements"}, nanobench_rows}};

bool is_of(const Library& library, const json& root) {
  const bool bare = *library.list == 0;
  if (!(bare ? root.is_array() : root.is_object() && root.contains(library.list))) return false;
  const json& benchmarks = bare ? root : root[library.list];
  const json first = benchmarks.is_array() && !benchmarks.empty() ? benchmarks[0] : json();
  const auto has = [](const json& object) {
    return [&object](const char* key) { return object.is_object() && object.contains(key); };
  };
  return benchmarks.is_array() && std::ranges::all_of(library.beside, has(root)) &&
         std::ranges::all_of(library.within, has(first));
}

}  // namespace

std::optional<json> from_sampled_json(const json& root, const std::string& what) {
  for (const Library& library : libraries) {
    if (!is_of(library, root)) continue;
    Rows rows(library.name, what, library.unit);
    json context = library.read(root, rows);
    return rows.take(std::move(context));
  }
  return std::nullopt;
}

}  // namespace ratchet
