// `ratchet metrics`: what is known of this build without a clock (perf/identity/README.md). Adds
// also the hidden command that counts one CPU stage inside a process of its own.
#include "perf/identity/static_metrics/metrics.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <vector>

#include "kernels/contract/row_filter.h"
#include "kernels/contract/stage.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/baseline/accept.h"
#include "perf/identity/build/build_options.h"
#include "perf/identity/code/disassembler.h"
#include "perf/measure/instructions/cpu_instructions.h"
#include "perf/measure/ranges/cupti_range.h"
#include "perf/output/files/markdown.h"
#include "perf/study/cli/commands.h"
#include "perf/study/report/tables.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"
#include "perf/support/suggestion.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

using counters::Change;
using counters::Finding;
using counters::StaticMetrics;

struct MetricsOptions {
  std::string filter;
  std::filesystem::path program;  ///< whose device code is looked at
  std::filesystem::path baselines = "baselines";
  std::string reason;
  bool device_code = false, cpu = false, counters = false;
  bool accept = false, strict = false, all = false, uncommitted = false, json = false;
};

std::string cell(const counters::Item& item, const char* figure) {
  const auto found = item.figures.find(figure);
  return found == item.figures.end() ? "" : fmt::format("{:.10g}", found->second);
}

std::string spills(const counters::Item& item) {
  if (!item.figures.contains("local_loads")) return "";
  return fmt::format("{:.10g}", item.figures.at("local_loads") + item.figures.at("local_stores"));
}

/// Percentages and whatever else a profiler said, in one cell.
std::string others(const counters::Item& item) {
  std::string text;
  for (const auto& [name, value] : item.figures)
    if (name.ends_with("_percent"))
      text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ",
                          name.substr(0, name.size() - 8), value);
  return text;
}

void print_kernels(const std::vector<Finding>& findings, bool all) {
  report::Table table({"stage", "kernel", "registers", "spills", "stack", "shared", "instructions",
                       "hash", "change"});
  std::size_t left_out = 0;
  for (const Finding& each : findings) {
    if (!all && each.change == Change::same) {
      ++left_out;
      continue;
    }
    table.add({each.stage, each.item, cell(each.here, "registers"), spills(each.here),
               cell(each.here, "stack"), cell(each.here, "shared"), cell(each.here, "instructions"),
               each.here.hash,
               to_string(each.change) + (each.detail.empty() ? "" : ": " + each.detail)});
  }
  if (left_out < findings.size()) std::cout << table.text();
  if (left_out > 0)
    std::cout << fmt::format("{} of {} the same as stored (--all shows them)\n", left_out,
                             findings.size());
}

void print_runs(const std::vector<Finding>& findings) {
  report::Table table({"stage", "run", "instructions executed", "use", "change"});
  for (const Finding& each : findings)
    table.add({each.stage, each.item, cell(each.here, "executed_instructions"), others(each.here),
               to_string(each.change) + (each.detail.empty() ? "" : ": " + each.detail)});
  std::cout << table.text();
}

std::string describe(const std::map<std::string, std::string>& basis) {
  std::string text = basis.at("kind");
  for (const auto& [name, value] : basis)
    if (name != "kind") text += fmt::format(", {} {}", name, value);
  return text;
}

/// In capitals: a gate that compares nothing must not look like one that passed.
void tell_uncompared(const StaticMetrics& metrics, const counters::MetricsStore& store) {
  std::cout << "NOT COMPARED: nothing is stored for this basis.\n";
  for (const std::string& line : store.bases(metrics.basis.at("kind")))
    std::cout << "  stored: " << line << "\n";
  std::cout << "  `ratchet metrics --accept --reason TEXT` stores the metrics of this build.\n";
}

nlohmann::json json_of(const std::vector<Finding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& each : findings) {
    nlohmann::json found = {
        {"stage", each.stage}, {"item", each.item}, {"change", to_string(each.change)}};
    for (const auto& [name, value] : each.here.figures) found["figures"][name] = tidy_number(value);
    if (!each.here.hash.empty()) found["hash"] = each.here.hash;
    if (!each.detail.empty()) found["detail"] = printable(each.detail);
    list.push_back(std::move(found));
  }
  return list;
}

