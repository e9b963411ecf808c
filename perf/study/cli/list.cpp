// `ratchet list`: the stages, and whether they can run here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/contract/stage.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/identity/row_id.h"
#include "perf/study/cli/commands.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

struct ListOptions {
  std::string filter;
  bool json = false;
  bool tsv = false;
};

nlohmann::ordered_json describe(const StageInfo& info, const Availability& available) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const Parameter& each : info.parameters)
    parameters.push_back({{"name", each.name},
                          {"default", each.value},
                          {"min", each.min},
                          {"max", each.max},
                          {"help", each.help}});
  return {{"name", info.name},
          {"backend", to_string(info.backend)},
          {"unit", info.unit},
          {"summary", info.summary},
          {"source", info.source},
          {"as_printed", info.as_printed},
          {"limit", {{"resource", info.limit.resource}, {"per_unit", info.limit.per_unit}}},
          {"parameters", parameters},
          {"size", info.size},
          {"threads", info.threads},
          {"sweep_points", info.sweep.size()},
          {"survey_points", info.survey.size()},
          {"available", available.ok},
          {"reason", available.reason}};
}

void print_json(const std::vector<const Stage*>& stages) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Stage* stage : stages) list.push_back(describe(stage->info(), stage->availability()));
  std::cout << list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

/// What scripts need, one stage a line. The machine is the folder of baselines that the stage's
/// figures belong to here.
void print_tsv(const std::vector<const Stage*>& stages) {
  const Fingerprint here{fingerprint_fields()};
  std::cout << "stage\tavailable\tmachine\tsurvey_points\tskip_sanitizers\n";
  for (const Stage* stage : stages) {
    const StageInfo& info = stage->info();
    std::cout << fmt::format("{}\t{}\t{}\t{}\t{}\n", info.name,
                             stage->availability().ok ? "yes" : "no",
                             here.machine_slug(RowId(info.name).device()), info.survey.size(),
                             fmt::join(info.skip_sanitizers, ","));
  }
}

void print_table(const std::vector<const Stage*>& stages) {
  std::size_t width = 0;
  for (const Stage* stage : stages) width = std::max(width, stage->info().name.size());
  for (const Stage* stage : stages) {
    const StageInfo& info = stage->info();
    const Availability available = stage->availability();
    std::cout << fmt::format("{:<{}}  {:<8} {:<11} {}{}\n", info.name, width, info.unit,
                             available.ok ? "available" : "unavailable", info.summary,
                             info.as_printed ? " [as printed, wrong]" : "");
    if (!available.ok) std::cout << fmt::format("{:<{}}  {}\n", "", width + 9, available.reason);
  }
}

ExitCode run_list(const ListOptions& options) {
  const std::vector<const Stage*> stages = matching_stages(options.filter);
  options.json ? print_json(stages) : options.tsv ? print_tsv(stages) : print_table(stages);
  return ExitCode::pass;
}

}  // namespace

void add_list_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "list the stages, and whether they can run here");
  command->add_option("ROWS", options->filter, filter_help);
  command->add_flag("--json", options->json, "print all facts of the stages as JSON");
  command->add_flag("--tsv", options->tsv,
                    "print a table for scripts: name, machine, survey points");
  command->footer(
      "Exit codes: 0 listed, 2 no stage matches.\n"
      "Example:\n"
      "  ratchet list graveler/cuda");
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_list(*options)); });
}

}  // namespace ratchet
