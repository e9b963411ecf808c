// `ratchet gate`: see perf/gate/README.md.
#include "perf/gate/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/cli/program_options.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/side_by_side.h"
#include "perf/identity/build/build_options.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/output/delivery.h"
#include "perf/output/files/formats.h"
#include "perf/output/fleet/merge.h"
#include "perf/support/git.h"
#include "perf/support/hash.h"
#include "perf/support/interruption.h"
#include "perf/support/machine/nvml.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

/// Numbers or names of devices, as the CUDA runtime takes them.
std::string bad_gpu(const std::string& word) {
  static const std::regex gpu("[0-9]{1,4}|(GPU|MIG)-[0-9A-Za-z/-]+");
  return std::regex_match(word, gpu)
             ? ""
             : "\"" + word + "\" is not a GPU; write an index (0) or a UUID (GPU-...)";
}

void add_measuring_options(CLI::App& command, gate::GateOptions& options) {
  gate::RunOptions& run = options.run;
  begin_options(command, "Rows and time");
  add_selection_options(command, run.selection);
  command
      .add_option("--budget-s", run.budget_s,
                  "wall time of the whole run; rows get their fewest launches also beyond it")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--launches", run.launches,
                  "launches of a row before it is judged for the first time")
      ->option_text("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--gpus", run.gpus, "GPUs to use, all of one model, by index or UUID: 0,1")
      ->option_text("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(bad_gpu, "GPU"));
  command
      .add_option("--launch-limit-s", options.bench.launch_limit_s,
                  "kill a launch that takes longer; its row fails")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--check-limit-s", options.bench.check_limit_s,
                  "kill the check of a stage that takes longer; its rows fail")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option(
          "--verify-limit-s", run.verify_s,
          "time of a row's in-situ check, which compares the result of the timed run with the "
          "reference; all rows get a fifth of the budget. A row that needs three times as "
          "long stays unchecked. 0 checks no row")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
}

/// Child processes see only the devices in --gpus.
void see_only(const std::vector<std::string>& gpus) {
  if (gpus.empty()) return;
  const std::set<std::string> different(gpus.begin(), gpus.end());
  if (different.size() < gpus.size()) throw Error("--gpus names a device twice; name each once");
  const timing::Nvml nvml;
  std::vector<std::string> uuids;
  for (const auto device : nvml.devices()) uuids.push_back(nvml.uuid(device).value_or(""));
  timing::require_gpus(gpus, uuids);
  setenv("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")).c_str(), 1);
}

/// What the command line asks for.
struct GateRequest {
  gate::GateOptions options;
  DisplayOptions display;
  std::string base;
  std::string history;
  std::string rows;                          ///< without --filter
  std::vector<std::filesystem::path> merge;  ///< what nodes left; empty: measure here
  std::size_t nodes = 0;                     ///< that were asked for
};

void add_comparison_options(CLI::App& command, GateRequest& request) {
  begin_options(command, "Comparison");
  auto* base = command
                   .add_option("--base", request.base,
                               "compare with this git revision, not with the stored baseline: "
                               "build it, and measure both builds side by side")
                   ->option_text("REV");
  command
      .add_flag("--stored", request.options.stored,
                "compare with the stored figures; do not build the baseline's revision")
      ->excludes(base);
  add_tolerance_option(command, request.options.tolerances);
  command
      .add_option_function<std::vector<std::string>>(
          "--limit",
          [&request](const std::vector<std::string>& words) {
            for (const std::string& word : words)
              request.options.limits.push_back(gate::read_limit(word));
          },
          "exit 1 where the figure of this run is surely beyond: 'BM_dot<5us' or "
          "'BM_dot/time<5us' is the time of a call, 'BM_dot>9e5 items/s' its throughput, "
          "'Parse/size<5MB' a figure or a metric; repeatable")
      ->option_text("ROWS<VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--by-time", request.options.by_time,
                   "also judge rows of identical work, which execute the same machine code as "
                   "their baseline, by the clock: it shows layout and noise");
}

void add_fleet_options(CLI::App& command, GateRequest& request) {
  begin_options(command, "Several nodes");
  auto* merge =
      command
          .add_option("--merge", request.merge,
                      "measure nothing: make one verdict from the results of nodes of one kind, a "
                      "folder for each node; fewer than three decide nothing by time")
          ->option_text("DIR...")
          ->excludes("--base")
          ->excludes("--stored");
  command
      .add_option("--nodes", request.nodes,
                  "with --merge: number of nodes, if some may have left no folder")
      ->option_text("N")
      ->needs(merge)
      ->check(CLI::Range(1, 100000));
}

