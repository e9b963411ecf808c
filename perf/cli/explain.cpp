// `ratchet explain`: what differs in what a row executes, here and in another revision
// (perf/guide/bisect.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "perf/cli/commands.h"
#include "perf/cli/program_options.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/store.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/run/bench_program.h"
#include "perf/gate/run/run_options.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/explain/comparison.h"
#include "perf/identity/explain/kernel_difference.h"
#include "perf/support/git.h"
#include "perf/support/process.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

struct ExplainRequest {
  std::string tool;  ///< this program, as it was called
  RowId row;
  std::string base;
  gate::ProgramOptions bench;
  gate::BaseBuildOptions build;
  fs::path baselines = "baselines";
  std::size_t lines = 200;  ///< of listings; 0: all
  bool count = true;        ///< executed instructions and counters, too
};

/// What the baseline of this machine was measured with, if that can be known; else HEAD.
std::string revision_of_baseline(const ExplainRequest& request, std::string& why) {
  const BaselineStore store(request.baselines);
  Measurements here;
  for (const auto& [key, value] : fingerprint_fields()) here.context[key] = value;
  const StoredFile* file = store.find(request.row, here.fingerprint());
  why = "HEAD: no baseline of this machine has the row";
  if (!file || !file->content.rows.contains(request.row)) return "HEAD";
  std::string revision = revision_of_row(file->content, request.row);
  const std::string dirty = "-dirty";
  why = "the revision of this machine's baseline";
  if (revision.ends_with(dirty)) {
    revision.erase(revision.size() - dirty.size());
    why += ", without its uncommitted changes";
  }
  if (revision != "unknown") return revision;
  why = "HEAD: the baseline does not state its revision";
  return "HEAD";
}

/// The one row that is meant: the stage's own where a stage is named.
std::string one_row(const ExplainRequest& request) {
  const gate::Listing listing = gate::RatchetProgram(request.bench).list();
  std::set<RowId> rows(listing.rows.begin(), listing.rows.end());
  for (const auto& [stage, reason] : listing.unavailable) rows.insert(stage);
  if (rows.contains(request.row)) return request.row;
  const std::set<RowId> selected = select_rows(rows, request.row);
  if (selected.size() == 1) return *selected.begin();
  const std::string list = request.bench.program.string() + " --benchmark_list_tests";
  if (selected.empty())
    throw Error(fmt::format("'{}' selects no row; `{}` lists the rows{}", request.row, list,
                            did_you_mean_row(request.row, rows)));
  throw Error(fmt::format("'{}' selects {} rows; name one, for instance {} (`{}` lists them)",
                          request.row, selected.size(), *selected.begin(), list));
}

/// The user asked for the listings, so a missing tool is an error, not a skip.
std::vector<std::string> listings(explain::Comparison& comparison, const RowId& row) try {
  return comparison.listings(row);
} catch (const counters::NoMetrics& missing) {
  throw Error(missing.what());
}

void print_listings(explain::Comparison& comparison, const ExplainRequest& request) {
  const std::vector<std::string> lines = listings(comparison, request.row);
  const std::size_t shown =
      request.lines == 0 ? lines.size() : std::min(request.lines, lines.size());
  if (shown > 0) std::cout << "\n";
  for (std::size_t i = 0; i < shown; ++i) std::cout << lines[i] << "\n";
  if (shown < lines.size())
    std::cout << fmt::format("{} more lines: --lines 0 shows all\n", lines.size() - shown);
}

/// "; where its code differs, `ratchet bisect ...` finds the commit": where the command runs as it
/// is printed. To know whether it differs needs a build, which a refusal is not worth.
std::string bisect_instead(ExplainRequest request) try {
  settle_program({request.bench, request.build});
  const std::vector<RowId> all = gate::open_program(request.bench)->list().rows;
  const std::set<RowId> listed(all.begin(), all.end());
  const std::set<RowId> rows = select_rows(listed, request.row);
  if (rows.size() != 1) return "";
  request.row = *rows.begin();
  std::string why;
  const std::string good = request.base.empty() ? revision_of_baseline(request, why) : request.base;
  gate::GateCall call;
  call.program = request.tool;
  call.bench = request.bench.program;
  call.baselines = request.baselines;
  call.build = gate::build_words(request.bench, request.build);
  const fs::path repository = how_to_build({request.bench, request.build}).repository;
  const std::string command =
      gate::offer_bisect(call, repository, resolve_revision(repository, good)).command;
  if (command.empty()) return "";
  return fmt::format(
      "; where the row executes other code than then, `{}` finds the commit that changed its speed",
      gate::command_for(command, request.row));
} catch (const Error&) {
  return "";
}

