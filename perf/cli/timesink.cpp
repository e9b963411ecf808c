// `ratchet timesink`: where the time of a short CUDA program goes
// (perf/timing/time_sink/time_sink.h).
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/stage.h"
#include "kernels/support/error.h"
#include "perf/cli/commands.h"
#include "perf/timing/time_sink/time_sink.h"

namespace ratchet {
namespace {

struct TimeSinkOptions {
  std::string stage;
  std::vector<std::string> parameters;
  std::string first = "cudaFree";
  bool json = false;
};

/// The stage asked for, or the first CUDA stage: the start-up is the same for all.
const Stage& chosen(const std::string& filter) {
  if (filter.empty()) {
    for (const Stage* stage : registry())
      if (stage->info().backend == Backend::cuda && !stage->info().as_printed) return *stage;
    throw Error("this build has no CUDA stages", ExitCode::nothing_ran);
  }
  return one_stage(filter);
}

/// This command is a process of its own that has not touched CUDA yet: exactly what must be
/// measured.
ExitCode run_timesink(const TimeSinkOptions& options) {
  const Stage& stage = chosen(options.stage);
  Parameters parameters = stage.defaults();
  set_given(parameters, options.parameters, stage.info().name);
  timing::TimeSink sink = timing::measure_time_sink(stage, parameters, options.first);
  // As a row is named: what is not at its default.
  for (const Parameter& each : parameters.all())
    if (each.value != stage.defaults().at(each.name))
      sink.stage += "/" + each.name + ":" + std::to_string(each.value);
  std::cout << (options.json ? timing::to_json(sink) : timing::to_markdown(sink));
  return ExitCode::pass;
}

}  // namespace

void add_timesink_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TimeSinkOptions>();
  CLI::App* command = app.add_subcommand(
      "timesink", "Show where the time of a short CUDA program goes: start-up, calls, kernels");
  command->add_option("stage", options->stage, "A CUDA stage (default: the first)");
  command->add_option("parameters", options->parameters, "name=value, of the stage");
  command
      ->add_option("--first", options->first,
                   "The call that goes first and pays for starting the runtime")
      ->check(CLI::IsMember(timing::first_calls()))
      ->capture_default_str();
  command->add_flag("--json", options->json, "For the tables");
  command->callback(
      [options, &exit_code] { exit_code = static_cast<int>(run_timesink(*options)); });
}

}  // namespace ratchet
