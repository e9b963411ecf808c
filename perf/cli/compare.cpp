// `ratchet compare`: files measured before, held against each other
// (perf/gate/programs/compare_files.h), or two programs side by side.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/cli/program_options.h"
#include "perf/gate/gate.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/compare_files.h"
#include "perf/gate/programs/one_row.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/identity/build/build_options.h"
#include "perf/output/delivery.h"
#include "perf/output/files/formats.h"
#include "perf/output/history/keep.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/interruption.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

struct CompareRequest {
  gate::CompareOptions files;
  std::vector<std::string> programs;  ///< of --exec: one a use
  std::vector<std::string> rows;      ///< of --rows: none, or one of each side
  gate::RunOptions run;
  gate::ProgramOptions bench;
  std::string history = "none";
  bool by_time = false;
  bool all_rows = false;
  std::string given;  ///< given_words()
};

void add_exec_options(CLI::App& command, CompareRequest& request) {
  begin_options(command, "Two programs");
  command
      .add_option(
          "--exec", request.programs,
          "twice, or once with --rows: Google Benchmark or nvbench programs to measure side "
          "by side now")
      ->option_text("PROGRAM")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--rows", request.rows,
                  "compare row A with row B, of one program or of two: which of two functions is "
                  "faster, or a row with its former name")
      ->option_text("A B")
      ->expected(2);
  add_device_time_option(command, request.bench);
  command.add_option("--budget-s", request.run.budget_s, "wall time of the whole comparison")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--launch-limit-s", request.bench.launch_limit_s,
                  "kill a launch that takes longer; its row fails")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command.add_flag("--by-time", request.by_time,
                   "also judge rows of identical work by the clock, which shows layout and noise");
  command.add_flag("--all-rows", request.all_rows,
                   "show every row of identical work and every unavailable row");
  command
      .add_option("--history", request.history,
                  "add the results to this history, as in `ratchet gate`")
      ->option_text("WHERE")
      ->capture_default_str();
  take_program_arguments(command, request.bench.arguments);
}

std::unique_ptr<gate::BenchProgram> open(const CompareRequest& request, const std::string& program,
                                         bool before) {
  gate::ProgramOptions bench = request.bench;
  bench.program = program;
  bench.rows = gate::own_name(request.files.filter, program);
  bench.require_metrics = !before;
  bench.say = say_on(std::cerr, request.files.display.quiet);
  bench.clock = request.files.clock;
  return gate::open_program(bench);
}

std::string title_of(const CompareRequest& request) {
  std::string before = shown_path(request.programs[0]), now = shown_path(request.programs[1]);
  if (request.rows.empty()) return before + " against " + now;
  // As the table says it: the change is that of the second.
  return fmt::format("{} of {} (before) against {} of {} (after)", request.rows[0], before,
                     request.rows[1], now);
}

std::string repeat_command(const CompareRequest& request) {
  std::string words = " --exec " + gate::shell_quoted(request.programs[0]);
  if (request.rows.empty() || request.programs[0] != request.programs[1])
    words += " --exec " + gate::shell_quoted(request.programs[1]);
  if (request.rows.empty()) {
    words += " --filter {row}";
  } else {
    words += fmt::format(" --rows {} {}", gate::shell_quoted(request.rows[0]),
                         gate::shell_quoted(request.rows[1]));
  }
  return "ratchet compare" + words + request.given + gate::argument_words(request.bench.arguments);
}

ExitCode measure_programs(const CompareRequest& request, const gate::Delivery& delivery) {
  auto before = open(request, request.programs[0], true),
       now = open(request, request.programs[1], false);
  gate::PairGateOptions pair;
  if (!request.rows.empty()) {
    now = gate::one_row(std::move(now), request.rows[1]);
    before = gate::one_row(std::move(before), request.rows[0], now->list().rows.front());
    pair.pairs.other_rows = true;
    const auto then = before->code_identity().units, here = now->code_identity().units;
    if (then != here)
      throw Error(fmt::format("{} counts {}, {} counts {}: no rates to compare", request.rows[0],
                              then.empty() ? "calls" : then.begin()->second, request.rows[1],
                              here.empty() ? "calls" : here.begin()->second));
  }
  pair.before = before.get();
  pair.now = now.get();
  pair.title = title_of(request);
  pair.run = request.run;
  pair.run.selection.filter = gate::own_name(request.files.filter, now->path());
  pair.run.seed = random_word();
  pair.pairs.stated = request.files.tolerances;
  pair.by_time = request.by_time;
  pair.policy = request.files.policy;
  const DisplayOptions display = {.all_rows = request.all_rows,
                                  .quiet = request.files.display.quiet,
                                  .colour = request.files.display.colour,
                                  .json = request.files.display.json};
  pair.commands = {{"repeat", repeat_command(request)}};
  pair.provenance = gate::provenance_of(now->path(), built_revision(now->path()));
  gate::BuiltCommit base = gate::provenance_of(before->path(), built_revision(before->path())).now;
  // Two programs outside build folders are not both of the current commit.
  if (base.commit != pair.provenance.now.commit) pair.provenance.base = std::move(base);
  gate::Outcome outcome = gate::run_pair_gate(pair, say_on(std::cerr, display.quiet));
  outcome.of_two_rows = !request.rows.empty();
  return delivery.deliver(std::move(outcome), display, std::cout, std::cerr);
}

