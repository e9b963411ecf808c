// `ratchet doctor`: what on this machine hurts measurement, and how to fix it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "perf/cli/commands.h"
#include "perf/measure/doctor/checks.h"
#include "perf/measure/doctor/noise.h"
#include "perf/measure/workloads/control_workload.h"
#include "perf/support/error.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet {
namespace {

struct Options {
  bool json = false;
  double seconds = 3;
  std::string root = "/";
};

using doctor::Diagnosis;

void append(std::vector<Diagnosis>& all, std::vector<Diagnosis> some) {
  for (Diagnosis& each : some) all.push_back(std::move(each));
}

std::vector<Diagnosis> examine(const Options& options) {
  const doctor::SystemFiles files(options.root);
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::vector<Diagnosis> all = doctor::check_cpus(files);
  append(all, doctor::check_system(files));  // before this program is a load itself
  const doctor::Snapshot before = doctor::snapshot(files, ticks, getpid());
  timing::ControlWorkload workload;
  const auto pass = [&] { return workload.time(); };
  pass();  // the first one pays for pages and clocks
  const doctor::Noise noise = doctor::measure_noise(pass, timing::real_clock(), options.seconds);
  append(all, doctor::check_neighbours(before, doctor::snapshot(files, ticks, getpid())));
  append(all, doctor::check_gpus(doctor::read_gpus(), files));
  append(all, doctor::check_noise(noise));
  return all;
}

ExitCode run_doctor(const Options& options) {
  const std::vector<Diagnosis> diagnoses = examine(options);
  if (options.json) {
    std::cout << doctor::to_json(diagnoses).dump(2, ' ', false,
                                                 nlohmann::json::error_handler_t::replace)
              << "\n";
  } else {
    std::cout << doctor::to_table(diagnoses);
  }
  return ExitCode::pass;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("doctor", "find what disturbs measurements here, and how to fix it");
  command->add_flag("--json", options->json, "print the diagnoses as JSON");
  command->add_option("--seconds", options->seconds, "how long to measure the noise")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  command->add_option("--root", options->root, "Read /proc and /sys below this folder")
      ->check(CLI::ExistingDirectory)
      ->group("");  // for tests
  command->footer(
      "Exit codes: 0 the table is printed, 2 it cannot be written.\n"
      "Example:\n"
      "  ratchet doctor --seconds 10");
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_doctor(*options)); });
}

}  // namespace ratchet
