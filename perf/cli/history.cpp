// `ratchet history`: what gate runs found over time (perf/output/history/).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/contract/counted.h"
#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/gate/outcome.h"
#include "perf/output/drawing/vega.h"
#include "perf/output/history/keep.h"
#include "perf/output/history/render.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

struct HistoryOptions {
  std::vector<std::string> filters;
  std::string location;
  std::string machine;
  std::string clock;
  std::vector<std::string> import;
  bool import_git = false;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path svg;
  bool json = false;
  bool openmetrics = false;
  bool ascii = false;
  std::size_t width = 0;  ///< 0: the terminal's
  std::size_t last = 0;
  double false_alarms = 0.01;
};

/// From the locale's name: this program never sets a locale.
bool terminal_has_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string locale(value);
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

ExitCode run_import(const HistoryOptions& options) {
  history::Imported imported;  // all of it is read before any of it is written
  if (options.import_git) imported = history::runs_from_git(options.baselines);
  std::vector<history::HistoryStore> others;
  for (const std::string& file : options.import) {
    if (history::is_sqlite(file)) {
      others.push_back(history::open_store(file, history::Access::read));
    } else if (auto found = history::runs_of_other_tool(file)) {
      std::move(found->runs.begin(), found->runs.end(), std::back_inserter(imported.runs));
      std::move(found->notes.begin(), found->notes.end(), std::back_inserter(imported.notes));
    } else {
      imported.runs.push_back(history::run_from_file(file));
    }
  }
  for (const std::string& note : imported.notes) std::cerr << "ratchet: " << note << "\n";
  history::HistoryStore store = history::open_store(options.location, history::Access::write);
  std::size_t runs = 0;
  std::size_t rows = 0;
  for (const history::RunRecord& run : imported.runs) {
    const std::size_t added = store.import(run);
    rows += added;
    runs += added > 0;
  }
  for (history::HistoryStore& other : others) {
    const std::size_t added = store.merge(other);
    std::cout << fmt::format("added {} of {} to {}\n", counted(added, "runs"), other.name(),
                             store.name());
  }
  if (imported.runs.empty() && !others.empty()) return ExitCode::pass;
  const std::size_t known = imported.runs.size() - runs;
  std::cout << fmt::format("imported {} of {} into {}; {} there already\n", counted(rows, "rows"),
                           counted(runs, "runs"), store.name(),
                           counted(known, "runs") + (known == 1 ? " was" : " were"));
  if (runs == 0 && known == 0)
    std::cout << "git holds no commit of a baseline; commit the folder, then import again\n";
  return ExitCode::pass;
}

void print_series(const history::Series& series, const HistoryOptions& options) {
  const history::SeriesSummary& of = series.summary;
  const std::string clock = history::clock_text(series);
  std::cout << fmt::format("{} on {} (fingerprint {}){}, {}\n\n", of.name, of.machine,
                           of.fingerprint_hash.substr(0, 8), clock.empty() ? "" : ", by " + clock,
                           counted(series.points.size(), "runs"))
            << history::series_table(series, options.last) << "\n";
  const std::size_t width = options.width ? options.width : terminal_width();
  const std::string plot =
      history::terminal_plot(series, width, 12, !options.ascii && terminal_has_unicode());
  if (!plot.empty()) std::cout << plot << "\n";
  std::cout << fmt::format("{}; a series without a change shows one with probability {:g} %\n\n",
                           counted(series.changes.size(), "change points"),
                           options.false_alarms * 100);
}

std::vector<history::Series> read_series(history::HistoryStore& store,
                                         const HistoryOptions& options) {
  std::vector<history::Series> all;
  for (const auto& summary :
       history::select_series(store.rows(), options.filters, options.machine)) {
    for (history::Series& series : history::by_clock(
             summary, store.series(summary.name, summary.fingerprint_hash), options.false_alarms))
      if (options.clock.empty() || options.clock == series.clock) all.push_back(std::move(series));
  }
  if (all.empty())
    throw Error("no row that is named has figures by --clock " + options.clock +
                "; leave it out for all clocks");
  return all;
}

/// --svg draws one: names those that are selected.
std::string too_many_to_draw(const std::vector<history::Series>& all) {
  constexpr std::size_t most = 5;
  std::set<std::string> rows, machines;
  for (const history::Series& series : all) {
    rows.insert(series.summary.name);
    machines.insert(series.summary.fingerprint_hash);
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    names += (i > 0 ? ", " : "") + gate::shell_quoted(all[i].summary.name);
    if (rows.size() < all.size() && !all[i].clock.empty()) names += " --clock " + all[i].clock;
    if (machines.size() > 1) names += " --machine " + all[i].summary.fingerprint_hash.substr(0, 8);
  }
  if (all.size() > most) names += fmt::format(" and {} more", all.size() - most);
  return fmt::format("--svg draws one row by one clock, and {} are selected; name one of: {}",
                     all.size(), names);
}

