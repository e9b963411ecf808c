// `ratchet accept`: results of a gate run become the baseline (perf/gate/baseline/accept.h).
#include "perf/gate/baseline/accept.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/gate/base/base_build.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

struct AcceptOptions {
  AcceptRequest request;
  std::filesystem::path from = "results/gate.json";
  std::filesystem::path baselines = "baselines";
  std::filesystem::path work_was, work_is;
  bool yes = false, json = false;
  nlohmann::json document = {{"format", 1}, {"written", false}, {"files", nlohmann::json::array()}};
};

bool confirmed() {
  if (!isatty(STDIN_FILENO))
    throw Error("nothing written: there is no terminal to confirm on; add --yes");
  hide_progress();
  std::cout << "Accept? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

ExitCode show_and_apply(const std::vector<FileChange>& changes, const std::string& left,
                        AcceptOptions& options) {
  options.document["files"] = to_json(changes);
  std::cout << describe(changes) << left;
  if (!options.yes && !confirmed()) {
    std::cout << "nothing written" << std::endl;
    return ExitCode::failed;
  }
  apply(changes);
  options.document["written"] = true;
  std::cout << "accepted: " << options.request.reason << std::endl;
  return ExitCode::pass;
}

/// A merged run has one ratio for each row, and no launches.
void refuse_merged(const std::filesystem::path& from) {
  const nlohmann::json whole = read_json(from);
  if (whole.is_object() && !whole.contains("context") && whole.contains("nodes") &&
      whole.contains("rows"))
    throw Error(from.string() +
                " is a merged run, which has no launches to store; accept the gate.json of one of "
                "its nodes (--from NODE/gate.json)");
}

ExitCode run_accept(AcceptOptions& options) {
  const bool renews = !options.work_was.empty();
  if (!renews && !std::filesystem::exists(options.from))
    throw Error(options.from.string() +
                " does not exist; `ratchet gate` writes it, --from names another");
  if (!renews) refuse_merged(options.from);
  const Measurements results = renews ? Measurements{} : read_measurements(options.from);
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json run = results.context.value("ratchet", none).value("run", none);
  const std::string mode = run.value("mode", "stored");
  if ((mode == "base" || mode == "compare") && !options.request.keeps_figures())
    throw Error(options.from.string() +
                " is of two builds side by side, whose short launches are no baseline; measure "
                "this one alone with `ratchet gate` and no --base, then accept");
  if (run.contains("interrupted"))
    throw Error(options.from.string() +
                " is of a run that was interrupted; repeat the run to its end, then accept it");
  // A later run may have failed before it had results.
  if (const auto began = utc_time(run.value("began", "")))
    std::cout << fmt::format("{}: the run that began {} {} UTC\n", options.from.string(),
                             began->substr(0, 10), began->substr(11, 8));
  // Held until the user answers, so that the files shown are the files replaced.
  const FolderLock lock(options.baselines, "accepting");
  const BaselineStore store(options.baselines);
  options.request.date = utc_now().substr(0, 19) + "Z";  // to the second
  if (renews) {
    const WorkRenewal renewal{read_listed_work(options.work_was), read_listed_work(options.work_is),
                              built_revision(own_executable())};
    return show_and_apply(plan_renewal(renewal, options.request, store), "", options);
  }
  options.request.allow_unverified |= unverified_was_allowed(results, store);
  const std::vector<FileChange> changes = plan_accept(results, options.request, store);
  std::string left;
  if (options.request.leave_unfit)
    for (const std::string& row : unfit_rows(results, options.request, store))
      left += "  not accepted: " + row + "\n";
  if (changes.empty()) {
    std::cout << left << "nothing to accept: "
              << (left.empty()
                      ? "all rows that ran are identical work to their baseline; --occasion "
                        "adds these launches as a further occasion, on another day than "
                        "the last one"
                      : "no other row that ran differs from its baseline; measure again, "
                        "or name the rows to accept")
              << std::endl;
    return ExitCode::pass;
  }
  if (changes_nothing(changes)) {
    std::size_t rows = 0;
    for (const FileChange& change : changes) rows += change.rows.size();
    std::cout << left
              << fmt::format("nothing to accept: the baseline already holds {} of {}{}",
                             options.request.tolerance         ? "this tolerance"
                             : options.request.keeps_figures() ? "this limit"
                                                               : "these launches",
                             changes.front().rows.front().name,
                             rows > 1 ? fmt::format(" and of {} more", rows - 1) : "")
              << std::endl;
    return ExitCode::pass;
  }
  return show_and_apply(changes, left + slower_line(results, changes), options);
}

}  // namespace

