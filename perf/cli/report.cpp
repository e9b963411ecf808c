// `ratchet report`: what was measured, by ratchet or by any benchmark library that it reads, as a
// table in Markdown; or with -o the results of gate, compare, bisect and selftest as a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "perf/cli/commands.h"
#include "perf/gate/programs/compare_files.h"
#include "perf/output/files/markdown.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/output/page/sections.h"
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
  return {"`" + row.name.text() + "`",
          report::format_seconds(stats::median(seconds)),
          report::format_rate(stats::median(row.throughputs())),
          basis,
          known_to(row.throughputs()),
          std::to_string(row.launches.size()),
          is_verified(row) ? "yes" : "no"};
}

ExitCode print_table(const gate::CompareOptions& options) {
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

struct ReportRequest {
  gate::CompareOptions table;
  std::vector<std::string> files;
  std::string output;
  std::string history;
  std::filesystem::path baselines = "baselines";
};

bool is_url(const std::string& location) { return location.find("://") != std::string::npos; }

/// The results, the history that they are in, and of ratchet's own families their tables.
ExitCode write_site(const ReportRequest& request, const report::ReportSources& sources) {
  nlohmann::json sections = report::report_sections(sources);
  const std::string history = report::history_of(sources);
  if (history != history::no_history && (is_url(history) || std::filesystem::exists(history)))
    sections.push_back(report::history_section(history));
  for (nlohmann::json& section : report::further_sections(request.baselines))
    sections.push_back(std::move(section));
  report::write_site(request.output, sections);
  std::cout << "report: " << (std::filesystem::path(request.output) / "index.html").string() << ", "
            << sections.size() << " pages" << std::endl;
  return ExitCode::pass;
}

ExitCode run_report(ReportRequest& request) {
  if (request.output.empty()) {
    if (request.files.empty())
      throw Error("report: name files to show as a table, or a page to write with -o");
    request.table.a = fmt::format("{}", fmt::join(request.files, ","));
    return print_table(request.table);
  }
  if (request.files.empty()) request.files = {"results"};
  const report::ReportSources sources{{request.files.begin(), request.files.end()},
                                      request.history};
  if (request.output.ends_with('/') || std::filesystem::is_directory(request.output))
    return write_site(request, sources);
  report::write_report(request.output, report::report_sections(sources));
  std::cout << "report: " << request.output << std::endl;
  return ExitCode::pass;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<ReportRequest>();
  CLI::App* command = app.add_subcommand(
      "report", "measured files, of whichever benchmark library, as a table; or results as a page");
  command->add_option("files", request->files,
                      "JSON files, or a folder of them; each file of a third-party program is one "
                      "launch. With -o: what gate, compare, bisect and selftest left, files or "
                      "folders (results)");
  command->add_option(
      "-o,--output", request->output,
      "write a page that shows the results, with everything that it needs in it; or, "
      "where this is a folder (site/), a page a result, a page for the history and "
      "one a family, with an index");
  command
      ->add_option("--baseline-dir", request->baselines,
                   "with -o: the figures on the pages of families")
      ->capture_default_str();
  command
      ->add_option("--history", request->history,
                   "with -o: the history of the rows: a file, postgresql://user@host/database, or "
                   "none; else history.sqlite beside the results")
      ->envname("RATCHET_HISTORY");
  command->add_option("--filter", request->table.filter, filter_help);
  command->add_flag("--across-machines", request->table.across_machines,
                    "although the files are of different machines");
  command->footer("Exit codes: 0, or 2 where a row failed or a file cannot be read.");
  command->callback([request, &exit_code] { exit_code = static_cast<int>(run_report(*request)); });
}

}  // namespace ratchet
