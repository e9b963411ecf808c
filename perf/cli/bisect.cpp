// `ratchet bisect`: see perf/guide/bisect.md.
#include "perf/gate/bisect/bisect.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "perf/cli/commands.h"
#include "perf/cli/program_options.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/run/session_options.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

void add_judging_options(CLI::App& command, bisect::BisectOptions& options) {
  command
      .add_option("--budget-s", options.session.budget_s,
                  "wall time of each comparison at most, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--tolerance", options.tolerance,
                  "what counts as slower between GOOD and BAD, as a share (0.01 is 1 %)")
      ->check(CLI::Range(0.0001, 0.9999));
  command
      .add_option("--launch-limit-s", options.bench.launch_limit_s,
                  "a launch that takes longer is killed, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--build-limit-s", options.build.limit_s,
                  "a revision that takes longer to configure or to build is passed over, seconds")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
}

/// What the rows that this build can run here do without; nothing where there is no build.
std::vector<std::string> unneeded_here(const bisect::BisectOptions& options) try {
  const auto program = gate::open_program(options.bench);
  return gate::unneeded_switches(
      gate::Selection({program->list()}, options.session.selection).rows());
} catch (const Error&) {
  return {};
}

}  // namespace

void add_bisect_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<bisect::BisectOptions>();
  CLI::App* command =
      app.add_subcommand("bisect", "find the commit that made a row slower, between two revisions");
  command->add_option("good", options->good, "a revision before the slowdown")->required();
  command->add_option("bad", options->bad, "one that has it")->required();
  command->add_option("row", options->session.selection.filter,
                      std::string("without it every row that is slower. ") + filter_help);
  command->add_option("--backend", options->session.selection.backend, "only rows of this backend")
      ->check(CLI::IsMember({"cpu", "cuda", "opencl", "hybrid", "mpi"}));
  add_judging_options(*command, *options);
  options->bench.program = default_bench();
  add_program_options(*command, {options->bench, options->build});
  take_program_arguments(*command, options->bench.arguments);
  command->add_option("--results", options->results, "folder for bisect.json")
      ->capture_default_str();
  command->add_flag("--anew", options->anew, "forget what an earlier run found out");
  command->footer(
      "Arguments after -- go to a program that is not ratchet's own.\n"
      "Interrupted, it goes on where it was when it is called again with the same revisions and "
      "rows. Revisions are built in results/base, and kept.\n"
      "Exit codes: 0 no row is slower, 1 the commit is named, or the range that has it, 2 bad "
      "input, or a row failed, 3 it cannot be told whether a row is slower.");
  const auto quiet = std::make_shared<bool>(false);
  add_quiet_option(*command, *quiet);
  command->callback([options, quiet, &exit_code] {
    settle_program({options->bench, options->build});
    gate::ProgramBuild build = how_to_build({options->bench, options->build});
    options->repository = build.repository;
    options->build = build.options;
    options->build.off = unneeded_here(*options);
    LiveLine live;
    options->build.progress = say_on(live.err(), *quiet);
    options->session.show = live.show(*quiet);
    const ExitCode code =
        bisect::run_bisect(*options, live.out(), *quiet ? no_output() : live.err());
    // In a folder of its own: the gate that found the slowdown has its report among these results.
    const auto sections = [&] {
      return report::report_sections({{options->results / "bisect.json"}, history::no_history});
    };
    const bool left =
        report::leave_report(options->results / "bisect", sections, *quiet, live.out());
    exit_code = static_cast<int>(left ? code : after_loss(code));
  });
}

}  // namespace ratchet
