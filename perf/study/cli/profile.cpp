// `ratchet profile ROW`: the Nsight command that selects exactly this row by its NVTX range.
#include "perf/gate/programs/profile.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/contract/row_filter.h"
#include "kernels/contract/stage.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/identity/row_id.h"
#include "perf/study/cli/commands.h"
#include "perf/support/error.h"
#include "perf/support/interruption.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

struct ProfileOptions {
  std::string row;
  std::string tool;  ///< empty: default_tool()
  gate::ProgramOptions bench;
  std::string output;
  bool run = false;
};

/// What is profiled: a row, and the command that runs it alone.
struct Chosen {
  RowId row;
  std::vector<std::string> command;
  const Stage* stage = nullptr;  ///< of ratchet's own rows
  bool ranges = true;            ///< the program has NVTX ranges of its rows
  bool kernels = true;           ///< CUDA kernels, all that ncu sees
  bool on_cpu = false;           ///< nothing is known that would run on a GPU

  std::size_t ranks() const { return ranges ? row.ranks() : 1; }
};

/// A report a rank, since each rank has a profiler of its own.
std::string report_name(const ProfileOptions& options, const Chosen& chosen) {
  std::string name = options.output.empty() ? chosen.row.text() : options.output;
  if (options.output.empty()) std::replace(name.begin(), name.end(), '/', '_');
  return chosen.ranks() > 1 ? name + ".%q{OMPI_COMM_WORLD_RANK}" : name;
}

constexpr const char* profile_flag = "--ratchet_profile";

/// By the flags of programs made with ratchet's timing library.
std::vector<std::string> run_alone(const std::string& program, const RowId& row) {
  std::vector<std::string> command = {program, "--benchmark_filter=^" + row.text() + "$"};
  for (const auto& [name, value] : row.settings().value_or(Settings{}))
    command.push_back(fmt::format("--ratchet_set={}={}", name, value));
  command.push_back(profile_flag);
  return command;
}

std::string default_tool(const Chosen& chosen) {
  if (chosen.on_cpu && chosen.ranks() == 1) return "perf";
  return chosen.ranges && chosen.kernels ? "ncu" : "nsys";
}

/// perf: samples of the whole run, timed as in a gate, since a range of three runs may be too short
/// for any.
std::vector<std::string> perf_command(const ProfileOptions& options, const Chosen& chosen) {
  std::vector<std::string> command = {
      "perf", "record", "--call-graph=dwarf",
      "--output=" + report_name(options, chosen) + (options.output.empty() ? ".perf" : ""), "--"};
  for (const std::string& word : chosen.command)
    if (word != profile_flag) command.push_back(word);
  return command;
}

/// ncu: the counters of the row's kernels, clocks left alone. nsys: the timeline of its range.
std::vector<std::string> profile_command(const ProfileOptions& options, const Chosen& chosen) {
  if (options.tool == "perf") return perf_command(options, chosen);
  // All ranks have ranges named like the stage, and only rank 0 one named like the row.
  const std::string range = chosen.ranks() > 1 ? chosen.row.stage() : chosen.row.text();
  std::string fixed =
      chosen.ranks() > 1
          ? fmt::format("mpirun --allow-run-as-root --oversubscribe --bind-to none -n {} ",
                        chosen.ranks())
          : "";
  const std::string report = report_name(options, chosen);
  std::vector<std::string> selected;
  if (options.tool == "ncu") {
    fixed += "ncu --clock-control none --set full --import-source yes --force-overwrite";
    if (chosen.ranges) selected = {"--nvtx", "--nvtx-include", gate::ncu_filter(range)};
    selected.insert(selected.end(), {"--export", report});
  } else {
    fixed += "nsys profile --trace=cuda,nvtx,opencl --force-overwrite=true";
    if (chosen.ranges)
      selected = {"--capture-range=nvtx", "--capture-range-end=stop",
                  "--nvtx-capture=" + range + "@ratchet"};
    selected.push_back("--output=" + report);
  }
  std::istringstream words(fixed);
  std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
  command.insert(command.end(), selected.begin(), selected.end());
  command.insert(command.end(), chosen.command.begin(), chosen.command.end());
  return command;
}

bool runs_on_cpu(const RowId& row) { return row.device() == Device::cpu; }

bool has_kernels(const RowId& row) { return !runs_on_cpu(row) && row.device() != Device::opencl; }

/// Throws `Error` for what ncu, which sees CUDA kernels alone, would silently leave out.
void require_kernels(const Chosen& chosen) {
  if (chosen.kernels) return;
  const bool opencl = chosen.row.device() == Device::opencl;
  throw Error(fmt::format("{} {}; Nsight Compute profiles CUDA kernels only; use --tool nsys",
                          chosen.row, opencl ? "runs through OpenCL" : "runs on the CPU"));
}

