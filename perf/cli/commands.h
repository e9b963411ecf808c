// The commands of `ratchet`, one file each in this folder. Each adds itself to `app`. When it runs,
// it sets `exit_code` (perf/support/error.h) or throws `Error`.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace ratchet {
namespace gate {
struct SelectionOptions;
struct StatedTolerance;
}  // namespace gate

void add_accept_command(CLI::App& app, int& exit_code);   ///< results become the baseline
void add_bisect_command(CLI::App& app, int& exit_code);   ///< the commit that made a row slower
void add_compare_command(CLI::App& app, int& exit_code);  ///< files, or two programs
/// Completions for shells, and the manual page (perf/cli/completions.cpp).
void add_completions_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);  ///< causes of noise on this machine
void add_explain_command(CLI::App& app,
                         int& exit_code);  ///< the difference of the code that a row executes
void add_gate_command(CLI::App& app, int& exit_code);      ///< perf/gate/README.md
void add_history_command(CLI::App& app, int& exit_code);   ///< results of gate runs over time
void add_report_command(CLI::App& app, int& exit_code);    ///< measured files as a table
void add_selftest_command(CLI::App& app, int& exit_code);  ///< how often the gate is wrong here

/// Adds commands of a layer above this one, under a heading of their own in the help text.
struct CommandGroup {
  std::string heading;
  std::vector<void (*)(CLI::App& app, int& exit_code)> commands;
};

/// At namespace scope: adds a group to every program that this file's object is linked into.
class CommandGroupRegistration {
 public:
  explicit CommandGroupRegistration(CommandGroup group);
};

/// The groups that were registered.
const std::vector<CommandGroup>& command_groups();

// Shared by several commands.

/// "ratchet 1.2.3 (0123456789ab)": the version, and the revision it was built from.
const char* version();

/// ratchet-bench in the folder of this executable.
std::filesystem::path default_bench();

/// --filter and --backend.
void add_selection_options(CLI::App& command, gate::SelectionOptions& selection);
void add_backend_option(CLI::App& command, gate::SelectionOptions& selection);

/// --tolerance, as often as wanted.
void add_tolerance_option(CLI::App& command, std::vector<gate::StatedTolerance>& tolerances);

/// Options that have no effect next to another one, or without it.
struct Idle {
  std::string beside;
  std::vector<std::string> options;
};
/// Throws `Error` where the user gave one: it would fall away in silence.
void refuse_idle(const CLI::App& command, const std::vector<Idle>& table);
/// The same for options that have no effect without `beside`.
void refuse_idle_without(const CLI::App& command, const std::vector<Idle>& table);

/// Options that given_words() leaves out, by the command that takes them; "": any.
using GivenApart = std::map<std::string, std::set<std::string>>;
/// " --strict --budget-s 60": the options given to `command` that `taking` declares, too, for a
/// command that is shown. The address of a server is left out, as it may hold a password, and so is
/// a value that only `command` takes, such as a tolerance of some rows.
std::string given_words(const CLI::App& command, const CLI::App& taking, const GivenApart& apart);

/// Throws `Error` where `rows` is a program's file: the user wants --bench.
void refuse_program_as_rows(const std::string& rows, const std::filesystem::path& bench);

/// --quiet.
void add_quiet_option(CLI::App& app, bool& quiet);
/// --json (perf/guide/command_line.md): std::cout then goes to standard error.
void add_json_option(CLI::App& app, bool& json);

/// Arguments after "--" go to the program that this command measures.
void take_program_arguments(const CLI::App& command, std::vector<std::string>& arguments);
/// The receiver of these arguments; nullptr if the command measures no program.
std::vector<std::string>* program_arguments_of(const CLI::App& command);

/// Writes lines of progress to `out`; writes nothing if `quiet`.
std::function<void(const std::string&)> say_on(std::ostream& out, bool quiet);

/// Describes every argument that selects rows or stages.
inline constexpr char filter_help[] =
    "rows by name, stage or regular expression; a leading - excludes";

}  // namespace ratchet