ExitCode run_programs(CompareRequest& request) {
  catch_interruption();
  if (!request.rows.empty() && request.programs.size() == 1)
    request.programs.push_back(request.programs.front());
  if (request.programs.size() != 2)
    throw Error("--exec is needed twice: --exec BEFORE --exec AFTER");
  const std::filesystem::path results =
      request.files.results.empty() ? "results/compare" : request.files.results;
  const gate::Delivery delivery(results, request.history, std::cerr);
  return gate::run_into(results, [&] { return measure_programs(request, delivery); });
}

/// Two programs in the place of files: the user wants --exec.
void refuse_programs(const CompareRequest& request) {
  for (const std::string& side : {request.files.a, request.files.b}) {
    std::error_code error;
    const bool file = std::filesystem::is_regular_file(side, error);
    if (file && access(side.c_str(), X_OK) == 0 && !side.ends_with(".json"))
      throw Error(side +
                  " is a program, not a file of measurements; to measure both here: ratchet "
                  "compare --exec " +
                  request.files.a + " --exec " + request.files.b);
  }
}

/// The gate has --exec for any command; here it names a program whose rows are measured in pairs.
void refuse_commands(const CompareRequest& request) {
  for (const std::string& program : request.programs) {
    std::error_code error;
    if (program.find(' ') == std::string::npos || std::filesystem::exists(program, error)) continue;
    const std::string command = gate::shell_quoted(program);
    throw Error(
        fmt::format("compare --exec takes a Google Benchmark or nvbench program, and {} is none, "
                    "nor a file; `ratchet gate --exec {} --base REV` compares a command with its "
                    "own revision REV",
                    command, command));
  }
}

ExitCode run_compare(const CLI::App& command, CompareRequest& request) {
  DisplayOptions& display = request.files.display;
  display.colour = wants_colour(display.json ? STDERR_FILENO : STDOUT_FILENO);
  if (request.bench.direction && request.bench.metrics.empty())
    throw Error("--direction has no effect without --metric; add that, or leave it out");
  if (request.programs.empty()) {
    for (const std::string& word : request.bench.arguments)  // a file's name may begin with a dash
      (request.files.a.empty() ? request.files.a : request.files.b) = word;
    if (request.files.a.empty() || request.files.b.empty())
      throw Error(
          "compare needs two sides: `compare A B` for files or folders, `compare --exec A --exec "
          "B` for programs");
    refuse_programs(request);
    for (const char* option : {"--rows", "--device-time", "--budget-s", "--launch-limit-s",
                               "--by-time", "--history", "--all-rows"})
      if (command.get_option(option)->count() > 0)
        throw Error(std::string(option) +
                    " has no effect on files that were measured before; leave it out");
    request.files.metrics = read_metrics(request.bench.metrics, request.bench.direction);
    return gate::run_compare(request.files, std::cout);
  }
  for (const std::string& word : {request.files.a, request.files.b})
    if (!word.empty())
      throw Error("compare --exec takes no file, but " + word +
                  " is given; arguments of the programs stand after --");
  refuse_idle(command, {{"--rows", {"--filter"}},
                        {"--quiet", {"--all-rows"}},
                        {"--exec", {"--repetitions-are-launches", "--across-machines"}}});
  refuse_commands(request);
  return run_programs(request);
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<CompareRequest>();
  gate::CompareOptions* options = &request->files;
  CLI::App* command =
      app.add_subcommand("compare", "compare measured files, or two programs side by side");
  command->add_option(
      "A", options->a,
      "the baseline: files of ratchet, Google Benchmark, nvbench or another known tool (commas "
      "between), a folder of them, or target/criterion[@BASELINE]; a file of Google Benchmark is "
      "one launch");
  command->add_option("B", options->b, "what is compared with A, in the same form");
  begin_options(*command, "Comparison");
  command->add_option("--filter", options->filter, filter_help)->option_text("ROWS");
  add_tolerance_option(*command, options->tolerances);
  add_clock_option(*command, options->clock);
  add_metric_option(*command, request->bench.metrics,
                    "; of --exec memory, size, energy and device_energy, too");
  add_direction_option(*command, request->bench.direction);
  command
      ->add_flag_callback(
          "--cpu-time", [options] { options->clock = ClockChoice::cpu; }, "the same as --clock cpu")
      ->excludes("--clock");
  command->add_flag("--repetitions-are-launches", options->repetitions_are_launches,
                    "count repetitions of one process as launches: intervals become too narrow");
  command->add_flag("--strict", options->policy.strict,
                    "exit 3 if a row is undecided or only in B");
  command->add_flag("--across-machines", options->across_machines,
                    "compare files of different machines");
  command
      ->add_option(
          "--results", options->results,
          "folder for the results: compare.json of files, gate.json of programs, and summary.md")
      ->option_text("DIR");
  add_quiet_option(*command, options->display.quiet);
  add_json_option(*command, options->display.json);
  command->footer(
      "Arguments after -- go to both programs of --exec.\n"
      "Exit codes: 0 pass, 1 regression, 2 a row failed, is missing or changed, or bad input, "
      "3 with --strict: a row is undecided or new.\n"
      "Examples:\n"
      "  ratchet compare before.json after.json\n"
      "  ratchet compare --exec build-old/my_bench --exec build/my_bench\n"
      "  ratchet compare --exec build/my_bench --rows BM_Map BM_FlatMap");
  add_exec_options(*command, *request);
  command->callback([request, command, &exit_code] {
    request->given = given_words(*command, *command, {{"", {"--exec", "--rows", "--filter"}}});
    exit_code = static_cast<int>(run_compare(*command, *request));
  });
}

}  // namespace ratchet