class MetricsRun {
 public:
  explicit MetricsRun(const MetricsOptions& options)
      : options_(options),
        wanted_(options.filter, stage_names()),
        store_(options.baselines / "metrics") {
    const std::set<std::string> names = stage_names();
    if (options.program == default_bench() && !options.filter.empty() &&
        std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return wanted_.selects(name); }))
      throw Error(fmt::format("'{}' selects no stage of this build{} (`ratchet list` shows them)",
                              options.filter,
                              did_you_mean(options.filter, {names.begin(), names.end()})));
  }

  ExitCode run() {
    const bool none = !options_.device_code && !options_.cpu && !options_.counters;
    if (options_.device_code || none) gather("device code", [&] { return device_code(); });
    if (options_.cpu) gather("CPU instructions", [&] { return cpu_instructions(); });
    if (options_.counters) gather("device counters", [&] { return device_counters(); });
    for (StaticMetrics& each : metrics_) look_at(each);
    if (options_.json) print_document({{"format", 1}, {"bases", bases_}}, 4);
    if (options_.accept) return accepted_exit_code(metrics_);
    return exit_code(findings_, options_.strict);
  }

 private:
  static std::set<std::string> stage_names() {
    std::set<std::string> names;
    for (const Stage* stage : registry()) names.insert(stage->info().name);
    return names;
  }
  void keep_wanted(counters::Items& items) const {
    std::erase_if(items, [&](const auto& each) { return !wanted_.selects(each.first); });
  }

  /// Unavailable metrics are skipped, with the reason; broken ones are an error.
  void gather(const char* what, const std::function<std::vector<StaticMetrics>()>& source) try {
    bool any = false;
    for (StaticMetrics& each : source()) {
      keep_wanted(each.stages);
      if (each.stages.empty()) continue;
      metrics_.push_back(std::move(each));
      any = true;
    }
    if (!any)
      std::cerr << fmt::format("ratchet: skipped: {}: no stage of this build matches\n", what);
  } catch (const counters::NoMetrics& reason) {
    std::cerr << fmt::format("ratchet: skipped: {}: {}\n", what, reason.what());
  }

  std::vector<StaticMetrics> device_code() {
    const Phase steps;
    steps.now("disassembling the device code of " + options_.program.string());
    const auto modules = counters::static_code(options_.program, [&](const std::string& source) {
      const std::string stage = counters::stage_of_source(source);
      return stage.empty() ? !counters::shared_by(source).empty() : wanted_.selects(stage);
    });
    return counters::metrics_of(modules);
  }
  std::vector<StaticMetrics> cpu_instructions() {
    const Phase steps;
    return counters::cpu_metrics(own_executable(), [&](const std::string& stage) {
      if (!wanted_.selects(stage)) return false;
      steps.now("counting the instructions of " + stage);
      return true;
    });
  }
  /// The points at which a published table says how busy the device was.
  static std::set<RowId> points_of_tables() {
    std::filesystem::path baselines = "baselines";
    const std::filesystem::path folder = published_folder(baselines);
    std::set<RowId> points;
    if (std::filesystem::exists(folder))
      for (const report::Published& published : report::read_all_published(folder))
        points.merge(report::points_of_use(published));
    else
      std::cerr << "ratchet: only defaults are counted: the tables that name other settings lie in "
                   "a checkout\n";
    return points;
  }
  std::vector<StaticMetrics> device_counters() {
    const Phase steps;
    return counters::counter_metrics(
        [&](const std::string& stage) {
          if (!wanted_.selects(stage)) return false;
          steps.now("reading the GPU counters of " + stage);
          return true;
        },
        points_of_tables());
  }

  void look_at(const StaticMetrics& metrics) {
    std::optional<StaticMetrics> stored = store_.find(metrics.basis);
    if (stored) keep_wanted(stored->stages);
    std::cout << "\n## " << describe(metrics.basis) << "\n\n";
    const std::vector<Finding> findings = compare(stored ? &*stored : nullptr, metrics);
    if (metrics.basis.at("kind") == "device code")
      print_kernels(findings, options_.all || !stored);
    else
      print_runs(findings);
    if (!stored) tell_uncompared(metrics, store_);
    bases_.push_back({{"basis", metrics.basis},
                      {"compared", stored.has_value()},
                      {"findings", json_of(findings)}});
    if (options_.accept) accept(metrics, stored);
    findings_.insert(findings_.end(), findings.begin(), findings.end());
  }

  void accept(StaticMetrics metrics, const std::optional<StaticMetrics>& stored) {
    const std::string revision = built_revision(
        metrics.basis.at("kind") == "device code" ? options_.program : own_executable());
    if (!is_committed(revision) && !options_.uncommitted)
      throw Error(fmt::format(
          "not accepted: no commit describes the build, whose revision is \"{}\"; commit "
          "and build again, or accept it with --uncommitted",
          revision));
    for (const auto& [stage, items] : metrics.stages) metrics.revisions[stage] = revision;
    std::vector<RowId> gone;
    if (stored)
      for (const auto& [stage, items] : stored->stages) {
        if (metrics.stages.contains(stage)) continue;
        if (metrics.not_counted.contains(stage))
          std::cout << fmt::format("kept: the stored metrics of {}, which was not counted\n",
                                   stage);
        else
          gone.push_back(stage);
      }
    for (const auto& path : store_.accept(metrics, gone, options_.reason))
      std::cout << "written: " << path.string() << "\n";
  }

  const MetricsOptions& options_;
  RowFilter wanted_;
  counters::MetricsStore store_;
  std::vector<StaticMetrics> metrics_;
  std::vector<Finding> findings_;
  nlohmann::json bases_ = nlohmann::json::array();
};

}  // namespace