void add_policy_options(CLI::App& command, gate::Policy& policy) {
  begin_options(command, "Exit code");
  command.add_flag("--strict", policy.strict, "exit 3 if a row is undecided, new or not compared");
  command.add_flag("--strict-machine", policy.strict_machine,
                   "exit 3 if rows of identical work run at another speed than stored: the machine "
                   "or its driver changed");
  command.add_flag("--allow-new", policy.allow_new, "with --strict: new rows pass")
      ->needs("--strict");
  command
      .add_option_function<std::string>(
          "--undecided",
          [&policy](const std::string& word) { policy.undecided_passes = word == "pass"; },
          "undecided rows `fail` (exit 3) or `pass`, with --strict or without it")
      ->option_text("WHAT")
      ->check(CLI::IsMember({"pass", "fail"}));
}

void add_result_options(CLI::App& command, GateRequest& request) {
  begin_options(command, "Files and output");
  command.add_option("--baseline-dir", request.options.baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  command
      .add_option(
          "--results", request.options.results,
          "folder for the results of this run; builds of other revisions stay in results/base "
          "of the repository, for all runs")
      ->option_text("DIR")
      ->capture_default_str();
  command
      .add_option(
          "--history", request.history,
          "database of all runs: a file, postgresql://user@host/database, or none; default: "
          "history.sqlite in --results")
      ->option_text("WHERE")
      ->envname("RATCHET_HISTORY");
  command
      .add_option("--peaks", request.options.bench.peaks_file,
                  "output of `ratchet peaks --json`, a command of a build with the articles; adds "
                  "the share of the machine peak to rows")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  add_quiet_option(command, request.display.quiet);
  add_json_option(command, request.display.json);
  command.add_flag("--all-rows", request.display.all_rows,
                   "also list rows of identical work and unavailable rows, one line each");
}

/// The rows may be named without --filter.
void settle_rows(GateRequest& request) {
  if (request.rows.empty()) return;
  std::string& filter = request.options.run.selection.filter;
  if (!filter.empty())
    throw Error("rows are named twice: --filter " + filter + ", and " + request.rows +
                "; name them once");
  filter = request.rows;
}

/// Those rows are asked for their metrics; with --base those of the baselines here are gated, too.
void settle_metrics(GateRequest& request) {
  gate::ProgramOptions& bench = request.options.bench;
  bench.rows = request.options.run.selection.filter;
  if (!request.base.empty())
    bench = gate::with_stored_metrics(bench, BaselineStore(request.options.baselines));
}

/// What --merge does not measure, nor --stored build, and what pairs do not read.
const std::vector<Idle> idle = {
    {"--exec", {"--by-time", "--peaks", "--verify-limit-s"}},
    {"--merge",
     {"--bench",          "--exec",          "--direction",      "--name",     "--clock",
      "--device-time",    "--check-cmd",     "--build-dir",      "--target",   "--configure",
      "--build-cmd",      "--backend",       "--budget-s",       "--launches", "--gpus",
      "--launch-limit-s", "--check-limit-s", "--verify-limit-s", "--by-time",  "--limit",
      "--baseline-dir",   "--peaks",         "--metric"}},
    {"--stored", {"--build-dir", "--target", "--configure", "--build-cmd"}},
    {"--base", {"--launches", "--strict-machine"}},
    {"--build-cmd", {"--build-dir", "--target", "--configure"}},
    {"--quiet", {"--all-rows"}}};

/// Before anything is written: a refused command line changes no file.
void refuse_contradictions(const CLI::App& command, const GateRequest& request) {
  refuse_idle(command, idle);
  refuse_idle_with_exec(command, request.options.bench);
  refuse_program_as_rows(request.rows, request.options.bench.program);
  refuse_program_as_rows(request.options.run.selection.filter, request.options.bench.program);
  if (!request.merge.empty() && !request.options.bench.arguments.empty())
    throw Error("arguments after -- have no effect with --merge; leave them out");
}

/// What the commands shown say otherwise or of their own: the rows, the two builds; and what the
/// others take for something else or refuse.
const GivenApart shown_apart = {
    {"", {"--filter", "--bench", "--exec", "--base", "--baseline-dir"}},
    {"bisect", {"--budget-s", "--quiet"}},  // of each comparison; what it finds is to be seen
    {"explain", {"--results", "--clock", "--check-cmd", "--json"}}};

struct BaseProgram {
  std::string commit;
  double build_s = 0;
  std::unique_ptr<gate::BenchProgram> program;
};

/// A change that adds the script has nothing to be compared with, like one that adds a program. Any
/// other command that fails in the base is an error: a gate that passes because its base is broken
/// would pass for ever. So is a script that git does not know, which no revision has.
void require_files_of_command(const gate::ProgramOptions& bench,
                              const std::filesystem::path& repository, const std::string& base) {
  std::istringstream words(bench.command);
  for (std::string word; words >> word;) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(repository / word, ignored) ||
        std::filesystem::exists(bench.program / word, ignored))
      continue;
    try {
      ask_git(repository, {"ls-files", "--error-unmatch", "--", word});
    } catch (const Error&) {
      throw Error(
          fmt::format("{} has no {}, which the command needs and git does not track: commit "
                      "it, or make it there with --build-cmd",
                      base, word));
    }
    throw gate::NoSuchProgram(fmt::format("{} has no {}, which the command needs", base, word));
  }
}

