// `ratchet selftest`: how often the gate is wrong on this machine, by trying.
#include "perf/gate/selftest/selftest.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "kernels/contract/counted.h"
#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/cli/program_options.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/support/interruption.h"
#include "perf/support/json_file.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

struct SelftestRequest {
  gate::SelftestOptions options;
  std::vector<std::filesystem::path> report;
  std::vector<std::string> set;
  bool quiet = false, json = false;
};

constexpr int most_runs = 100'000;

void add_options(CLI::App& command, SelftestRequest& request) {
  gate::SelftestOptions& options = request.options;
  begin_options(command, "Rows and runs");
  add_selection_options(command, options.selection);
  command.add_option("--set", request.set, "a parameter of the stages, as in --ratchet_set")
      ->option_text("NAME=VALUE");
  command.add_option("--runs", options.runs, "runs of a program against itself")
      ->option_text("N")
      ->check(CLI::Range(1, most_runs))
      ->capture_default_str();
  command
      .add_option("--slowdowns", options.slowdowns,
                  "slowdowns to inject into one side, as shares of its time")
      ->option_text("LIST")
      ->delimiter(',')
      ->check(CLI::Range(0.0001, 1.0))
      ->capture_default_str();
  command
      .add_option("--slowed-runs", options.slowed_runs, "runs for each slowdown; 0 injects none")
      ->option_text("N")
      ->check(CLI::Range(0, most_runs))
      ->capture_default_str();
  command.add_option("--run-budget-s", options.run_budget_s, "wall time of one run")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option(
          "--neighbour", options.neighbour,
          "share of the runs during which another process keeps one CPU busy; 0 starts none")
      ->option_text("SHARE")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "seed of the random order of runs and pairs")
      ->option_text("N")
      ->capture_default_str();
  begin_options(command, "Program and files");
  command
      .add_option("--bench", options.bench.program,
                  "benchmark program to run (default ratchet-bench)")
      ->option_text("FILE");
  add_clock_option(command, options.bench.clock);
  add_device_time_option(command, options.bench);
  take_program_arguments(command, options.bench.arguments);
  command
      .add_option_function<std::filesystem::path>(
          "--results",
          [&options](const std::filesystem::path& folder) {
            options.record = folder / "selftest.jsonl";
          },
          "folder for selftest.jsonl and the report")
      ->option_text("DIR");
  command.add_option("--record", options.record, "add one line of JSON for each run to this file")
      ->excludes("--results")
      ->option_text("FILE")
      ->capture_default_str();
  command
      .add_option("--report", request.report,
                  "measure nothing: print the tables of these records of one machine")
      ->option_text("FILE...");
}

ExitCode run_selftest(SelftestRequest& request) {
  const bool measured = request.report.empty();
  if (measured) {
    catch_interruption();
    gate::BaseBuildOptions unused;  // no other revision is built
    settle_program({request.options.bench, unused});
    for (const std::string& assignment : request.set)
      request.options.bench.flags.push_back("--ratchet_set=" + assignment);
    const std::size_t made =
        gate::run_selftest(request.options, request.quiet ? no_output() : std::cerr);
    if (made == 0) throw Interrupted();
    if (interruption() != 0)
      std::cout << "INTERRUPTED: " << request.options.record.string() << " keeps the "
                << counted(made, "runs")
                << " made; the same command with another --seed adds to them.\n";
    request.report = {request.options.record};
  }
  const gate::SelftestRecord whole = gate::read_selftest(request.report);
  std::cout << gate::selftest_table(whole);
  if (request.json) print_document(gate::to_json(gate::summarize(whole)), 2);
  if (measured) {
    const std::filesystem::path& record = request.options.record;
    const auto sections = [&] { return report::report_sections({{record}, history::no_history}); };
    if (!report::leave_report(record.parent_path() / "selftest", sections, request.quiet,
                              std::cout))
      return after_loss(ExitCode::pass);
    if (interruption() != 0) return after_interruption(interruption());
  }
  return ExitCode::pass;
}

}  // namespace

void add_selftest_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<SelftestRequest>();
  request->options.bench.program = default_bench();
  request->options.record = "results/selftest.jsonl";
  CLI::App* command =
      app.add_subcommand("selftest", "measure how often the gate is wrong on this machine");
  add_options(*command, *request);
  add_quiet_option(*command, request->quiet);
  add_json_option(*command, request->json);
  command->footer(
      "A third-party program gets no extra work: the times of one side are multiplied. Arguments "
      "after -- go to it.\n"
      "Exit codes: 0 the tables are printed, 2 the harness failed, 77 no row can run here.\n"
      "Example:\n"
      "  ratchet selftest --filter life/cpu/05_simd --slowdowns 0.01,0.02");
  command->callback(
      [request, &exit_code] { exit_code = static_cast<int>(run_selftest(*request)); });
}

}  // namespace ratchet
