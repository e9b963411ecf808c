// `ratchet gate`: see perf/gate/README.md.
#include "perf/gate/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <regex>
#include <set>

#include "perf/cli/commands.h"
#include "perf/cli/program_options.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/side_by_side.h"
#include "perf/output/delivery.h"
#include "perf/output/fleet/merge.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

/// Numbers or names of devices, as the CUDA runtime takes them.
std::string bad_gpu(const std::string& word) {
  static const std::regex gpu("[0-9]{1,4}|(GPU|MIG)-[0-9A-Za-z/-]+");
  return std::regex_match(word, gpu) ? "" : "\"" + word + "\" is no GPU: 0, or GPU-<uuid>";
}

void add_measuring_options(CLI::App& command, gate::GateOptions& options) {
  gate::SessionOptions& session = options.session;
  add_selection_options(command, session.selection);
  command
      .add_option("--launches", session.launches,
                  "process launches a row before the first analysis; undecided rows get more")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--budget-s", session.budget_s, "wall time for the whole run, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--gpus", session.gpus,
                  "the GPUs to use, as 0,1 or by UUID: the rows of a GPU are spread over them, one "
                  "process on each at a time; they must be of one kind")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(bad_gpu, "GPU"));
  command
      .add_option("--launch-limit-s", options.bench.launch_limit_s,
                  "a launch that takes longer is killed and its row failed, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--check-limit-s", options.bench.check_limit_s,
                  "the same for the check of a stage, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--verify-limit-s", session.verify_s,
                  "for judging what a row computes at the very point that is timed, seconds a row "
                  "at most, and a fifth of the budget for all; what takes over three times as long "
                  "stays unchecked, and is no baseline. 0: judge none")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
}

/// What nobody named is nobody's business: children of this process see these devices alone.
void see_only(const std::vector<std::string>& gpus) {
  if (gpus.empty()) return;
  const std::set<std::string> different(gpus.begin(), gpus.end());
  if (different.size() < gpus.size()) throw Error("--gpus names a device twice");
  setenv("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")).c_str(), 1);
}

/// What the command line asks for.
struct GateRequest {
  gate::GateOptions options;
  DisplayOptions display;
  std::string history;  ///< file, URL or "none"; empty: history.sqlite among the results
  std::string base;
  std::vector<std::string> words;            ///< besides options
  std::vector<std::string> after_dashes;     ///< for the program
  std::vector<std::filesystem::path> merge;  ///< what nodes left; empty: measure here
  std::size_t nodes = 0;                     ///< that were asked for
};

void add_comparison_options(CLI::App& command, GateRequest& request) {
  auto* base = command.add_option(
      "--base", request.base,
      "compare with this git revision instead of the stored baseline: it is built like this build, "
      "and both are measured side by side");
  command
      .add_flag("--stored", request.options.stored,
                "let stored figures decide about rows that execute something else than their "
                "baselines did, instead of building the baselines' own revision beside this one")
      ->excludes(base);
  add_tolerance_option(command, request.options.tolerances);
  command.add_flag("--by-time", request.options.by_time,
                   "measure and compare what executes the same, too");
}

void add_fleet_options(CLI::App& command, GateRequest& request) {
  auto* merge =
      command
          .add_option("--merge", request.merge,
                      "measure nothing: one verdict from what the gate left on several nodes of a "
                      "kind, a folder each, or from folders that hold such")
          ->excludes("--base")
          ->excludes("--stored");
  command
      .add_option("--nodes", request.nodes,
                  "of --merge: how many nodes were asked for, if some left no folder at all")
      ->needs(merge)
      ->check(CLI::Range(1, 100000));
}

void add_policy_options(CLI::App& command, gate::Policy& policy) {
  command.add_flag("--strict", policy.strict,
                   "exit 3 if a row is undecided, new, or has nothing to be compared with");
  command.add_flag("--strict-machine", policy.strict_machine,
                   "exit 3 where rows that execute what their baselines executed run at another "
                   "speed than stored: for who gates machines or drivers");
  command.add_flag("--allow-new", policy.allow_new, "new rows pass with --strict, too");
  command
      .add_option_function<std::string>(
          "--undecided",
          [&policy](const std::string& word) { policy.undecided_passes = word == "pass"; },
          "what undecided rows do, with --strict or without: fail (exit 3) or pass")
      ->check(CLI::IsMember({"pass", "fail"}));
}

