#include "perf/identity/explain/kernel_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "kernels/contract/stage.h"
#include "perf/identity/code/cubin.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/static_metrics/metrics.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet::explain {
namespace {

using counters::Cubin;
using counters::Item;
using Kernels = std::map<std::string, Item>;

constexpr std::size_t opcodes_shown = 6;

std::vector<Cubin> cubins_of(const DeviceObjects& device) {
  std::vector<Cubin> all;
  for (const std::uint32_t object : device.objects)
    for (Cubin& cubin : counters::embedded_cubins(device.build.code().image(object),
                                                  device.build.object(object).string()))
      all.push_back(std::move(cubin));
  return all;
}

/// Only hashes, which need no tool.
Kernels bare_kernels(const DeviceObjects& device) {
  Kernels kernels;
  for (const Cubin& cubin : cubins_of(device)) {
    for (const counters::FunctionCode& function : cubin.functions)
      kernels[counters::readable_kernel(function.symbol)].hash += sha1(function.code);
    if (!cubin.tables.empty()) kernels["(tables)"].hash += sha1(cubin.tables);
  }
  return kernels;
}

Kernels kernels_with_figures(const DeviceObjects& device) {
  Kernels kernels;
  for (const std::uint32_t object : device.objects)
    for (const counters::ModuleCode& module : counters::static_code(device.build.object(object))) {
      for (const counters::KernelCode& kernel : module.kernels)
        kernels[kernel.kernel] = counters::item_of(kernel);
      if (!module.tables_hash.empty()) kernels["(tables)"].hash += module.tables_hash;
    }
  return kernels;
}

/// Warps per multiprocessor that the 65536 registers allow, allocated to a warp in units of 256
/// (CUDA C++ Programming Guide, "Compute Capabilities").
int warps_by_registers(const Item& kernel) {
  const auto found = kernel.figures.find("registers");
  if (found == kernel.figures.end() || found->second < 1) return 0;
  const double each = std::ceil(found->second * 32 / 256) * 256;
  return std::min(64, static_cast<int>(65536 / each));
}

KernelChange changed(const std::string& name, const Item& before, const Item& now) {
  Item figures_before = before, figures_now = now;
  figures_before.mix.clear();
  figures_now.mix.clear();
  const counters::Finding finding = counters::compare_item(figures_before, figures_now);
  KernelChange change{name, finding.detail, finding.change == counters::Change::worse, 0};
  const std::string mix = counters::mix_difference(before.mix, now.mix, opcodes_shown);
  if (before.figures.empty() || (mix.empty() && before.figures == now.figures)) {
    change.detail =
        "other machine code" + std::string(before.figures.empty() ? "" : ", with the same figures");
  } else if (before.figures == now.figures) {
    change.detail = mix;
  } else if (!mix.empty()) {
    change.detail += ": " + mix;
  }
  const int warps_before = warps_by_registers(before), warps_now = warps_by_registers(now);
  if (warps_before != warps_now)
    change.detail +=
        fmt::format("; registers allow {} -> {} warps a multiprocessor", warps_before, warps_now);
  for (const auto& [figure, value] : now.figures) {
    const auto was = before.figures.find(figure);
    const double difference = std::fabs(value - (was == before.figures.end() ? 0 : was->second));
    const bool spill = figure.starts_with("local_") || figure == "stack";
    change.weight += spill ? 10 * difference : difference;  // spills cost memory accesses
  }
  return change;
}

/// "        /*0010*/   LDC R1, c[0x0][0x28] ;" without the address.
std::string instruction_in(const std::string& line) {
  static const std::regex form(R"(^\s*/\*[0-9a-f]+\*/\s*(.*?)\s*;.*$)");
  std::smatch match;
  return std::regex_match(line, match, form) ? match[1].str() : "";
}

}  // namespace

std::vector<KernelChange> kernel_changes(const DeviceObjects& before, const DeviceObjects& now,
                                         std::string* tools_missing) {
  Kernels was, is;
  try {
    was = kernels_with_figures(before);
    is = kernels_with_figures(now);
  } catch (const counters::NoMetrics& missing) {
    if (tools_missing) *tools_missing = missing.what();
    was = bare_kernels(before);
    is = bare_kernels(now);
  }
  std::vector<KernelChange> changes;
  for (const auto& [name, item] : is) {
    const auto found = was.find(name);
    if (found == was.end())
      changes.push_back({name, "new", false, 1e6});
    else if (found->second != item)
      changes.push_back(changed(name, found->second, item));
  }
  for (const auto& [name, item] : was)
    if (!is.contains(name)) changes.push_back({name, "gone", false, 1e5});
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.worse, a.weight) > std::pair(b.worse, b.weight);
  });
  return changes;
}

std::map<std::string, std::vector<std::string>> kernel_listings(const DeviceObjects& device) {
  const std::string nvdisasm = counters::find_disassembler("nvdisasm").string();
  constexpr double limit_s = 120;
  const ScratchFolder folder;
  std::map<std::string, std::vector<std::string>> listings;
  for (const Cubin& cubin : cubins_of(device)) {
    if (cubin.functions.empty()) continue;
    const std::filesystem::path file = folder.path() / "code.cubin";
    write_atomically(file, cubin.image);
    // Into a file: the text may exceed the limit of a child's output.
    const ProcessResult result =
        run_process({"sh", "-c", R"("$0" -c "$1" >"$1.txt")", nvdisasm, file.string()}, limit_s);
    if (!result.ok()) throw Error("nvdisasm: " + result.describe());
    std::istringstream lines(read_text(file.string() + ".txt", std::size_t{1} << 30));
    std::vector<std::string>* into = nullptr;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(".text.") && line.back() == ':')
        into = &listings[counters::readable_kernel(line.substr(6, line.size() - 7))];
      if (const std::string each = instruction_in(line); into && !each.empty() && each != "NOP")
        into->push_back(each);
    }
  }
  return listings;
}

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
