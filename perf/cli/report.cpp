// `ratchet report`: measurements as a table in Markdown, or with -o the results of gate, compare,
// bisect and selftest as a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>

#include "kernels/contract/counted.h"
#include "perf/cli/commands.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/gate/programs/compare_files.h"
#include "perf/gate/provenance.h"
#include "perf/output/files/markdown.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/output/page/sections.h"
#include "perf/stats/quantile.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/suggestion.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

/// Half of the 95 % interval of the launches' median, as a share of it.
std::optional<double> half_interval(const std::vector<double>& throughputs) {
  const auto interval = stats::quantile_interval(throughputs, 0.5, 0.95);
  if (!interval) return std::nullopt;
  return (interval->high - interval->low) / 2 / stats::median(throughputs);
}

std::string known_to(const std::vector<double>& throughputs) {
  const auto half = half_interval(throughputs);
  return half ? fmt::format("{:.1f} %", 100 * *half) : "-";
}

std::vector<std::string> cells_of(const Row& row) {
  const gate::Facts::Figures figures = gate::figures_of(row);
  return {"`" + row.name.text() + "`",
          figures.call_s > 0 ? report::format_seconds(figures.call_s) : "-",
          figure_kind(row.basis) ? rate_text(figures.throughput, row.basis)
                                 : report::format_rate(figures.throughput),
          basis_text(row.basis),
          to_string(clock_of(row)),
          known_to(row.throughputs()),
          std::to_string(row.launches.size()),
          is_verified(row) ? "yes" : "no"};
}

nlohmann::json json_of(const Row& row) {
  const gate::Facts::Figures figures = gate::figures_of(row);
  nlohmann::json entry = {{"row", printable(row.name.text())},
                          {"call_s", tidy_number(figures.call_s)},
                          {"units_per_second", tidy_number(figures.throughput)},
                          {"basis", basis_text(row.basis)},
                          {"clock", to_string(clock_of(row))},
                          {"launches", row.launches.size()},
                          {"verified", is_verified(row)}};
  if (row.tolerance) entry["tolerance"] = tidy_number(*row.tolerance);
  if (!row.limits.empty()) entry["limits"] = row.limits;
  if (const auto half = half_interval(row.throughputs())) entry["known_to"] = tidy_number(*half);
  return entry;
}

ExitCode print_table(const gate::CompareOptions& options, bool json) {
  const gate::MeasuredSide side = gate::read_side("the files", options.a, options);
  std::set<RowId> names;
  for (const auto& [name, row] : side.measured.rows) names.insert(name);
  report::Table table({"row", "time a call", "per second", "taken from", "clock", "known to",
                       "launches", "checked"});
  const std::set<RowId> chosen = select_rows(names, options.filter);
  nlohmann::json rows = nlohmann::json::array(), failed = nlohmann::json::object();
  for (const RowId& name : chosen) {
    table.add(cells_of(side.measured.rows.at(name)));
    rows.push_back(json_of(side.measured.rows.at(name)));
  }
  if (chosen.empty() && side.failures.empty())
    throw Error(options.a + " has no row that \"" + options.filter + "\" selects" +
                did_you_mean_row(options.filter, names) + "; without --filter all are shown");
  std::cout << table.text();
  for (const RowId& name : chosen)
    if (const auto& tolerance = side.measured.rows.at(name).tolerance)
      std::cout << fmt::format("\nTolerance of `{}`: {:.3g} %", name, 100 * *tolerance);
  for (const RowId& name : chosen)
    if (const auto& limits = side.measured.rows.at(name).limits; !limits.empty())
      std::cout << fmt::format("\nLimit of `{}`: {}", name, fmt::join(limits, " and "));
  for (const auto& [name, why] : side.failures) {
    std::cout << "\nFailed: `" << name << "`: " << why;
    failed[printable(name.text())] = printable(why);
  }
  std::cout << std::endl;
  if (json) print_document({{"format", 1}, {"rows", rows}, {"failed", failed}}, 2);
  return side.failures.empty() ? ExitCode::pass : ExitCode::failed;
}

struct ReportRequest {
  gate::CompareOptions table;
  std::vector<std::string> files;
  std::string output;
  std::string history;
  std::string title;
  bool json = false;
  std::filesystem::path baselines = "baselines";
  bool baselines_given = false;
};

bool is_url(const std::string& location) { return location.find("://") != std::string::npos; }

