#include "perf/gate/baseline/criterion_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "perf/support/error.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/support/json_file.h"
#include "perf/support/json_node.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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