namespace {

void add_row_options(CLI::App& command, AcceptOptions& options) {
  AcceptRequest& request = options.request;
  command.add_option("ROWS", request.rows, std::string(filter_help) + "; default: all rows");
  begin_options(command, "What is written");
  command.add_option("--reason", request.reason, "why the baseline changes (required)");
  command.add_option("--from", options.from, "results of a gate run")
      ->option_text("FILE")
      ->capture_default_str();
  command.add_option("--baseline-dir", options.baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  command
      .add_option("--machine", request.machine,
                  "folder in --baseline-dir; default: the one of this machine's fingerprint")
      ->option_text("NAME")
      ->check([](const std::string& name) {
        return slug(name) == name ? std::string()
                                  : "write the name in small letters, digits and dashes";
      });
  command
      .add_option("--tolerance", request.tolerance,
                  "set the tolerance of ROWS (0.03 is 3 %), and change nothing else")
      ->option_text("SHARE")
      ->check(CLI::Range(0.0001, 0.9999));
  command
      .add_option_function<std::vector<std::string>>(
          "--limit",
          [&request](const std::vector<std::string>& words) {
            for (const std::string& word : words) request.limits.push_back(gate::read_limit(word));
          },
          "store an absolute limit, 'BM_dot<5us' or 'Parse/size<5MB', which every gate of these "
          "baselines judges; change nothing else. It replaces one of the same direction; "
          "repeatable")
      ->option_text("ROWS<VALUE")
      ->excludes("--tolerance")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--no-limit", request.no_limits, "remove the stored limits of these rows")
      ->option_text("ROWS")
      ->excludes("--tolerance")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag(
      "--occasion", request.occasion,
      "add rows of identical work as a further occasion, a day, of measurement: the gate then "
      "knows how much the days of this machine differ");
  command.add_flag("-y,--yes", options.yes, "do not ask");
  add_json_option(command, options.json);
}

void add_exceptions(CLI::App& command, AcceptOptions& options) {
  AcceptRequest& request = options.request;
  begin_options(command, "Rows that are refused otherwise");
  command.add_flag("--leave-unfit", request.leave_unfit,
                   "accept the other rows; keep the baseline of undecided, failed and unverified "
                   "rows");
  command.add_flag("--contended", request.contended,
                   "accept launches during which other processes used the CPU");
  command.add_flag("--allow-unverified", request.allow_unverified,
                   "accept rows whose results no test checks, now and in later runs");
  command.add_flag("--unchecked", request.unchecked, "accept rows without an in-situ check");
  command.add_flag("--uncommitted", request.uncommitted,
                   "accept a build that no commit describes, and that later runs cannot rebuild");
}

/// For a change that moves digests and no figure.
void add_digest_options(CLI::App& command, AcceptOptions& options) {
  begin_options(command, "Renew the digests of the code of all machines, and keep the figures");
  auto* const was =
      command
          .add_option("--work-was", options.work_was,
                      "output of `ratchet-bench --ratchet_list_work` of the previous build")
          ->option_text("FILE");
  auto* const is = command.add_option("--work-is", options.work_is, "the same of this build")
                       ->option_text("FILE");
  was->needs(is);
  is->needs(was);
}

}  // namespace

void add_accept_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<AcceptOptions>();
  CLI::App* command =
      app.add_subcommand("accept", "show how results of a gate run differ; make them the baseline");
  add_row_options(*command, *options);
  add_exceptions(*command, *options);
  add_digest_options(*command, *options);
  command->footer(
      "Exit codes: 0 accepted, or there is nothing to accept; 2 refused, and nothing written.\n"
      "Example:\n"
      "  ratchet accept life/cpu/05_simd --reason \"AVX-512 is slower here\"");
  command->callback([options, &exit_code] {
    exit_code = static_cast<int>(run_accept(*options));
    if (options->json) print_document(options->document, 4);
  });
}

}  // namespace ratchet
