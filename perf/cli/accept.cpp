// `ratchet accept`: results of a gate run become the baseline (perf/gate/baseline/accept.h).
#include "perf/gate/baseline/accept.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "perf/cli/commands.h"
#include "perf/gate/base/base_build.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

struct AcceptOptions {
  AcceptRequest request;
  std::filesystem::path from = "results/gate.json";
  std::filesystem::path baselines = "baselines";
  std::filesystem::path work_was, work_is;
  bool yes = false;
};

bool confirmed() {
  if (!isatty(STDIN_FILENO))
    throw Error("nothing written: add --yes to accept where nobody can be asked");
  std::cout << "Accept? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

ExitCode show_and_apply(const std::vector<FileChange>& changes, const std::string& left,
                        const AcceptOptions& options) {
  std::cout << describe(changes) << left;
  if (!options.yes && !confirmed()) {
    std::cout << "nothing written" << std::endl;
    return ExitCode::failed;
  }
  apply(changes);
  std::cout << "accepted: " << options.request.reason << std::endl;
  return ExitCode::pass;
}

ExitCode run_accept(AcceptOptions& options) {
  const bool renews = !options.work_was.empty();
  const Measurements results = renews ? Measurements{} : read_measurements(options.from);
  // Held while the user thinks: what was shown is what will be written over.
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
  if (changes.empty()) {
    std::cout << "nothing to accept: what ran executes what its baseline executed" << std::endl;
    return ExitCode::pass;
  }
  std::string left;
  if (options.request.leave_unfit)
    for (const std::string& row : unfit_rows(results, options.request))
      left += "  left as it is: " + row + "\n";
  return show_and_apply(changes, left, options);
}

}  // namespace

void add_accept_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<AcceptOptions>();
  CLI::App* command = app.add_subcommand(
      "accept", "make results of a gate run the baseline, after showing the diff");
  command->add_option("filters", options->request.rows,
                      std::string(filter_help) + "; none: all rows measured");
  command->add_option("--reason", options->request.reason, "why the baseline moves (required)");
  command->add_option("--tolerance", options->request.tolerance,
                      "give the rows named this tolerance (0.03 is 3 %), and change nothing else");
  command->add_option("--from", options->from, "results of a gate run")->capture_default_str();
  command->add_option("--baseline-dir", options->baselines, "the stored baselines")
      ->capture_default_str();
  command
      ->add_option("--machine", options->request.machine,
                   "folder to write to, instead of the one the fingerprint leads to")
      ->check([](const std::string& name) {
        return slug(name) == name ? std::string()
                                  : "a machine is named by small letters, digits and dashes";
      });
  command->add_flag("--occasion", options->request.occasion,
                    "add rows that execute what their baselines executed as a further session, "
                    "which tells how far occasions of this machine lie apart");
  command->add_flag("--leave-unfit", options->request.leave_unfit,
                    "leave rows that are undecided, failed or unverified as they are, and accept "
                    "the others; none at all where all executes what its baseline executed");
  command->add_flag("--contended", options->request.contended,
                    "accept launches during which others held the CPU, too");
  command->add_flag("--allow-unverified", options->request.allow_unverified,
                    "accept rows that nobody checks, too; the baseline says so, and takes them "
                    "from then on");
  command->add_flag("--unchecked", options->request.unchecked,
                    "accept rows that nobody judged at the very point that was timed, too");
  command->add_flag("--uncommitted", options->request.uncommitted,
                    "accept rows of a build that no commit describes (\"...-dirty\", \"unknown\"), "
                    "too: nothing can be measured beside it later");
  auto* const was = command->add_option(
      "--work-was", options->work_was,
      "with --work-is, what `ratchet-bench --ratchet_list_work` printed of another build and of "
      "this one: stored rows of all machines whose digest is of the former get the latter's and "
      "keep their figures; for a change that digests take in and no clock sees");
  auto* const is = command->add_option("--work-is", options->work_is, "see --work-was");
  was->needs(is);
  is->needs(was);
  command->add_flag("--yes,-y", options->yes, "do not ask");
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_accept(*options)); });
}

}  // namespace ratchet
