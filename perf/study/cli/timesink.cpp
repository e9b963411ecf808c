// `ratchet timesink`: where the time of a short CUDA program goes
// (perf/study/time_sink/time_sink.h).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/baseline/accept.h"
#include "perf/identity/build/build_options.h"
#include "perf/stats/quantile.h"
#include "perf/study/cli/commands.h"
#include "perf/study/time_sink/time_sink.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

struct TimeSinkOptions {
  std::string stage;
  std::vector<std::string> parameters;
  std::string first = "cudaFree";
  std::string store;
  bool json = false;
  bool uncommitted = false;
  bool unobserved = false;
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

/// The command that has this program run the stage once, unobserved.
std::vector<std::string> unobserved_command(const std::string& stage,
                                            const TimeSinkOptions& options) {
  std::vector<std::string> command = {
      own_executable().string(), "timesink", "--unobserved", "--first", options.first,
      "^" + stage + "$"};
  command.insert(command.end(), options.parameters.begin(), options.parameters.end());
  return command;
}

/// Wall time of the whole process, median of several, as the article's hyperfine took it.
double program_seconds(const std::string& stage, const TimeSinkOptions& options) {
  constexpr int kProcesses = 7;
  constexpr double kLimit_s = 120;
  std::vector<double> seconds;
  for (int i = 0; i < kProcesses; ++i) {
    const ProcessResult process = run_process(unobserved_command(stage, options), kLimit_s);
    if (!process.ok()) throw Error("timesink: the unobserved process: " + process.describe());
    seconds.push_back(process.seconds);
  }
  return stats::median(seconds);
}

/// Before anything is measured: what is kept names the commit that it is of.
void require_committed_build(const TimeSinkOptions& options) {
  const std::string revision = built_revision(own_executable());
  if (options.store.empty() || options.uncommitted || is_committed(revision)) return;
  throw Error(
      fmt::format("timesink: nothing stored: no commit describes the build, whose revision is "
                  "\"{}\"; commit and build again, or store it with --uncommitted",
                  revision));
}

/// In the place of the one of the same program and first call, or as one more.
void store(const timing::TimeSink& sink, const std::filesystem::path& file) {
  std::vector<timing::TimeSink> sinks;
  if (std::filesystem::exists(file))
    sinks = timing::time_sinks_from_json(read_text(file), file.string());
  const auto same = std::find_if(sinks.begin(), sinks.end(), [&](const timing::TimeSink& each) {
    return each.stage == sink.stage && each.first == sink.first;
  });
  if (same != sinks.end())
    *same = sink;
  else
    sinks.push_back(sink);
  write_atomically(file, timing::to_json(sinks));
}

/// This command is a process of its own that has not touched CUDA yet: exactly what must be
/// measured.
ExitCode run_timesink(const TimeSinkOptions& options) {
  const Stage& stage = chosen(options.stage);
  Parameters parameters = stage.defaults();
  set_given(parameters, options.parameters, stage.info().name);
  if (options.unobserved) {
    timing::run_time_sink_program(stage, parameters, options.first);
    return ExitCode::pass;
  }
  require_committed_build(options);
  timing::TimeSink sink = timing::measure_time_sink(stage, parameters, options.first);
  sink.measured_by = version();
  sink.program_seconds = program_seconds(stage.info().name, options);
  // As a row is named: what is not at its default.
  for (const Parameter& each : parameters.all())
    if (each.value != stage.defaults().at(each.name))
      sink.stage += "/" + each.name + ":" + std::to_string(each.value);
  if (!options.store.empty()) store(sink, options.store);
  std::cout << (options.json ? timing::to_json({sink}) : timing::to_markdown(sink));
  return ExitCode::pass;
}

}  // namespace

void add_timesink_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TimeSinkOptions>();
  CLI::App* command =
      app.add_subcommand("timesink", "show where the time of a short CUDA program goes");
  command->add_option("STAGE", options->stage, "a CUDA stage; default: the first");
  command->add_option("PARAMETERS", options->parameters, "NAME=VALUE: parameters of the stage");
  command
      ->add_option(
          "--first", options->first,
          "first CUDA call, which starts the runtime: cudaFree, cudaMalloc or cudaEventCreate")
      ->option_text("CALL")
      ->check(CLI::IsMember(timing::first_calls()))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON, in the form of --store");
  command
      ->add_option("--store", options->store,
                   "add or replace the stage in this file, which the tables read: "
                   "baselines/MACHINE/FAMILY_timesink.json")
      ->option_text("FILE");
  command->add_flag("--uncommitted", options->uncommitted,
                    "with --store: allow a build that no commit describes");
  command->add_flag("--unobserved", options->unobserved, "run the program and print nothing")
      ->group("");
  command->footer(
      "Exit codes: 0 shown, 2 failed, 77 no CUDA stage can run here.\n"
      "Example:\n"
      "  ratchet timesink graveler/cuda/04_warp_reduce");
  command->callback(
      [options, &exit_code] { exit_code = static_cast<int>(run_timesink(*options)); });
}

}  // namespace ratchet
