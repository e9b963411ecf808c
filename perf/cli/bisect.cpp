// `ratchet bisect`: see perf/guide/bisect.md.
#include "perf/gate/bisect/bisect.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/cli/program_options.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/run/run_options.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/support/git.h"
#include "perf/support/interruption.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

void add_judging_options(CLI::App& command, bisect::BisectOptions& options) {
  command.add_option("--budget-s", options.run.budget_s, "wall time of each comparison at most")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--tolerance", options.tolerance,
                  "smallest slowdown to search for, as a share (0.01 is 1 %)")
      ->option_text("SHARE")
      ->check(CLI::Range(0.0001, 0.9999));
  command
      .add_option("--launch-limit-s", options.bench.launch_limit_s,
                  "kill a launch that takes longer")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--build-limit-s", options.build.limit_s,
                  "skip a revision whose configuration or build takes longer")
      ->option_text("SECONDS")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
}

std::optional<gate::Listing> listed_here(const bisect::BisectOptions& options) try {
  return gate::open_program(options.bench)->list();
} catch (const Error&) {  // there is no build
  return std::nullopt;
}

/// What the rows that this build can run here do without; nothing where there is no build. Throws
/// `Error` for rows that BAD lacks, as far as this is its build, before minutes of building.
std::vector<std::string> unneeded_here(const bisect::BisectOptions& options) {
  const auto listing = listed_here(options);
  if (!listing) return {};
  try {
    return gate::unneeded_switches(gate::Selection({*listing}, options.run.selection).rows());
  } catch (const Error&) {
    if (resolve_revision(options.repository, options.bad) ==
        resolve_revision(options.repository, "HEAD"))
      throw;
    return {};
  }
}

bisect::Commands commands_to_show(const CLI::App& command, const bisect::BisectOptions& options) {
  const CLI::App& all = *command.get_parent();
  const std::string arguments = gate::argument_words(options.bench.arguments);
  bisect::Commands commands{gate::shell_quoted(all.get_name()),
                            given_words(command, command, {{"", {"--anew"}}}) + arguments,
                            {}};
  if (options.bench.command.empty())
    commands.explain_given = given_words(command, *all.get_subcommand("explain"),
                                         {{"", {"--anew", "--quiet", "--budget-s", "--backend"}}}) +
                             arguments;
  return commands;
}

/// This command without --anew, as a shell takes it.
std::string without_anew(const bisect::BisectOptions& options) {
  std::string words = options.commands.program + " bisect";
  for (const std::string& word : {options.good, options.bad, options.run.selection.filter})
    if (!word.empty()) words += " " + gate::shell_quoted(word);
  return words + options.commands.given;
}

}  // namespace

void add_bisect_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<bisect::BisectOptions>();
  CLI::App* command = app.add_subcommand("bisect", "find the commit that made a row slower");
  command->add_option("GOOD", options->good, "a revision before the slowdown")->required();
  command->add_option("BAD", options->bad, "a later revision with the slowdown")->required();
  command->add_option("ROWS", options->run.selection.filter,
                      std::string(filter_help) + "; default: every row that is slower");
  begin_options(*command, "Search");
  add_backend_option(*command, options->run.selection);
  add_judging_options(*command, *options);
  command->add_option("--results", options->results, "folder for bisect.json and the report")
      ->option_text("DIR")
      ->capture_default_str();
  command->add_flag("--anew", options->anew, "discard what an interrupted search found");
  const auto quiet = std::make_shared<bool>(false);
  add_quiet_option(*command, *quiet);
  options->bench.program = default_bench();
  add_program_options(*command, {options->bench, options->build});
  add_command_options(*command, options->bench);
  take_program_arguments(*command, options->bench.arguments);
  command->footer(
      "Arguments after -- go to the program. The same command resumes an interrupted search. "
      "Revisions are built in results/base, and kept.\n"
      "Exit codes: 0 no row is slower, 1 the commit or a range of commits is found, 2 bad input, "
      "or a row failed, 3 a row is undecided, or GOOD or BAD lacks a named one.\n"
      "Examples:\n"
      "  ratchet bisect v1.0 HEAD life/cpu/05_simd\n"
      "  ratchet bisect v1.0 HEAD --exec 'python3 bench.py'");
  command->callback([options, quiet, command, &exit_code] {
    catch_interruption();
    refuse_idle(*command, {{"--build-cmd", {"--build-dir", "--target", "--configure"}}});
    refuse_idle_with_exec(*command, options->bench);
    refuse_program_as_rows(options->run.selection.filter, options->bench.program);
    options->commands = commands_to_show(*command, *options);
    if (options->anew) options->resume = without_anew(*options);
    if (options->bench.command.empty()) gate::executable(options->bench.program);  // or throws
    settle_program({options->bench, options->build});
    options->bench.rows = options->run.selection.filter;
    gate::ProgramBuild build = how_to_build({options->bench, options->build});
    options->repository = build.repository;
    options->build = build.options;
    if (options->bench.command.empty()) options->build.off = unneeded_here(*options);
    options->bench.require_metrics = false;  // a revision may lack them
    options->build.progress = say_on(std::cerr, *quiet);
    const ExitCode code = bisect::run_bisect(*options, std::cout, *quiet ? no_output() : std::cerr);
    if (interruption() != 0) {  // there is no conclusion to show
      exit_code = static_cast<int>(code);
      return;
    }
    // In a folder of its own: the gate that found the slowdown has its report among these results.
    const auto sections = [&] {
      return report::report_sections({{options->results / "bisect.json"}, history::no_history});
    };
    const bool left =
        report::leave_report(options->results / "bisect", sections, *quiet, std::cout);
    exit_code = static_cast<int>(left ? code : after_loss(code));
  });
}

}  // namespace ratchet
