// `ratchet profile ROW`: the Nsight command that selects exactly this row by its NVTX range.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/contract/stage.h"
#include "kernels/support/ranks/part.h"
#include "perf/identity/row_id.h"
#include "perf/study/cli/commands.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

struct ProfileOptions {
  std::string row;
  std::string tool = "ncu";
  std::string output;
  bool run = false;
};

/// '/' separates nested ranges in ncu's filters, and names are full of it. As a regular expression,
/// with a '.' for each '/' and ':', the name needs no escape.
std::string ncu_filter(std::string range) {
  for (char& c : range)
    if (c == '/' || c == ':') c = '.';
  return "regex:ratchet@" + range +
         "/";  // the last '/' means a push/pop range, anywhere on the stack
}

/// A report a rank, since each rank has a profiler of its own.
std::string report_name(const ProfileOptions& options, const RowId& row) {
  std::string name = options.output.empty() ? row.text() : options.output;
  if (options.output.empty()) std::replace(name.begin(), name.end(), '/', '_');
  return row.ranks() > 1 ? name + ".%q{OMPI_COMM_WORLD_RANK}" : name;
}

/// ncu: the counters of the row's kernels, clocks left alone. nsys: the timeline of its range.
std::vector<std::string> profile_command(const ProfileOptions& options, const RowId& row) {
  // All ranks have ranges named like the stage, and only rank 0 one named like the row.
  const std::string range = row.ranks() > 1 ? row.stage() : row.text();
  std::string fixed =
      row.ranks() > 1
          ? fmt::format("mpirun --allow-run-as-root --oversubscribe --bind-to none -n {} ",
                        row.ranks())
          : "";
  std::vector<std::string> chosen;
  if (options.tool == "ncu") {
    fixed += "ncu --clock-control none --nvtx --set full --import-source yes --force-overwrite";
    chosen = {"--nvtx-include", ncu_filter(range), "--export", report_name(options, row)};
  } else {
    fixed +=
        "nsys profile --trace=cuda,nvtx,opencl --capture-range=nvtx --capture-range-end=stop "
        "--force-overwrite=true";
    chosen = {"--nvtx-capture=" + range + "@ratchet", "--output=" + report_name(options, row)};
  }
  std::istringstream words(fixed);
  std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
  command.insert(command.end(), chosen.begin(), chosen.end());
  command.push_back(default_bench());
  command.push_back("--benchmark_filter=^" + row.text() + "$");
  for (const auto& [name, value] : row.settings().value_or(Settings{}))
    command.push_back(fmt::format("--ratchet_set={}={}", name, value));
  command.push_back("--ratchet_profile");
  return command;
}

/// Throws `Error` for what ncu, which sees CUDA kernels alone, would silently leave out.
void require_kernels(const Stage& stage) {
  const Backend backend = stage.info().backend;
  const bool cpus = backend == Backend::mpi && !ranks::takes_gpus(stage);
  if (backend != Backend::cpu && backend != Backend::opencl && !cpus) return;
  throw Error(fmt::format("{} {}; Nsight Compute profiles CUDA kernels only; use --tool nsys",
                          stage.info().name,
                          backend == Backend::opencl ? "runs through OpenCL" : "runs on the CPU"));
}

/// Its name alone, or the row of a stage at other settings.
std::pair<const Stage*, RowId> chosen_row(const std::string& name) {
  const RowId row = name;
  const Stage* const stage = find_stage(row.stage());
  if (stage == nullptr || row.settings_text().empty()) {
    const Stage& one = one_stage(name);
    return {&one, one.info().name};
  }
  Parameters parameters = stage->defaults();
  if (!row.settings()) throw Error(name + " is not a row of a stage; write STAGE/name:value");
  const Settings settings = *row.settings();
  for (const auto& [parameter, value] : settings) parameters.set(parameter, std::to_string(value));
  return {stage, row};
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
  const auto [selected, row] = chosen_row(options.row);
  const Stage& stage = *selected;
  if (options.tool == "ncu") require_kernels(stage);
  const auto command = profile_command(options, row);
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
      app.add_subcommand("profile", "print or run the Nsight command that profiles one row");
  command
      ->add_option("ROW", options->row, "a row or a stage, or a regular expression for one stage")
      ->required();
  command->add_option("--tool", options->tool, "ncu (counters, the default) or nsys (timeline)")
      ->option_text("TOOL")
      ->check(CLI::IsMember({"ncu", "nsys"}));
  command->add_option("--output", options->output, "report file; default: the name of the row")
      ->option_text("FILE");
  command->add_flag("--run", options->run, "run the command, too");
  command->footer(
      "Exit codes: 0 printed or run, 2 failed, 77 the row cannot run here.\n"
      "Example:\n"
      "  ratchet profile graveler/cuda/04_warp_reduce --run");
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_profile(*options)); });
}

}  // namespace ratchet
