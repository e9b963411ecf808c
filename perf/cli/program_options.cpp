#include "perf/cli/program_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "perf/support/error.h"
#include "perf/gate/baseline/store.h"
#include "perf/cli/commands.h"
#include "perf/gate/programs/third_party_program.h"

namespace ratchet {

void add_device_time_option(CLI::App& command, gate::ProgramOptions& bench) {
  command.add_flag(
      "--device-time", bench.device_time,
      "of a program of Google Benchmark's, as it is: time what its GPU does, by CUPTI");
}

void add_program_options(CLI::App& command, ProgramRequest request) {
  gate::ProgramOptions& bench = request.bench;
  gate::BaseBuildOptions& build = request.build;
  command
      .add_option("--bench", bench.program,
                  "the program to run: ratchet-bench, or any of Google Benchmark's or nvbench's")
      ->capture_default_str();
  command.add_option("--name", bench.name,
                     "what the rows of another program are called by, before the benchmark's name, "
                     "and its baseline file; else as its file is");
  add_device_time_option(command, bench);
  command.add_option("--check-cmd", bench.check_command,
                     "a command that tests another program, run first: where it fails nothing is "
                     "timed, and rows count as verified where it passes");
  command.add_option("--build-dir", build.like,
                     "the CMake build folder that tells how other revisions of the program are "
                     "built; else the one it lies in");
  command.add_option("--target", build.target,
                     "its target in CMake, where that is not called as the program is");
  command.add_option_function<std::string>(
      "--configure",
      [&build](const std::string& words) {
        std::istringstream stream(words);
        for (std::string word; stream >> word;) build.configure.push_back(word);
      },
      "words for cmake in place of the options of the build folder: '--preset release'");
  command.add_option("--build-cmd", build.command,
                     "the command that builds the program in another revision's folder, where that "
                     "is not CMake");
}

void settle_program(ProgramRequest request) {
  gate::ProgramOptions& bench = request.bench;
  if (!request.build.like.empty()) request.build.like /= "CMakeCache.txt";
  bench.say = say_on(std::cerr, false);
  if (bench.program == default_bench() ||
      gate::knows_ratchet(bench.program, gate::list_limit_s(bench), bench.say))
    return;
  if (bench.name.empty()) bench.name = bench.program.filename().string();
  if (is_reserved(bench.name))
    throw Error("baselines cannot be called " + bench.name +
                ".json, which is a name of other files: give the program another with --name");
  if (bench.name.find('/') != std::string::npos)
    throw Error("--name is the name of a file and has no / in it");
}

gate::ProgramBuild how_to_build(ProgramRequest request) {
  if (request.bench.program == default_bench() && request.build.like.empty())
    return {std::filesystem::current_path(), request.build};
  return gate::build_of_program(request.bench.program, request.build);
}

}  // namespace ratchet
