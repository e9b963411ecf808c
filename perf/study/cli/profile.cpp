// `ratchet profile STAGE`: the Nsight command that selects exactly this stage by its NVTX range.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/study/cli/commands.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

struct ProfileOptions {
  std::string stage;
  std::string tool = "ncu";
  std::string output;
  bool run = false;
};

/// '/' separates nested ranges in ncu's filters, and stage names are full of it. As a regular
/// expression, with a '.' for each '/', the name needs no escape.
std::string ncu_filter(std::string stage) {
  std::replace(stage.begin(), stage.end(), '/', '.');
  return "regex:ratchet@" + stage +
         "/";  // the last '/' means a push/pop range, anywhere on the stack
}

std::string report_name(const ProfileOptions& options, std::string stage) {
  if (!options.output.empty()) return options.output;
  std::replace(stage.begin(), stage.end(), '/', '_');
  return stage;
}

/// ncu: the counters of the stage's kernels, clocks left alone. nsys: the timeline of its range.
std::vector<std::string> profile_command(const ProfileOptions& options, const std::string& stage) {
  std::vector<std::string> command;
  if (options.tool == "ncu") {
    command = {"ncu",
               "--clock-control",
               "none",
               "--nvtx",
               "--nvtx-include",
               ncu_filter(stage),
               "--set",
               "full",
               "--import-source",
               "yes",
               "--force-overwrite",
               "--export",
               report_name(options, stage)};
  } else {
    command = {"nsys",
               "profile",
               "--trace=cuda,nvtx",
               "--capture-range=nvtx",
               "--nvtx-capture=" + stage + "@ratchet",
               "--capture-range-end=stop",
               "--force-overwrite=true",
               "--output=" + report_name(options, stage)};
  }
  for (const std::string& part : {default_bench().string(), "--benchmark_filter=^" + stage + "$",
                                  std::string("--ratchet_profile")})
    command.push_back(part);
  return command;
}

/// As typed into a shell.
std::string quoted(const std::string& word) {
  static const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@+";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Runs the command with our terminal, and waits. Returns its exit status; throws Error when it
/// cannot be started.
int execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw Error(std::string("cannot wait for ") + command[0]);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw Error(command[0] +
                " cannot be run; install it (part of the CUDA Toolkit) or put it on PATH");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ExitCode run_profile(const ProfileOptions& options) {
  const Stage& stage = one_stage(options.stage);
  if (stage.info().backend == Backend::cpu && options.tool == "ncu")
    throw Error(stage.info().name + " runs on the CPU; Nsight Compute profiles GPU kernels only");
  const auto command = profile_command(options, stage.info().name);
  for (std::size_t i = 0; i < command.size(); ++i)
    std::cout << (i ? " " : "") << quoted(command[i]);
  std::cout << std::endl;
  if (!options.run) return ExitCode::pass;
  if (const Availability available = stage.availability(); !available.ok)
    throw Error(stage.info().name + ": " + available.reason, ExitCode::nothing_ran);
  const int status = execute(command);
  if (status != 0) throw Error(command[0] + " ended with exit code " + std::to_string(status));
  return ExitCode::pass;
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command =
      app.add_subcommand("profile", "print or run the Nsight command that profiles one stage");
  command->add_option("STAGE", options->stage, "a stage, or a regular expression for one stage")
      ->required();
  command->add_option("--tool", options->tool, "ncu (counters, the default) or nsys (timeline)")
      ->option_text("TOOL")
      ->check(CLI::IsMember({"ncu", "nsys"}));
  command->add_option("--output", options->output, "report file; default: the name of the stage")
      ->option_text("FILE");
  command->add_flag("--run", options->run, "run the command, too");
  command->footer(
      "Exit codes: 0 printed or run, 2 failed, 77 the stage cannot run here.\n"
      "Example:\n"
      "  ratchet profile graveler/cuda/04_warp_reduce --run");
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_profile(*options)); });
}

}  // namespace ratchet
