// `ratchet explain`: what differs in what a row executes, here and in another revision, and which
// of its functions take longer (perf/guide/bisect.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "perf/cli/commands.h"
#include "perf/cli/explain_recording.h"
#include "perf/cli/help.h"
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
#include "perf/output/page/page.h"
#include "perf/support/git.h"
#include "perf/support/interruption.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

struct ExplainRequest {
  std::string tool_name;  ///< this program, as it was called
  RowId row;
  std::string base;
  gate::ProgramOptions bench;
  gate::BaseBuildOptions build;
  fs::path baselines = "baselines";
  std::size_t lines = 200;  ///< of listings; 0: all
  bool count = true;        ///< executed instructions and counters, too
  bool record = false;      ///< by a profiler, too; always of third-party programs
  std::optional<gate::Profiler> tool;
  std::string why_tool;          ///< why it is not perf; may be empty
  fs::path results = "results";  ///< of profile.json and the report
  bool json = false;
  std::string given_to_bisect;  ///< given_words()
};

/// What the baseline of this machine was measured with, if that can be known; else HEAD.
std::string revision_of_baseline(const ExplainRequest& request, std::string& why) {
  const BaselineStore store(request.baselines);
  Measurements here;
  const bool own = gate::knows_ratchet(request.bench.program);
  for (const auto& [key, value] : own ? fingerprint_fields() : machine_fields())
    here.context[key] = value;
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
std::string one_row(const ExplainRequest& request, const gate::BenchProgram& program) {
  const gate::Listing listing = program.list();
  std::set<RowId> rows(listing.rows.begin(), listing.rows.end());
  for (const auto& [stage, reason] : listing.unavailable) rows.insert(stage);
  if (rows.contains(request.row)) return request.row;
  const std::set<RowId> selected = select_rows(rows, request.row);
  if (selected.size() == 1) return *selected.begin();
  const std::string list = request.bench.program.string() + " " + listing.list_flag;
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
  call.program = request.tool_name;
  call.bench = request.bench.program;
  call.baselines = request.baselines;
  call.given["bisect"] = request.given_to_bisect;
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

/// What is printed as JSON: `differences` of the code, if the program shows it, and the profile, if
/// it was recorded.
struct Explained {
  std::optional<std::vector<std::string>> differences;
  nlohmann::json profile;
};

std::string against_text(const ExplainRequest& request, const gate::BaseBuild& base,
                         const std::string& why) {
  return fmt::format("{}: {:.12} ({}) against this build\n", request.row, base.commit, why);
}

/// The code of the row, and how it differs: of programs made with ratchet_add_bench.
void show_code(const ExplainRequest& request, const gate::BaseBuild& base, const std::string& why,
               Explained& explained) {
  explain::Comparison comparison(base.programs.front(), request.bench.program);
  explained.differences = comparison.differences(request.row);
  std::cout << against_text(request, base, why);
  if (explained.differences->empty())
    std::cout << "Identical work: both builds execute the same code.\n";
  for (const std::string& line : *explained.differences) std::cout << "* " << line << "\n";
  if (!explained.differences->empty()) print_listings(comparison, request);
}

/// Instructions are counted by the command line, which has ratchet's own stages. That of the other
/// revision is built when it is asked for.
void count_instructions(const ExplainRequest& request, const gate::ProgramBuild& how,
                        const std::string& commit) try {
  gate::BaseBuildOptions options =
      gate::spared(how.repository, request.base, how.options, {request.row});
  options.programs = {"perf/ratchet-bench", "perf/ratchet"};
  const gate::BaseBuild both = gate::build_revision(how.repository, commit, options);
  for (const std::string& line :
       explain::counted_differences({both.programs.back(), both.programs.front()},
                                    {own_executable(), request.bench.program}, request.row.stage()))
    std::cout << line << "\n";
} catch (const Error& error) {
  std::cout << "instructions were not counted: " << error.what() << "\n";
}

/// The report of the gate that found the slowdown is made anew, with the profile in it.
bool leave_report(const ExplainRequest& request) {
  const char* history = std::getenv("RATCHET_HISTORY");
  return report::leave_report(
      request.results,
      [&] {
        return report::report_sections({{request.results}, history ? history : ""});
      },
      false, std::cout);
}

ExitCode record(const ExplainRequest& request, const gate::BaseBuild& base, const std::string& why,
                Explained& explained) {
  nlohmann::json profiles = other_profiles(request.results, request.row);
  const gate::TwoProfiles recorded =
      record_both({request.row, request.bench, base.programs.front(), base.commit, why,
                   request.tool.value(), request.why_tool});
  explained.profile = to_json(recorded);
  if (explained.differences) std::cout << "\n";
  std::cout << profile_text(recorded);
  profiles.push_back(explained.profile);
  keep_profiles(request.results, profiles);
  return leave_report(request) ? ExitCode::pass : after_loss(ExitCode::pass);
}

/// As the gate knows it: by the whole program, or by what the row reaches.
bool executes_the_same(const gate::BenchProgram& before, const gate::BenchProgram& now,
                       const RowId& row) {
  const auto equal = [&](const auto& one, const auto& other) {
    const auto a = one.find(row), b = other.find(row);
    return a != one.end() && b != other.end() && a->second == b->second;
  };
  if (equal(before.code_identity().digests, now.code_identity().digests)) return true;
  const std::vector<RowId> then = before.list().rows;
  if (std::find(then.begin(), then.end(), row) == then.end()) return false;
  const auto quietly = [](const std::string&) {};  // a row that cannot be followed is recorded
  return equal(before.row_digests({row}, quietly), now.row_digests({row}, quietly));
}

/// A file that was changed after this build was made, and so is not in it; empty: none is known.
/// What ratchet itself writes, baselines and results, is no source.
std::string unbuilt_change(const ExplainRequest& request, const fs::path& repository) {
  const fs::path& program = request.bench.program;
  const std::string changed = first_change(repository, {request.baselines, request.results});
  std::error_code error;
  const auto then = fs::last_write_time(program, error);
  if (changed.empty() || error) return "";
  const auto now = fs::last_write_time(top_of(repository) / changed, error);
  return !error && now > then ? changed : "";
}

std::string identical_text(const ExplainRequest& request, const fs::path& repository) {
  const std::string changed = unbuilt_change(request, repository);
  return "Identical work: both builds execute the same code for this row. A difference of its time "
         "is layout or noise; --record records both all the same.\n" +
         (changed.empty()
              ? ""
              : fmt::format("{} was changed after {} was built: if the program reads it, "
                            "build it, and repeat.\n",
                            changed, request.bench.program.string()));
}

ExitCode explain_row(ExplainRequest request) {
  const bool asked_to_record = request.record || request.tool;
  settle_program({request.bench, request.build});
  const bool own =
      request.bench.program == default_bench() || gate::knows_ratchet(request.bench.program);
  request.record |= !own;
  const std::unique_ptr<gate::BenchProgram> program = gate::open_program(request.bench);
  if (!own && !gate::is_machine_code(request.bench.program))
    throw Error(fmt::format("explain records programs that a compiler made, and {} is a script{}",
                            request.bench.program.string(), bisect_instead(request)));
  request.row = one_row(request, *program);
  if (request.record) {
    const bool kernels = require_recordable(*program, request.row, request.tool);
    request.tool = gate::choose_profiler(request.tool, kernels, request.why_tool);
    other_profiles(request.results, request.row);  // a damaged file is refused before any build
  }
  std::string why = "--base";
  if (request.base.empty()) request.base = revision_of_baseline(request, why);
  gate::ProgramBuild how = how_to_build({request.bench, request.build});
  how.options.progress = say_on(std::cerr, false);
  const gate::BaseBuildOptions options =
      own ? gate::spared(how.repository, request.base, how.options, {request.row}) : how.options;
  const gate::BaseBuild base = gate::build_revision(how.repository, request.base, options);
  Explained explained;
  if (own) show_code(request, base, why, explained);
  if (own && request.count && !explained.differences->empty() &&
      request.bench.program == default_bench())
    count_instructions(request, how, base.commit);
  ExitCode code = ExitCode::pass;
  if (!own && !asked_to_record &&
      executes_the_same(*gate::open_program(request.bench.of_base(base.programs.front())), *program,
                        request.row)) {
    explained.differences.emplace();
    std::cout << against_text(request, base, why) << identical_text(request, how.repository);
  } else if (request.record) {
    code = record(request, base, why, explained);
  }
  if (request.json) {
    nlohmann::json document = {{"format", 1}, {"row", request.row.text()}, {"base", base.commit}};
    if (explained.differences) document["differences"] = *explained.differences;
    if (!explained.profile.is_null()) document["profile"] = explained.profile;
    print_document(document, 4);
  }
  return code;
}

/// What has no effect on these rows.
void refuse_idle_options(const CLI::App& command, const ExplainRequest& request) {
  const bool own =
      request.bench.program == default_bench() || gate::knows_ratchet(request.bench.program);
  for (const char* option : {"--lines", "--no-count"})  // --record says what is done anyway
    if (!own && command.get_option(option)->count() > 0)
      throw Error(
          fmt::format("{} has no effect: of {}, which was not made with ratchet_add_bench, "
                      "both builds are recorded; leave it out",
                      option, request.bench.program.string()));
  if (own) refuse_idle_without(command, {{"--record", {"--tool", "--results"}}});
  if (own && !request.bench.arguments.empty())
    throw Error("a program of ratchet takes no arguments after --; leave them out");
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<ExplainRequest>();
  request->bench.program = default_bench();
  CLI::App* command =
      app.add_subcommand("explain", "show what changed in a row's code, and what takes longer");
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
  command->add_option("--baseline-dir", request->baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  add_json_option(*command, request->json);
  begin_options(*command, "Recording");
  command->add_flag(
      "--record", request->record,
      "record both builds by a profiler, too: the functions that take longer. Of a "
      "program that was not made with ratchet_add_bench this is all that explain does");
  command
      ->add_option_function<std::string>(
          "--tool",
          [request](const std::string& word) {
            request->tool = word == "perf"  ? gate::Profiler::perf
                            : word == "ncu" ? gate::Profiler::ncu
                                            : gate::Profiler::callgrind;
          },
          "perf (samples of time), callgrind (counts instructions) or ncu (CUDA kernels); default: "
          "ncu for a GPU, else perf where it is allowed, else callgrind")
      ->option_text("TOOL")
      ->check(CLI::IsMember({"perf", "callgrind", "ncu"}));
  command->add_option("--results", request->results, "folder for profile.json and the report")
      ->option_text("DIR")
      ->capture_default_str();
  add_program_options(*command, {request->bench, request->build});
  command
      ->add_option_function<std::string>(
          "--exec",
          [](const std::string&) {
            throw Error(
                "explain shows machine code and functions, which ratchet does not know of a "
                "command; name the program that it runs: --bench FILE");
          })
      ->group("");  // known so that it is refused in these words
  take_program_arguments(*command, request->bench.arguments);
  command->footer(
      "Arguments after -- go to the program.\n"
      "Exit codes: 0 the differences are shown, 2 there is no such row, the revision does not "
      "build, or a disassembler or profiler is missing.\n"
      "Examples:\n"
      "  ratchet explain life/cpu/05_simd --base HEAD~1\n"
      "  ratchet explain my_bench/Parse --bench build/my_bench --base main");
  command->callback([request, command, &exit_code] {
    request->tool_name = command->get_parent()->get_name();
    refuse_idle(*command, {{"--build-cmd", {"--build-dir", "--target", "--configure"}}});
    for (const char* option : {"--clock", "--check-cmd"})
      if (command->get_option(option)->count() > 0)
        throw Error(std::string(option) +
                    " has no effect on explain, which judges nothing; leave it out");
    refuse_idle_options(*command, *request);
    request->given_to_bisect =
        given_words(*command, *command->get_parent()->get_subcommand("bisect"),
                    {{"", {"--bench", "--base", "--baseline-dir", "--json"}}});
    catch_interruption();
    try {
      exit_code = static_cast<int>(explain_row(*request));
    } catch (const Interrupted&) {
      std::cerr << fmt::format(
          "ratchet: interrupted by {}: nothing new was recorded; a build that was finished is "
          "kept; the same command starts anew\n",
          name_of_interruption());
      exit_code = static_cast<int>(after_interruption(interruption()));
    }
  });
}

}  // namespace ratchet