/// Opens the base's program. Where its command fails there, says what can be done.
std::unique_ptr<gate::BenchProgram> opened_base(const gate::ProgramOptions& bench,
                                                const std::string& base) try {
  return gate::open_program(bench);
} catch (const Error& error) {
  if (bench.command.empty()) throw;
  throw Error(
      fmt::format("{}; it has to run in the base {}, too: prepare that folder with "
                  "--build-cmd, or name another --base",
                  error.what(), base));
}

BaseProgram built_base(const GateRequest& request, const gate::ProgramBuild& build) {
  const gate::BaseBuild base = gate::build_revision(build.repository, request.base, build.options);
  const std::filesystem::path place = base.programs.empty() ? base.source : base.programs.front();
  const gate::ProgramOptions bench = request.options.bench.of_base(place);
  const std::string name = gate::named_commit(request.base, base.commit);
  require_files_of_command(bench, build.repository, name);
  return {base.commit, base.seconds, opened_base(bench, name)};
}

/// Some row is identical work in both builds, so the switches that are off make no difference.
bool any_row_alike(const gate::BenchProgram& base, const gate::BenchProgram& now) {
  const auto before = base.code_identity().digests, after = now.code_identity().digests;
  return std::any_of(before.begin(), before.end(), [&](const auto& row) {
    const auto here = after.find(row.first);
    return here != after.end() && here->second == row.second;
  });
}

/// The base, built without the parts that the selected rows do not need, unless this changes rows.
BaseProgram base_for(const GateRequest& request, gate::ProgramBuild build,
                     const gate::BenchProgram& now) {
  const gate::Selection selection({now.list()}, request.options.run.selection);
  if (!request.options.bench.check_command.empty()) now.check("");  // before minutes of building
  gate::ProgramBuild sparing = build;
  sparing.options = gate::spared(build.repository, request.base, build.options, selection.rows());
  if (!sparing.options.off.empty()) {
    BaseProgram base = built_base(request, sparing);
    if (any_row_alike(*base.program, now)) return base;
    build.options.progress("no row of that build is identical work; building the revision in full");
  }
  return built_base(request, build);
}

/// Forty zeros: pipelines pass them as the previous commit of a new branch or a scheduled run.
bool names_no_commit(const std::string& revision) {
  return revision.size() == 40 && revision.find_first_not_of('0') == std::string::npos;
}

/// For a base that lacks the program: launches each row once, as new ones, and reports that nothing
/// was compared.
ExitCode gate_against_nothing(const GateRequest& request, const gate::Delivery& delivery,
                              const std::string& why) {
  const auto say = say_on(std::cerr, request.display.quiet);
  say("nothing is compared: " + why);
  const ScratchFolder none;
  gate::GateOptions options = request.options;
  options.baselines = none.path();
  options.run.launches = 1;
  gate::Outcome outcome = gate::run_gate(options, say);
  for (gate::RowReport& report : outcome.reports)
    if (report.verdict == gate::Verdict::uncompared) report.reason = why;
  outcome.nothing_to_compare = why;
  outcome.stale = options.bench.stale;
  outcome.circumstances.against = "base: " + request.base;
  return delivery.deliver(std::move(outcome), request.display, std::cout, std::cerr);
}

