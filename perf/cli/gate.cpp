#include "perf/cli/gate.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "perf/gate/gate.h"

namespace ratchet {
namespace {

/// The benchmark program that was built with this one lies beside it.
std::filesystem::path default_bench() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "ratchet-bench" : self.parent_path() / "ratchet-bench";
}

void add_measuring_options(CLI::App& command, gate::GateOptions& options) {
  gate::SessionOptions& session = options.session;
  command.add_option("--filter", session.filter,
                     "rows to run: the name of a row or stage, or a regular expression");
  command.add_option("--backend", session.backend, "only rows of this backend")
      ->check(CLI::IsMember({"cpu", "cuda", "opencl", "hybrid"}));
  command
      .add_option("--launches", session.launches,
                  "process launches a row before the first look; undecided rows get more")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--budget-s", session.budget_s, "wall time for the whole run, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--launch-limit-s", options.worker.launch_limit_s,
                  "a launch that takes longer is killed and its row failed, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--check-limit-s", options.worker.check_limit_s,
                  "the same for the check of a stage, seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
}

}  // namespace

void add_gate_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<gate::GateOptions>();
  options->worker.program = default_bench();
  CLI::App* command = app.add_subcommand(
      "gate", "measure here, compare with the stored baseline, print the verdict");
  add_measuring_options(*command, *options);
  command->add_flag("--strict", options->strict, "exit 3 where there is nothing to compare with");
  command->add_option("--bench", options->worker.program, "the Google Benchmark program to run")
      ->capture_default_str();
  command->add_option("--baseline-dir", options->baselines, "the stored baselines")
      ->capture_default_str();
  command->add_option("--results", options->results, "folder for gate.json, summary.md, junit.xml and the rest")
      ->capture_default_str();
  command->add_option("--limits", options->worker.limits_file,
                      "output of `ratchet limits --json`, for the share of the limit");
  command->footer(
      "Exit codes: 0 pass, 1 regression, 2 a row failed, is missing, new or unverified, or the "
      "harness "
      "failed, 3 undecided (with --strict also: nothing to compare with), 77 nothing could run "
      "here.");
  command->callback([options, command, &exit_code] {
    options->program = command->get_parent()->get_name();
    exit_code = static_cast<int>(gate::run_gate(*options, std::cout, std::cerr));
  });
}

}  // namespace ratchet
