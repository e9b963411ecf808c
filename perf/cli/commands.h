// The commands of `ratchet`, a file each beside this one. Each adds itself to `app`; when it is run
// it sets `exit_code` (perf/support/error.h) or throws `Error`.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace ratchet {
namespace gate {
struct SelectionOptions;
struct StatedTolerance;
}

void add_accept_command(CLI::App& app, int& exit_code);    ///< results become the baseline
void add_bisect_command(CLI::App& app, int& exit_code);    ///< the commit that made a row slower
void add_compare_command(CLI::App& app, int& exit_code);   ///< files, or two programs
void add_doctor_command(CLI::App& app, int& exit_code);    ///< what hurts measurement here
void add_explain_command(CLI::App& app, int& exit_code);   ///< what differs in what a row executes
void add_gate_command(CLI::App& app, int& exit_code);      ///< perf/gate/README.md
void add_history_command(CLI::App& app, int& exit_code);   ///< what gate runs found over time
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

// What several of them share.

/// "ratchet 1.2.3 (0123456789ab)": the version, and the revision that it was built of.
const char* version();

/// ratchet-bench beside this executable.
std::filesystem::path default_bench();

/// --filter and --backend.
void add_selection_options(CLI::App& command, gate::SelectionOptions& selection);

/// --tolerance, as often as wanted.
void add_tolerance_option(CLI::App& command, std::vector<gate::StatedTolerance>& tolerances);

/// --quiet.
void add_quiet_option(CLI::App& app, bool& quiet);

/// The words behind "--" on the command line go to the program that this command measures.
void take_program_arguments(const CLI::App& command, std::vector<std::string>& arguments);
/// Where they go; nullptr: the command has no such program.
std::vector<std::string>* program_arguments_of(const CLI::App& command);

/// Says lines of progress on `out`, or where it is quiet none.
std::function<void(const std::string&)> say_on(std::ostream& out, bool quiet);

/// What every help text says of arguments that select rows or stages.
inline constexpr char filter_help[] =
    "rows: the name of a row or a stage, or a regular expression found in their names; a - before "
    "it inverts";

}  // namespace ratchet

namespace ratchet {

/// "; did you mean gate?": the known word at the smallest edit distance; empty where none is within
/// a third of the letters. An edit leaves out, adds or replaces a letter, or swaps two neighbours.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace ratchet