ExitCode gate_against_base(GateRequest& request, const gate::Delivery& delivery) {
  gate::GateOptions& options = request.options;
  if (names_no_commit(request.base))
    return gate_against_nothing(request, delivery,
                                "the pipeline gave no base revision (" +
                                    request.base.substr(0, 12) +
                                    "...), as on the first push of a branch");
  gate::ProgramBuild build = how_to_build({options.bench, options.build});
  build.options.progress = say_on(std::cerr, request.display.quiet);
  const auto now_program = gate::open_program(options.bench);
  BaseProgram found;
  try {
    found = base_for(request, build, *now_program);
  } catch (const gate::NoSuchProgram& error) {
    return gate_against_nothing(request, delivery, error.what());
  }
  const auto& [commit, build_s, before_program] = found;
  gate::PairGateOptions pair;
  pair.before = before_program.get();
  pair.now = now_program.get();
  pair.title = "base: " + gate::named_commit(request.base, commit);
  pair.build_s = build_s;
  pair.run = options.run;
  pair.run.seed = random_word();
  pair.pairs.stated = options.tolerances;
  pair.baselines = BaselineStore(options.baselines);
  pair.pairs.tolerances = gate::stated_tolerances(pair.baselines);
  pair.policy = options.policy;
  pair.by_time = options.by_time;
  pair.limits = options.limits;
  const gate::GateCall call{options.program,
                            options.bench.program,
                            now_program->abilities().tells_code,
                            commit.substr(0, 12),
                            options.baselines,
                            options.results,
                            gate::argument_words(options.bench.arguments),
                            true,
                            options.bench.command,
                            now_program->abilities().recordable,
                            options.profiles,
                            options.given};
  pair.commands = gate::gate_commands(call);
  gate::GateCall bisect_call = call;
  bisect_call.given["bisect"] += gate::metric_words(options.bench);
  const gate::BisectOffer bisect = gate::offer_bisect(bisect_call, build.repository, commit);
  if (!bisect.command.empty()) pair.commands["bisect"] = bisect.command;
  pair.no_bisect = bisect.why_not;
  pair.provenance = gate::provenance_of(now_program->path(), built_revision(now_program->path()));
  gate::add_base(pair.provenance, build.repository, request.base,
                 before_program->path().parent_path());
  gate::Outcome outcome = gate::run_pair_gate(pair, say_on(std::cerr, request.display.quiet));
  outcome.stale = options.bench.stale;
  return delivery.deliver(std::move(outcome), request.display, std::cout, std::cerr);
}

ExitCode merge_nodes(const GateRequest& request) {
  const gate::GateOptions& options = request.options;
  gate::MergeOptions merge;
  merge.folders = request.merge;
  merge.nodes = request.nodes;
  merge.filter = options.run.selection.filter;
  merge.tolerances = options.tolerances;
  merge.results = options.results;
  merge.history = request.history;
  merge.policy = options.policy;
  merge.display = request.display;
  return gate::run_merge(merge, std::cout, std::cerr);
}

ExitCode run_gate(GateRequest& request) {
  catch_interruption();
  settle_rows(request);
  request.display.colour = wants_colour(request.display.json ? STDERR_FILENO : STDOUT_FILENO);
  if (!request.merge.empty()) return merge_nodes(request);
  if (const auto& peaks = request.options.bench.peaks_file; !peaks.empty())
    peaks::read_peaks(peaks.string());  // a bad file must fail before measuring
  const gate::Delivery delivery(request.options.results, request.history, std::cerr);
  return gate::run_into(request.options.results, [&] {
    see_only(request.options.run.gpus);
    settle_program({request.options.bench, request.options.build});
    settle_metrics(request);
    if (!request.base.empty()) return gate_against_base(request, delivery);
    gate::Outcome outcome =
        gate::run_gate(request.options, say_on(std::cerr, request.display.quiet));
    outcome.stale = request.options.bench.stale;
    return delivery.deliver(std::move(outcome), request.display, std::cout, std::cerr);
  });
}

}  // namespace

void add_gate_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<GateRequest>();
  gate::GateOptions& options = request->options;
  options.bench.program = default_bench();
  CLI::App* command =
      app.add_subcommand("gate", "measure here, compare with a baseline or a revision, decide");
  command->add_option("ROWS", request->rows, filter_help);
  take_program_arguments(*command, options.bench.arguments);
  add_measuring_options(*command, options);
  add_comparison_options(*command, *request);
  add_policy_options(*command, options.policy);
  add_program_options(*command, {options.bench, options.build});
  add_command_options(*command, options.bench);
  add_fleet_options(*command, *request);
  add_result_options(*command, *request);
  command->footer(
      "Arguments after -- go to the program.\n"
      "Exit codes: 0 pass, 1 regression or limit exceeded, 2 a row failed, is missing, changed or "
      "unverified, or the harness failed, 3 with --strict: a row is undecided, new or has no "
      "baseline, 77 nothing can run here.\n"
      "Examples:\n"
      "  ratchet gate --bench build/my_bench --base main\n"
      "  ratchet gate --exec 'python3 bench.py' --base main\n"
      "  ratchet gate life/cuda --budget-s 120");
  command->callback([request, command, &exit_code] {
    const CLI::App& all = *command->get_parent();
    request->options.program = all.get_name();
    request->options.profiles =
        !all.get_subcommands([](const CLI::App* each) { return each->get_name() == "profile"; })
             .empty();
    for (const CLI::App* taking : all.get_subcommands([](const CLI::App*) { return true; }))
      request->options.given[taking->get_name()] = given_words(*command, *taking, shown_apart);
    refuse_contradictions(*command, *request);
    exit_code = static_cast<int>(run_gate(*request));
  });
}

}  // namespace ratchet
