// `ratchet report`: what was measured, by ratchet or by any benchmark library that it reads, as a
// table in Markdown.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "perf/cli/commands.h"
#include "perf/gate/third_party/compare_files.h"
#include "perf/report/markdown.h"
#include "perf/stats/quantile.h"

namespace ratchet {
namespace {

/// How far the middle of the launches is known, as a share: half of its 95 % interval.
std::string known_to(const std::vector<double>& throughputs) {
  const auto interval = stats::quantile_interval(throughputs, 0.5, 0.95);
  if (!interval) return "-";
  const double half = (interval->high - interval->low) / 2 / stats::median(throughputs);
  return fmt::format("{:.1f} %", 100 * half);
}

std::vector<std::string> cells_of(const Row& row, const std::string& basis) {
  std::vector<double> seconds;
  for (const Launch& launch : row.launches) seconds.push_back(launch.real_ms / 1e3);
  return {"`" + row.name + "`",
          report::format_seconds(stats::median(seconds)),
          report::format_rate(stats::median(row.throughputs())),
          basis,
          known_to(row.throughputs()),
          std::to_string(row.launches.size()),
          is_verified(row) ? "yes" : "no"};
}

ExitCode run_report(const gate::CompareOptions& options) {
  const gate::MeasuredSide side = gate::read_side("the files", options.a, options);
  std::set<std::string> names;
  for (const auto& [name, row] : side.measured.rows) names.insert(name);
  report::Table table(
      {"row", "time a call", "per second", "taken from", "known to", "launches", "checked"});
  const std::set<std::string> chosen = select_rows(names, options.filter);
  for (const std::string& name : chosen)
    table.add(cells_of(side.measured.rows.at(name), to_string(side.basis.at(name))));
  if (chosen.empty() && side.failures.empty())
    throw Error(options.a + " has no row that \"" + options.filter + "\" selects");
  std::cout << table.text();
  for (const auto& [name, why] : side.failures) std::cout << "\nFailed: `" << name << "`: " << why;
  std::cout << std::endl;
  return side.failures.empty() ? ExitCode::pass : ExitCode::failed;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<gate::CompareOptions>();
  CLI::App* command =
      app.add_subcommand("report", "measured files, of whichever benchmark library, as a table");
  command
      ->add_option("files", options->a,
                   "a JSON file, several with commas between, or a folder of them; each file of a "
                   "third-party program is one launch")
      ->required();
  command->add_option("--filter", options->filter, filter_help);
  command->add_flag("--across-machines", options->across_machines,
                    "although the files are of different machines");
  command->footer("Exit codes: 0, or 2 where a row failed or a file cannot be read.");
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_report(*options)); });
}

}  // namespace ratchet