/// The project of the results: as the user names it, or as the newest run does; of results that
/// name none, the project in the current folder.
std::string project_of(const ReportRequest& request, nlohmann::json& sections) {
  std::string project = request.title, time;
  for (nlohmann::json& section : sections) {
    if (!request.title.empty()) section["project"] = request.title;
    if (!section.contains("project") || section.value("time", "") < time) continue;
    time = section.value("time", "");
    project = section.at("project");
  }
  return project.empty() ? gate::project_in(std::filesystem::current_path()) : project;
}

/// The results, the history that they are in, and of ratchet's own families the articles.
ExitCode write_site(const ReportRequest& request, const report::ReportSources& sources) {
  nlohmann::json sections = report::report_sections(sources);
  const std::string history = report::history_of(sources);
  sources.progress("reading the history");
  if (history != history::no_history && (is_url(history) || std::filesystem::exists(history)))
    sections.push_back(report::history_section(history));
  const std::string project = project_of(request, sections);
  const std::filesystem::path first = request.files.front();
  if (report::write_further_pages)
    report::write_further_pages(request.output, request.baselines,
                                std::filesystem::is_directory(first) ? first : first.parent_path());
  report::write_site(request.output, sections, project, sources.progress);
  std::cout << "report: " << (std::filesystem::path(request.output) / "index.html").string() << ", "
            << counted(sections.size() + report::article_files(request.output).size(), "pages")
            << std::endl;
  return ExitCode::pass;
}

ExitCode run_report(ReportRequest& request) {
  if (request.output.empty()) {
    if (request.files.empty())
      throw Error("report needs files to show as a table, or -o PAGE.html to write a page");
    request.table.a = fmt::format("{}", fmt::join(request.files, ","));
    return print_table(request.table, request.json);
  }
  if (request.files.empty()) request.files = {"results"};
  const Phase steps;
  const report::ReportSources sources{{request.files.begin(), request.files.end()},
                                      request.history,
                                      [&](const std::string& line) { steps.now(line); }};
  if (request.output.ends_with('/') || std::filesystem::is_directory(request.output))
    return write_site(request, sources);
  if (request.baselines_given)
    throw Error(
        "--baseline-dir has no effect on one page; name a folder (-o site/), or leave it out");
  if (const auto extension = std::filesystem::path(request.output).extension();
      extension != ".html" && extension != ".htm")
    throw Error("-o " + request.output +
                ": report writes HTML; name a file that ends in .html, or a folder (site/)");
  nlohmann::json sections = report::report_sections(sources);
  project_of(request, sections);
  report::write_report(request.output, sections);
  std::cout << "report: " << request.output << std::endl;
  return ExitCode::pass;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<ReportRequest>();
  CLI::App* command = app.add_subcommand("report", "write results as a table or an HTML page");
  command->add_option("FILES", request->files,
                      "JSON files of ratchet, Google Benchmark, nvbench or criterion, or a folder "
                      "of them, as a table. With -o: results of gate, compare, bisect or selftest "
                      "(default results)");
  command
      ->add_option("-o,--output", request->output,
                   "write an HTML page; for a folder (site/) write a page for each result, with an "
                   "index")
      ->option_text("FILE|DIR/");
  command
      ->add_option("--baseline-dir", request->baselines,
                   "with -o DIR/: baselines for the pages of the articles")
      ->option_text("DIR")
      ->capture_default_str();
  command
      ->add_option("--history", request->history,
                   "with -o: database of earlier runs: a file, postgresql://user@host/database, or "
                   "none; default: history.sqlite next to the results")
      ->option_text("WHERE")
      ->envname("RATCHET_HISTORY");
  command
      ->add_option("--title", request->title,
                   "with -o: the project's name; default: that of the repository")
      ->option_text("NAME")
      ->needs("--output");
  command->add_option("--filter", request->table.filter, std::string("without -o: ") + filter_help)
      ->option_text("ROWS");
  command->add_flag("--across-machines", request->table.across_machines,
                    "without -o: accept files of different machines in one table");
  add_json_option(*command, request->json);
  command->footer(
      "Exit codes: 0 written, 2 a row failed or a file cannot be read.\n"
      "Examples:\n"
      "  ratchet report my_bench.json\n"
      "  ratchet report results -o report.html");
  command->callback([request, command, &exit_code] {
    refuse_idle(*command, {{"--output", {"--filter", "--across-machines", "--json"}}});
    request->baselines_given = command->get_option("--baseline-dir")->count() > 0;
    refuse_idle_without(*command, {{"--output", {"--baseline-dir", "--history"}}});
    exit_code = static_cast<int>(run_report(*request));
  });
}

}  // namespace ratchet