ExitCode run_show(const HistoryOptions& options) {
  history::HistoryStore store = history::open_store(options.location, history::Access::read);
  if (options.filters.empty()) {
    const auto list = history::of_machine(store.rows(), options.machine);
    if (options.openmetrics)
      std::cout << history::openmetrics_text(list);
    else if (options.json)
      std::cout << history::list_json(list).dump(2) << "\n";
    else
      std::cout << history::list_table(list);
    return ExitCode::pass;
  }
  const std::vector<history::Series> all = read_series(store, options);
  std::string missing;  ///< why nothing was drawn
  if (!options.svg.empty()) {
    if (all.size() != 1) throw Error(too_many_to_draw(all));
    missing = vega::draw({{options.svg, history::vega_spec(all.front())}});
  }
  nlohmann::json list = nlohmann::json::array();
  for (const history::Series& series : all) {
    if (options.json)
      list.push_back(history::series_json(series, options.false_alarms));
    else
      print_series(series, options);
  }
  if (options.json) std::cout << list.dump(2) << "\n";
  if (!options.svg.empty() && missing.empty())
    (options.json ? std::cerr : std::cout)
        << "drawing: " << options.svg.string() << ", its specification: "
        << std::filesystem::path(options.svg).replace_extension(".vl.json").string() << "\n";
  if (!missing.empty()) std::cerr << "ratchet: " << missing << "\n";
  return missing.empty() ? ExitCode::pass : ExitCode::nothing_ran;
}

ExitCode run_history(HistoryOptions& options) {
  if (options.location == history::no_history)
    throw Error("there is no history to show: --history (or RATCHET_HISTORY) is \"none\"");
  options.location = history::location_or_default(options.location, "results");
  if (options.import_git || !options.import.empty()) return run_import(options);
  return run_show(options);
}

void add_display_options(CLI::App& command, HistoryOptions& options) {
  begin_options(command, "Display");
  command
      .add_option("--machine", options.machine,
                  "only runs of this machine: its name, or the first digits of its fingerprint")
      ->option_text("NAME");
  command.add_option("--clock", options.clock, "only figures by this clock")
      ->option_text("CLOCK")
      ->check(CLI::IsMember({"wall", "cpu", "gpu", "manual"}));
  command.add_option("--last", options.last, "only the last N lines of the table; 0 shows all")
      ->option_text("N")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command
      .add_option("--svg", options.svg,
                  "draw the series of one row into this file, and write its Vega-Lite "
                  "specification next to it (.vl.json)")
      ->option_text("FILE.svg")
      ->check([](const std::string& file) {
        return file.ends_with(".svg") ? "" : "the file name must end in .svg: " + file;
      });
  command.add_flag("--json", options.json, "print all figures as JSON");
  command.add_flag("--openmetrics", options.openmetrics,
                   "print the last run of every row in the text format of OpenMetrics and "
                   "Prometheus");
  command.add_flag("--ascii", options.ascii, "plot with ASCII characters only");
  command.add_option("--width", options.width, "columns of the plot; default: the terminal's")
      ->option_text("N")
      ->check(CLI::Range(40, 1000));
  command
      .add_option("--false-alarms", options.false_alarms,
                  "probability of a change point in a series without a change")
      ->option_text("P")
      ->check(CLI::Range(0.001, 0.5))
      ->capture_default_str();
}

}  // namespace

void add_history_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<HistoryOptions>();
  CLI::App* command =
      app.add_subcommand("history", "show results of gate runs over time, with change points");
  command->add_option("ROWS", options->filters,
                      std::string(filter_help) + "; default: a list of all rows");
  command
      ->add_option("--history", options->location,
                   "file or postgresql://user@host/database; default results/history.sqlite")
      ->option_text("WHERE")
      ->envname("RATCHET_HISTORY");
  add_display_options(*command, *options);
  begin_options(*command, "Import");
  command
      ->add_option("--import", options->import,
                   "add runs from these files: results of gate runs, baselines, other histories; "
                   "data.js of github-action-benchmark, results of asv, JSON of `bencher perf`")
      ->option_text("FILE...");
  command->add_flag("--import-git", options->import_git,
                    "add every baseline in the git history of --baseline-dir, on all branches, "
                    "those of remotes too");
  command->add_option("--baseline-dir", options->baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  command->footer(
      "Exit codes: 0 shown or added, 2 bad input, 77 vl_convert is missing, so --svg drew "
      "nothing.\n"
      "Examples:\n"
      "  ratchet history life/cpu/05_simd --last 20\n"
      "  ratchet history --import old/gate.json");
  command->callback([options, command, &exit_code] {
    const std::vector<std::string> of_series = {"--clock", "--last",  "--svg",
                                                "--ascii", "--width", "--false-alarms"};
    std::vector<std::string> shown = {"ROWS", "--machine", "--json", "--openmetrics"};
    shown.insert(shown.end(), of_series.begin(), of_series.end());
    refuse_idle(*command, {{"--import", shown},
                           {"--import-git", shown},
                           {"--openmetrics", {"ROWS", "--json"}},
                           {"--json", {"--last", "--ascii", "--width"}}});
    refuse_idle_without(*command, {{"ROWS", of_series}, {"--import-git", {"--baseline-dir"}}});
    exit_code = static_cast<int>(run_history(*options));
  });
}

}  // namespace ratchet