/// The rows may be named without --filter; what stands behind them, or begins with --, is for the
/// program.
void settle_words(GateRequest& request) {
  std::vector<std::string> words = request.words;
  std::string& filter = request.options.session.selection.filter;
  if (!words.empty() && !words.front().starts_with("--")) {
    if (!filter.empty())
      throw Error("the rows are named twice: --filter " + filter + ", and " + words.front());
    filter = words.front();
    words.erase(words.begin());
  }
  words.insert(words.end(), request.after_dashes.begin(), request.after_dashes.end());
  request.options.bench.arguments = words;
}

struct BaseProgram {
  std::string commit;
  std::unique_ptr<gate::BenchProgram> program;
};

BaseProgram built_base(const GateRequest& request, const gate::ProgramBuild& build) {
  const gate::BaseBuild base = gate::build_revision(build.repository, request.base, build.options);
  gate::ProgramOptions options = request.options.bench;
  options.program = base.programs.front();
  options.check_command.clear();  // of this revision alone
  return {base.commit, gate::open_program(options)};
}

/// Some row executes the same in both, so that what the base was built without is no difference.
bool any_row_alike(const gate::BenchProgram& base, const gate::BenchProgram& now) {
  const auto before = base.work().digests, after = now.work().digests;
  return std::any_of(before.begin(), before.end(), [&](const auto& row) {
    const auto here = after.find(row.first);
    return here != after.end() && here->second == row.second;
  });
}

/// The base, built without what the rows that are asked for do not need, if that shows to make no
/// difference.
BaseProgram base_for(const GateRequest& request, gate::ProgramBuild build,
                     const gate::BenchProgram& now) {
  const gate::Selection selection({now.list()}, request.options.session.selection);
  gate::ProgramBuild sparing = build;
  sparing.options = gate::spared(build.repository, request.base, build.options, selection.rows());
  if (!sparing.options.off.empty()) {
    BaseProgram base = built_base(request, sparing);
    if (any_row_alike(*base.program, now)) return base;
    build.options.progress("built so, no row executes the same as here; building all of it");
  }
  return built_base(request, build);
}

/// What a pipeline gives for a commit before that there is none: a new branch, a schedule.
bool names_no_commit(const std::string& revision) {
  return revision.size() == 40 && revision.find_first_not_of('0') == std::string::npos;
}

/// Without a base that has the program all rows are measured against themselves, and it is said
/// that nothing was compared.
ExitCode gate_against_nothing(const GateRequest& request, const gate::Delivery& delivery,
                              LiveLine& live, const std::string& why) {
  const auto say = say_on(live.err(), request.display.quiet);
  say("nothing is compared: " + why);
  const ScratchFolder none;
  gate::GateOptions options = request.options;
  options.baselines = none.path();
  gate::Outcome outcome = gate::run_gate(options, say);
  for (gate::RowReport& report : outcome.reports)
    if (report.verdict == gate::Verdict::uncompared) report.reason = why;
  outcome.nothing_to_compare = why;
  outcome.circumstances.against = "base: " + request.base;
  return delivery.deliver(std::move(outcome), request.display, live.out(), live.err());
}

