#include "perf/cli/program_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/gate/baseline/metric.h"
#include "perf/gate/baseline/store.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/identity/build/newer_source.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet {

void add_clock_option(CLI::App& command, ClockChoice& clock) {
  static const std::map<std::string, ClockChoice> choices = {
      {"auto", ClockChoice::automatic}, {"cpu", ClockChoice::cpu}, {"wall", ClockChoice::wall}};
  command
      .add_option_function<std::string>(
          "--clock", [&clock](const std::string& word) { clock = choices.at(word); },
          "by which time rows of Google Benchmark are judged: auto (that of the row's rates: CPU "
          "time, or wall time with UseRealTime(), several threads, or if it waits), cpu or wall")
      ->option_text("CLOCK")
      ->check(CLI::IsMember({"auto", "cpu", "wall"}));
}

void add_metric_option(CLI::App& command, std::vector<std::string>& metrics,
                       const std::string& more) {
  command
      .add_option("--metric", metrics,
                  "also gate these counters of Google Benchmark rows, each as a row ROW/NAME: "
                  "allocs_per_iter, score=points:larger" +
                      more)
      ->option_text("NAMES")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_direction_option(CLI::App& command, std::optional<Better>& direction) {
  command
      .add_option_function<std::string>(
          "--direction",
          [&direction](const std::string& word) {
            direction = word == "smaller" ? Better::smaller : Better::larger;
          },
          "which is better, `smaller` or `larger`, of figures and metrics that do not say it and "
          "whose unit does not tell")
      ->option_text("WHICH")
      ->check(CLI::IsMember({"smaller", "larger"}));
}

void add_device_time_option(CLI::App& command, gate::ProgramOptions& bench) {
  command.add_flag("--device-time", bench.device_time,
                   "Google Benchmark: time the GPU work by CUPTI; the program is not rebuilt");
}

void add_program_options(CLI::App& command, ProgramRequest request) {
  gate::ProgramOptions& bench = request.bench;
  gate::BaseBuildOptions& build = request.build;
  begin_options(command, "Program");
  command
      .add_option("--bench", bench.program,
                  "Google Benchmark or nvbench program (default ratchet-bench)")
      ->option_text("FILE");
  command
      .add_option("--name", bench.name,
                  "name of the program: of its baseline file, and first part of its rows' names; "
                  "default: its file name")
      ->option_text("NAME");
  add_clock_option(command, bench.clock);
  add_device_time_option(command, bench);
  add_metric_option(command, bench.metrics,
                    "; memory (peak of the process), size (of the program), energy (of the CPUs), "
                    "device_energy (of the GPUs); with those of the baseline, or none at all: "
                    "none");
  command
      .add_option("--check-cmd", bench.check_command,
                  "test to run first: if it fails, nothing is timed; if it passes, rows count as "
                  "verified")
      ->option_text("COMMAND");
  begin_options(command, "Build of another revision");
  command
      .add_option("--build-dir", build.like,
                  "CMake build folder with the options to use; default: the program's own")
      ->option_text("DIR");
  command.add_option("--target", build.target, "CMake target; default: the program's file name")
      ->option_text("NAME");
  command
      .add_option_function<std::string>(
          "--configure",
          [&build](const std::string& words) {
            std::istringstream stream(words);
            for (std::string word; stream >> word;) build.configure.push_back(word);
          },
          "arguments for cmake, instead of the options of --build-dir: '--preset release'")
      ->option_text("ARGS");
  command
      .add_option("--build-cmd", build.command,
                  "command that builds the program in the revision's folder, without CMake")
      ->option_text("COMMAND");
}

void add_command_options(CLI::App& command, gate::ProgramOptions& bench) {
  begin_options(command, "Any command");
  command
      .add_option("--exec", bench.command,
                  "shell command, in place of a program: its rows are the figures "
                  "that it prints as JSON (name, value, unit, direction), or else its "
                  "wall time, CPU time and peak memory")
      ->option_text("COMMAND");
  add_direction_option(command, bench.direction);
}

void refuse_idle_with_exec(const CLI::App& command, const gate::ProgramOptions& bench) {
  if (!bench.command.empty() && !wants_no_metrics(bench.metrics))
    for (const std::string& metric : bench.metrics)
      if (const std::string name = metric.substr(0, metric.find_first_of("=:"));
          !is_energy_metric(name))
        throw Error(
            "--metric has no effect with --exec, whose rows are the figures that the command "
            "prints, except energy and device_energy; print this one, too: " +
            name);
  refuse_idle(command, {{"--exec",
                         {"--bench", "--clock", "--device-time", "--build-dir", "--target",
                          "--configure", "--backend"}}});
  if (bench.direction && bench.command.empty() && bench.metrics.empty())
    throw Error("--direction has no effect without --exec or --metric; add one, or leave it out");
  if (!bench.command.empty() && !bench.arguments.empty())
    throw Error("--exec takes no arguments after --; write them into the command");
}

namespace {

/// That the program lies in a build folder that was copied or moved; else empty.
std::string note_of_copy(const std::filesystem::path& program) try {
  const auto cache = cache_of_build(program);
  const BuildOptions options = read_build_options(cache);
  if (!is_of_another_folder(cache, options)) return "";
  return fmt::format(
      "{} was made for the build folder {}: the folder was copied or moved, so nothing says "
      "whether {} is older than its sources; configure it anew (cmake --fresh -S SOURCE -B {})",
      shown_path(cache), options.build.string(), program.string(), shown_path(cache.parent_path()));
} catch (const Error&) {  // of no build folder
  return "";
}

void note_stale(gate::ProgramOptions& bench) {
  if (bench.stale = note_of_copy(bench.program); !bench.stale.empty()) {
    bench.say(bench.stale);
    return;
  }
  const auto source = newer_source(bench.program);
  if (source.empty()) return;
  bench.stale = fmt::format(
      "{} is older than {}: what is measured is not what the sources say; build it first",
      bench.program.string(), shown_path(source));
  bench.say(bench.stale);
}

}  // namespace

void settle_program(ProgramRequest request) {
  gate::ProgramOptions& bench = request.bench;
  if (auto& like = request.build.like; !like.empty()) {
    like /= "CMakeCache.txt";
    if (!std::filesystem::exists(like))
      throw Error(like.string() + " does not exist; --build-dir names a folder that cmake made");
  }
  bench.say = say_on(std::cerr, false);
  if (!bench.command.empty()) {
    bench.program = std::filesystem::current_path();
    if (bench.name.empty()) bench.name = gate::name_of_command(bench.command);
    if (bench.name.empty()) throw Error("--exec names no command; write one: 'python3 bench.py'");
  } else if (bench.program == default_bench() ||
             gate::knows_ratchet(bench.program, gate::list_limit_s(bench), bench.say)) {
    if (!bench.name.empty())
      throw Error("--name: " + bench.program.string() +
                  " is a ratchet program, whose rows have their names already; leave --name out");
    note_stale(bench);
    return;
  }
  note_stale(bench);
  if (bench.name.empty()) bench.name = bench.program.filename().string();
  if (is_reserved(bench.name))
    throw Error("a baseline cannot be called " + bench.name +
                ".json, because other files have this name; choose another with --name");
  if (bench.name.find('/') != std::string::npos)
    throw Error("--name " + bench.name + " has a /, but it names a file; leave the / out");
}

gate::ProgramBuild how_to_build(ProgramRequest request) {
  if (!request.bench.command.empty()) {
    gate::ProgramBuild build{std::filesystem::current_path(), request.build};
    build.options.programs.clear();  // the command runs in the revision's folder
    if (build.options.command.empty()) build.options.command = "true";
    return build;
  }
  if (request.bench.program == default_bench() && request.build.like.empty())
    return {std::filesystem::current_path(), request.build};
  return gate::build_of_program(request.bench.program, request.build);
}

}  // namespace ratchet