void add_metrics_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<MetricsOptions>();
  options->program = default_bench();
  CLI::App* command =
      app.add_subcommand("metrics", "compare registers, spills and instructions with stored ones");
  command->add_option("ROWS", options->filter, filter_help);
  command->add_flag("--static", options->device_code,
                    "device code: registers, spills, instructions, hash");
  command->add_flag("--cpu", options->cpu, "instructions that CPU stages execute");
  command->add_flag("--counters", options->counters,
                    "GPU counters: executed instructions, use of pipes and memory");
  command->add_flag("--all", options->all, "also show what is the same");
  add_json_option(*command, options->json);
  command->add_flag("--strict", options->strict, "exit 3 if something could not be compared");
  CLI::Option* accept =
      command->add_flag("--accept", options->accept, "store the metrics of this build");
  command->add_flag("--uncommitted", options->uncommitted,
                    "also accept a build that no commit describes");
  CLI::Option* reason =
      command->add_option("--reason", options->reason, "with --accept: why (required)");
  accept->needs(reason);
  reason->needs(accept);
  command
      ->add_option("--bench", options->program,
                   "program with the device code (default ratchet-bench)")
      ->option_text("FILE");
  command->add_option("--baseline-dir", options->baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  command->footer(
      "Without --static, --cpu and --counters, all three are compared.\n"
      "Exit codes: 0 nothing is worse than stored, 1 something is worse, 2 a stored value is gone "
      "or was not counted, or the harness failed, 3 with --strict: something could not be "
      "compared, "
      "77 nothing could be examined here.\n"
      "Example:\n"
      "  ratchet metrics --static life/cuda");
  command->callback(
      [options, &exit_code] { exit_code = static_cast<int>(MetricsRun(*options).run()); });

  const auto stage = std::make_shared<std::string>();
  CLI::App* worker = app.add_subcommand("metrics-worker", "")->group("");
  worker->add_option("stage", *stage)->required();
  worker->callback([stage, &exit_code] {
    exit_code = static_cast<int>(counters::count_here(*stage, std::cout));
  });
}

}  // namespace ratchet
