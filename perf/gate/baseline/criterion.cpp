// criterion: the lines of cargo-criterion, and what `cargo bench` leaves in target/criterion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "perf/gate/baseline/converted.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using converted::member;
using converted::number;
using converted::text_of;
using nlohmann::json;

/// The median over samples of time an iteration, in the unit of the line.
double median_iteration(const json& line, const std::string& where) {
  const json iterations = member(line, "iteration_count"), times = member(line, "measured_values");
  if (!iterations.is_array() || iterations.empty() || !times.is_array() ||
      iterations.size() != times.size())
    throw Error(where + ": criterion reports no samples");
  std::vector<double> each;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const auto time = number(times[i]), count = number(iterations[i]);
    if (!time || !count || !(*count > 0))
      throw Error(where + ": a sample of criterion is not a positive time");
    each.push_back(*time / *count);
  }
  return stats::median(each);
}

constexpr char samples[] = "sample.json";

/// The folders of runs below, by name.
std::vector<fs::path> runs_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->path().filename() == samples) found.push_back(at->path().parent_path());
  std::sort(found.begin(), found.end());
  return found;
}

bool has_json(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") return true;
  return false;
}

/// A run of a benchmark as cargo-criterion would report it.
std::string line_of(const fs::path& run) {
  const fs::path about = run / "benchmark.json";
  const json benchmark = read_json(about), sample = read_json(run / samples);
  json line = {{"reason", "benchmark-complete"}, {"unit", "ns"}};
  line["id"] = Node(benchmark, about.string()).at("full_id").text();
  line["iteration_count"] = sample.is_object() ? sample.value("iters", json()) : json();
  line["measured_values"] = sample.is_object() ? sample.value("times", json()) : json();
  return line.dump() + "\n";
}

}  // namespace

std::optional<json> from_criterion(std::string_view text, const std::string& what) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.find("\"reason\"") == first.npos ||  // a whole file may be one line: parse it once
      !member(json::parse(first, nullptr, false), "reason").is_string())
    return std::nullopt;
  json rows = json::array();
  std::istringstream lines{std::string(text)};
  int at = 0;
  for (std::string line; std::getline(lines, line);) {
    ++at;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const json parsed = parse_json(line, fmt::format("{}, line {}", what, at));
    if (member(parsed, "reason") != "benchmark-complete") continue;
    const std::string name = text_of(member(parsed, "id"));
    const double time = median_iteration(parsed, fmt::format("{}, row {}", what, name));
    rows.push_back({{"name", name},
                    {"run_name", name},
                    {"run_type", "iteration"},
                    {"time_unit", text_of(member(parsed, "unit"))},
                    {"real_time", time},
                    {"cpu_time", 0},
                    {"time_basis", "1/real_time"},
                    {"iterations", parsed["iteration_count"].size()}});
  }
  return json{{"context", json::object()}, {"benchmarks", rows}};
}

std::optional<CriterionFolder> criterion_folder(const std::string& argument) {
  CriterionFolder of{argument};
  std::error_code error;
  if (const auto at = argument.rfind('@'); at != std::string::npos && !fs::exists(argument, error))
    of = {argument.substr(0, at), argument.substr(at + 1)};
  if (of.run.find(',') != std::string::npos) return std::nullopt;  // several files
  if (!fs::is_directory(of.folder, error) || has_json(of.folder) || runs_below(of.folder).empty())
    return std::nullopt;
  return of;
}

json from_criterion_folder(const CriterionFolder& of) {
  std::string lines;
  std::set<std::string> others;
  for (const fs::path& run : runs_below(of.folder)) {
    if (run.filename() == of.run)
      lines += line_of(run);
    else
      others.insert(run.filename());
  }
  const std::string where = of.folder.string();
  if (lines.empty())
    throw Error(fmt::format("{} holds no criterion run \"{}\"; it holds {}", where, of.run,
                            fmt::join(others, ", ")));
  return *from_criterion(lines, where);
}

}  // namespace ratchet
