// Which program a command measures, ratchet's own or any other, and how other revisions of it are
// built: the same options for all commands.
#pragma once

#include "perf/gate/base/base_build.h"
#include "perf/gate/run/bench_program.h"

namespace CLI {
class App;
}
namespace ratchet {

/// Where the options are kept.
struct ProgramRequest {
  gate::ProgramOptions& bench;
  gate::BaseBuildOptions& build;
};

/// --clock.
void add_clock_option(CLI::App& command, ClockChoice& clock);
/// --metric: texts for read_metric(), which may stand between commas. `more`: what else the command
/// does with them.
void add_metric_option(CLI::App& command, std::vector<std::string>& metrics,
                       const std::string& more = "");
/// --direction, of figures and metrics.
void add_direction_option(CLI::App& command, std::optional<Better>& direction);
/// --device-time.
void add_device_time_option(CLI::App& command, gate::ProgramOptions& bench);

/// --bench, --name, --clock, --device-time, --metric, --check-cmd; --build-dir, --target,
/// --configure,
/// --build-cmd.
void add_program_options(CLI::App& command, ProgramRequest request);

/// --exec, --direction.
void add_command_options(CLI::App& command, gate::ProgramOptions& bench);
/// Throws `Error` for what has no effect on a command.
void refuse_idle_with_exec(const CLI::App& command, const gate::ProgramOptions& bench);

/// Once all options are known: the name of another program's rows, and the file that --build-dir
/// leads to. Throws `Error` for a name that baselines cannot have.
void settle_program(ProgramRequest request);

/// The repository of the program's source, and how its revisions are built: those of ratchet itself
/// like the running program. Throws `Error` as gate::build_of_program does.
gate::ProgramBuild how_to_build(ProgramRequest request);

}  // namespace ratchet