/// Its name alone, or the row of a stage at other settings.
Chosen own_row(const std::string& name) {
  RowId row = name;
  const Stage* stage = find_stage(row.stage());
  if (stage == nullptr || row.settings_text().empty()) {
    try {
      stage = &one_stage(name);
    } catch (const Error& error) {
      throw Error(std::string(error.what()) + "; --bench FILE profiles a row of another program");
    }
    row = stage->info().name;
  } else {
    Parameters parameters = stage->defaults();
    if (!row.settings()) throw Error(name + " is not a row of a stage; write STAGE/name:value");
    const Settings settings = *row.settings();
    for (const auto& [parameter, value] : settings)
      parameters.set(parameter, std::to_string(value));
  }
  return {row, run_alone(default_bench(), row), stage, true, has_kernels(row), runs_on_cpu(row)};
}

Chosen row_of(const ProfileOptions& options) {
  gate::ProgramOptions bench = options.bench;
  const bool ranges = gate::knows_ratchet(bench.program);
  if (!ranges && bench.name.empty()) bench.name = bench.program.filename().string();
  const std::unique_ptr<gate::BenchProgram> program = gate::open_program(bench);
  const std::vector<RowId> listed = program->list().rows;
  const std::set<RowId> all(listed.begin(), listed.end());
  const std::set<RowId> found =
      all.contains(options.row) ? std::set<RowId>{options.row} : select_rows(all, options.row);
  if (found.size() != 1)
    throw Error(fmt::format("'{}' selects {} rows of {}; name one{}", options.row, found.size(),
                            bench.program.string(),
                            found.empty() ? did_you_mean_row(options.row, all) : ""));
  const RowId row = *found.begin();
  const bool on_cpu = gate::is_machine_code(bench.program) && !gate::has_device_code(bench.program);
  if (const auto* other = dynamic_cast<const gate::ThirdPartyProgram*>(program.get()))
    return {row, other->run_alone(row), nullptr, false, true, on_cpu};
  return {row, run_alone(program->path(), row), nullptr, true, has_kernels(row), runs_on_cpu(row)};
}

/// Runs the command with our terminal, and waits, after an interruption, too, for what the profiler
/// then writes. Returns its exit status; throws Error when it cannot be started.
int execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    throw Error(command[0] + " cannot be run; install it (" +
                (command[0] == "perf" ? "of linux-tools" : "part of the CUDA Toolkit") +
                ") or put it on PATH");
  int status = 0;
  bool told = false;  // Ctrl-C on a terminal reaches the profiler, too; another signal does not
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended < 0) throw Error(std::string("cannot wait for ") + command[0]);
    if (ended == child) break;
    if (interruption() != 0 && !told) {
      if (interruption() != SIGINT || !isatty(STDIN_FILENO)) kill(child, interruption());
      told = true;
    }
    usleep(20'000);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ExitCode run_profile(ProfileOptions options) {
  const Chosen chosen =
      options.bench.program == default_bench() ? own_row(options.row) : row_of(options);
  if (options.tool.empty()) options.tool = default_tool(chosen);
  if (options.tool == "ncu") require_kernels(chosen);
  const auto command = profile_command(options, chosen);
  for (std::size_t i = 0; i < command.size(); ++i)
    std::cout << (i ? " " : "") << gate::shell_quoted(command[i]);
  std::cout << std::endl;
  if (!options.run) return ExitCode::pass;
  if (chosen.stage)
    if (const Availability available = chosen.stage->availability(); !available.ok)
      throw Error(chosen.stage->info().name + ": " + available.reason, ExitCode::nothing_ran);
  catch_interruption();
  const int status = execute(command);
  if (interruption() != 0) return after_interruption(interruption());
  if (status != 0) throw Error(command[0] + " ended with exit code " + std::to_string(status));
  return ExitCode::pass;
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ProfileOptions>();
  options->bench.program = default_bench();
  CLI::App* command =
      app.add_subcommand("profile", "print or run the command of a profiler for one row");
  command
      ->add_option("ROW", options->row, "a row or a stage, or a regular expression for one stage")
      ->required();
  command
      ->add_option("--tool", options->tool,
                   "ncu (counters), nsys (timeline) or perf (samples of functions); default: ncu "
                   "for rows with CUDA kernels of ratchet's timing library, perf for programs "
                   "without device code, else nsys")
      ->option_text("TOOL")
      ->check(CLI::IsMember({"ncu", "nsys", "perf"}));
  command
      ->add_option("--bench", options->bench.program,
                   "the program of the row (default ratchet-bench)")
      ->option_text("FILE");
  command
      ->add_option("--name", options->bench.name,
                   "name of a third-party program, as of gate --name")
      ->option_text("NAME");
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