/// What other programs execute is known as a whole, not row by row.
void refuse_other_programs(const ExplainRequest& request) {
  const fs::path& program = request.bench.program;
  if (program == default_bench() || gate::knows_ratchet(program)) return;
  throw Error(
      fmt::format("explain shows the code of programs made with ratchet_add_bench, and {} is not "
                  "one{}",
                  program.string(), bisect_instead(request)));
}

ExitCode explain_row(ExplainRequest request) {
  refuse_other_programs(request);
  settle_program({request.bench, request.build});
  request.row = one_row(request);
  std::string why = "--base";
  if (request.base.empty()) request.base = revision_of_baseline(request, why);
  gate::ProgramBuild how = how_to_build({request.bench, request.build});
  how.options.progress = say_on(std::cerr, false);
  gate::BaseBuildOptions options =
      gate::spared(how.repository, request.base, how.options, {request.row});
  const gate::BaseBuild base = gate::build_revision(how.repository, request.base, options);
  explain::Comparison comparison(base.programs.front(), request.bench.program);
  const std::vector<std::string> differences = comparison.differences(request.row);
  std::cout << fmt::format("{}: {:.12} ({}) against this build\n", request.row, base.commit, why);
  if (differences.empty()) std::cout << "Identical work: both builds execute the same code.\n";
  for (const std::string& line : differences) std::cout << "* " << line << "\n";
  if (differences.empty()) return ExitCode::pass;
  print_listings(comparison, request);
  // Instructions are counted by the command line, which has ratchet's own stages.
  if (!request.count || request.bench.program != default_bench()) return ExitCode::pass;
  try {  // what counts is the command line of the other revision, which is built when it is asked
         // for
    options.programs = {"perf/ratchet-bench", "perf/ratchet"};
    const gate::BaseBuild both = gate::build_revision(how.repository, base.commit, options);
    for (const std::string& line : explain::counted_differences(
             {both.programs.back(), both.programs.front()},
             {own_executable(), request.bench.program}, request.row.stage()))
      std::cout << line << "\n";
  } catch (const Error& error) {
    std::cout << "instructions were not counted: " << error.what() << "\n";
  }
  return ExitCode::pass;
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<ExplainRequest>();
  request->bench.program = default_bench();
  CLI::App* command =
      app.add_subcommand("explain", "show what changed in the code that a row executes");
  command->add_option("ROW", request->row, "a row, or a regular expression that selects one")
      ->required();
  command
      ->add_option("--base", request->base,
                   "git revision to compare with, built like this build and kept in results/base "
                   "of the repository; default: the one of this machine's baseline, else HEAD")
      ->option_text("REV");
  command->add_option("--lines", request->lines, "lines of disassembly at most; 0 shows all")
      ->option_text("N")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_flag("!--no-count", request->count,
                    "do not run the row to count instructions or read GPU counters");
  command
      ->add_option("--bench", request->bench.program,
                   "a program made with ratchet_add_bench (default ratchet-bench)")
      ->option_text("FILE");
  command
      ->add_option("--build-dir", request->build.like,
                   "CMake build folder with the options to use; default: the program's own")
      ->option_text("DIR");
  command->add_option("--baseline-dir", request->baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  command->footer(
      "Exit codes: 0 the differences are shown, 2 there is no such row, the revision does not "
      "build, or a disassembler is missing.\n"
      "Example:\n"
      "  ratchet explain life/cpu/05_simd --base HEAD~1");
  command->callback([request, command, &exit_code] {
    request->tool = command->get_parent()->get_name();
    exit_code = static_cast<int>(explain_row(*request));
  });
}

}  // namespace ratchet