ExitCode gate_against_base(GateRequest& request, const gate::Delivery& delivery, LiveLine& live) {
  gate::GateOptions& options = request.options;
  if (names_no_commit(request.base))
    return gate_against_nothing(request, delivery, live,
                                "there is no base yet (" + request.base.substr(0, 12) +
                                    "...: a first push, or a pipeline without one)");
  gate::ProgramBuild build = how_to_build({options.bench, options.build});
  build.options.progress = say_on(live.err(), request.display.quiet);
  const auto now_program = gate::open_program(options.bench);
  BaseProgram found;
  try {
    found = base_for(request, build, *now_program);
  } catch (const gate::NoSuchProgram& error) {
    return gate_against_nothing(request, delivery, live, error.what());
  }
  const auto& [commit, before_program] = found;
  gate::PairGateOptions pair;
  pair.before = before_program.get();
  pair.now = now_program.get();
  pair.title = "base: " + request.base + " (" + commit.substr(0, 12) + ")";
  pair.session = options.session;
  pair.session.seed = std::random_device()();
  pair.pairs.stated = options.tolerances;
  pair.pairs.tolerances = gate::stated_tolerances(BaselineStore(options.baselines));
  pair.policy = options.policy;
  pair.by_time = options.by_time;
  pair.commands = gate::gate_commands({options.program, options.bench.program,
                                       now_program->abilities().tells_code, request.base,
                                       options.baselines, options.results});
  return delivery.deliver(gate::run_pair_gate(pair, say_on(live.err(), request.display.quiet)),
                          request.display, live.out(), live.err());
}

ExitCode merge_nodes(const GateRequest& request) {
  const gate::GateOptions& options = request.options;
  gate::MergeOptions merge;
  merge.folders = request.merge;
  merge.nodes = request.nodes;
  merge.filter = options.session.selection.filter;
  merge.tolerances = options.tolerances;
  merge.results = options.results;
  merge.history = request.history;
  merge.policy = options.policy;
  merge.display = request.display;
  LiveLine live;
  return gate::run_merge(merge, live.out(), live.err());
}

ExitCode run_gate(GateRequest& request) {
  settle_words(request);
  request.display.colour = wants_colour(STDOUT_FILENO);
  if (!request.merge.empty()) return merge_nodes(request);
  see_only(request.options.session.gpus);
  settle_program({request.options.bench, request.options.build});
  LiveLine live;
  request.options.session.show = live.show(request.display.quiet);
  const gate::Delivery delivery(request.options.results, request.history, live.err());
  if (!request.base.empty()) return gate_against_base(request, delivery, live);
  return delivery.deliver(gate::run_gate(request.options, say_on(live.err(), request.display.quiet)),
                          request.display, live.out(), live.err());
}

}  // namespace

void add_gate_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<GateRequest>();
  gate::GateOptions& options = request->options;
  options.bench.program = default_bench();
  CLI::App* command = app.add_subcommand(
      "gate", "measure here, compare with the stored baseline or another revision, decide");
  command->add_option("ROWS", request->words, filter_help)->expected(0, -1);
  take_program_arguments(*command, request->after_dashes);
  add_measuring_options(*command, options);
  add_program_options(*command, {options.bench, options.build});
  add_comparison_options(*command, *request);
  add_fleet_options(*command, *request);
  add_policy_options(*command, options.policy);
  add_quiet_option(*command, request->display.quiet);
  command->add_flag("--all-rows", request->display.all_rows,
                    "show rows of identical work and unavailable ones each by itself");
  command->add_option("--baseline-dir", options.baselines, "the stored baselines")
      ->capture_default_str();
  command->add_option("--results", options.results, "folder for everything that the run leaves")
      ->capture_default_str();
  command
      ->add_option("--history", request->history,
                   "where every run is added: a file, postgresql://user@host/database, or none; "
                   "else history.sqlite among the results")
      ->envname("RATCHET_HISTORY");
  command->add_option("--peaks", options.bench.peaks_file,
                      "output of `ratchet peaks --json`, for the share of the limit");
  command->footer(
      "Arguments after -- go to a program that is not ratchet's own.\n"
      "Exit codes: 0 pass, 1 regression, 2 a row failed, is missing, changed or unverified, or the "
      "harness failed, 3 with --strict: a row is undecided, new or has no baseline, 77 nothing "
      "could "
      "run here.");
  command->callback([request, command, &exit_code] {
    request->options.program = command->get_parent()->get_name();
    exit_code = static_cast<int>(run_gate(*request));
  });
}

}  // namespace ratchet
