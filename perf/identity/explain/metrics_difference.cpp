#include "perf/identity/explain/metrics_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/contract/stage.h"
#include "perf/identity/static_metrics/metrics_store.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet::explain {
namespace {

namespace fs = std::filesystem;
using counters::StaticMetrics;

constexpr double metrics_limit_s = 300;

/// Runs `ratchet metrics` of a build for a stage; on stderr it reports what it lacks.
std::vector<StaticMetrics> metrics_of(const Programs& programs, const std::string& stage,
                                      std::string& lacks) {
  const ScratchFolder folder;
  const bool cpu = backend_of(stage) == Backend::cpu;
  const ProcessResult result =
      run_process({programs.ratchet.string(), "metrics", stage, cpu ? "--cpu" : "--counters",
                   "--bench", programs.bench.string(), "--baseline-dir", folder.path().string(),
                   "--accept", "--reason", "explain"},
                  metrics_limit_s);
  std::vector<StaticMetrics> all;
  if (fs::exists(folder.path() / "metrics"))
    for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "metrics"))
      if (entry.is_regular_file())
        all.push_back(counters::parse_metrics(read_text(entry.path()), entry.path().string()));
  if (all.empty()) {
    const std::size_t line = result.errors.find("ratchet: ");
    lacks = line == std::string::npos
                ? result.describe()
                : result.errors.substr(line + 9, result.errors.find('\n', line) - line - 9);
  }
  return all;
}

/// "executed_instructions of battles=10000: 81234 -> 95321 (+17.3 %)", for each figure.
std::vector<std::string> lines_of(const StaticMetrics& before, const StaticMetrics& now,
                                  const std::string& stage) {
  std::vector<std::string> lines;
  const auto items_before = before.stages.find(stage), items_now = now.stages.find(stage);
  if (items_before == before.stages.end() || items_now == now.stages.end()) return lines;
  for (const auto& [run, item] : items_now->second) {
    const auto was = items_before->second.find(run);
    if (was == items_before->second.end()) continue;
    for (const auto& [figure, value] : item.figures) {
      const auto figure_before = was->second.figures.find(figure);
      if (figure_before == was->second.figures.end()) continue;
      const double then = figure_before->second;
      const std::string change =
          then > 0 ? fmt::format(" ({:+.2f} %)", (value / then - 1) * 100) : "";
      lines.push_back(fmt::format("{} of {}: {:.10g} -> {:.10g}{}", figure, run, then, value,
                                  then == value ? ", the same" : change));
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> counted_differences(const Programs& before, const Programs& now,
                                             const std::string& stage) {
  std::string lacks;
  const std::vector<StaticMetrics> is = metrics_of(now, stage, lacks);
  const std::vector<StaticMetrics> was =
      lacks.empty() ? metrics_of(before, stage, lacks) : std::vector<StaticMetrics>();
  if (!lacks.empty()) return {"not counted: " + lacks};
  std::vector<std::string> lines;
  for (const StaticMetrics& each : is) {
    const auto same = std::find_if(was.begin(), was.end(), [&](const StaticMetrics& other) {
      return other.basis == each.basis;
    });
    if (same == was.end()) continue;
    for (std::string& line : lines_of(*same, each, stage)) lines.push_back(std::move(line));
  }
  if (lines.empty()) return {"not comparable: the builds count different figures"};
  return lines;
}

}  // namespace ratchet::explain
