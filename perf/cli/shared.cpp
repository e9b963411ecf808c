// What several commands share.

#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <map>
#include <ostream>

#include "perf/cli/commands.h"
#include "perf/gate/outcome.h"
#include "perf/gate/rule/rule.h"
#include "perf/gate/run/run_options.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"
#include "perf/support/terminal.h"

namespace ratchet {

std::filesystem::path default_bench() { return own_executable().parent_path() / "ratchet-bench"; }

void add_selection_options(CLI::App& command, gate::SelectionOptions& selection) {
  command.add_option("--filter", selection.filter, filter_help)->option_text("ROWS");
  add_backend_option(command, selection);
}

void add_backend_option(CLI::App& command, gate::SelectionOptions& selection) {
  command
      .add_option("--backend", selection.backend,
                  "only rows of cpu, cuda, opencl, hybrid or mpi; mpi rows run only if selected")
      ->option_text("NAME")
      ->check(CLI::IsMember({"cpu", "cuda", "opencl", "hybrid", "mpi"}));
}

void add_tolerance_option(CLI::App& command, std::vector<gate::StatedTolerance>& tolerances) {
  command
      .add_option_function<std::vector<std::string>>(
          "--tolerance",
          [&tolerances](const std::vector<std::string>& words) {
            for (const std::string& word : words) tolerances.push_back(gate::read_tolerance(word));
          },
          "tolerance of all rows (0.03 is 3 %) or of some (life/cpu=0.1); repeatable, the last one "
          "wins; default: the baseline's own, else 1 % (CPU) or 0.25 % (GPU) side by side, 3 % or "
          "0.5 % against stored figures")
      ->option_text("[ROWS=]SHARE")
      ->expected(1)
      ->allow_extra_args(false)  // what follows may be the rows
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void refuse_idle(const CLI::App& command, const std::vector<Idle>& table) {
  for (const auto& [beside, options] : table) {
    if (command.get_option(beside)->count() == 0) continue;
    for (const std::string& option : options)
      if (command.get_option(option)->count() > 0)
        throw Error(option + " has no effect with " + beside + "; leave one of them out");
  }
}

void refuse_idle_without(const CLI::App& command, const std::vector<Idle>& table) {
  for (const auto& [beside, options] : table) {
    if (command.get_option(beside)->count() > 0) continue;
    for (const std::string& option : options)
      if (command.get_option(option)->count() > 0)
        throw Error(option + " has no effect without " + beside + "; add that, or leave it out");
  }
}

namespace {

/// The values that `taken` takes, too, and that may be shown.
std::vector<std::string> shown_values(const CLI::Option& given, const CLI::Option& taken) {
  std::vector<std::string> values = given.results();
  const std::string& name = given.get_lnames().front();
  if (name == "history")
    std::erase_if(values,
                  [](const auto& value) { return value.find_first_of(":=") != value.npos; });
  if (&given == &taken) return values;
  if (name == "tolerance")
    std::erase_if(values, [](const auto& value) { return value.find('=') != value.npos; });
  if (values.size() > 1 && given.get_delimiter() == '\0' &&
      taken.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll)
    values = {values.back()};
  return values;
}

std::string words_of(const CLI::Option& given, const CLI::Option& taken) {
  const std::string name = " --" + given.get_lnames().front();
  const std::vector<std::string> values = shown_values(given, taken);
  if (values.empty() || given.get_expected_max() == 0) return values.empty() ? "" : name;  // a flag
  if (const char comma = given.get_delimiter())
    return name + " " +
           gate::shell_quoted(fmt::format("{}", fmt::join(values, std::string(1, comma))));
  std::string words;
  for (const std::string& value : values) words += name + " " + gate::shell_quoted(value);
  return words;
}

}  // namespace

std::string given_words(const CLI::App& command, const CLI::App& taking, const GivenApart& apart) {
  const auto is_apart = [&](const std::string& by, const std::string& name) {
    const auto found = apart.find(by);
    return found != apart.end() && found->second.contains(name);
  };
  std::string words;
  for (const CLI::Option* given : command.get_options()) {
    if (given->count() == 0 || given->get_lnames().empty()) continue;
    const std::string name = "--" + given->get_lnames().front();
    const CLI::Option* taken = taking.get_option_no_throw(name);
    if (taken && !is_apart("", name) && !is_apart(taking.get_name(), name))
      words += words_of(*given, *taken);
  }
  return words;
}

void refuse_program_as_rows(const std::string& rows, const std::filesystem::path& bench) {
  std::error_code error;
  if (bench == default_bench() && std::filesystem::is_regular_file(rows, error) &&
      access(rows.c_str(), X_OK) == 0)
    throw Error(rows + " is a program, and names no row; did you mean --bench " + rows + "?");
}

void add_quiet_option(CLI::App& command, bool& quiet) {
  command.add_flag_callback(
      "-q,--quiet",
      [&quiet] {
        quiet = true;
        hide_progress();
      },
      "hide progress, notes, and rows that are the same or unavailable; of a run that "
      "does not pass the next command and the place of its files stay");
}

void add_json_option(CLI::App& command, bool& json) {
  const auto set = [&] {
    json = true;
    if (command.get_help_ptr()->count() == 0) leave_stdout_to_json();
  };
  command.add_flag_callback("--json", set, "print JSON to standard output, the rest to stderr");
}

std::function<void(const std::string&)> say_on(std::ostream& out, bool quiet) {
  if (quiet) return [](const std::string&) {};
  return [&out](const std::string& line) { out << "ratchet: " << line << std::endl; };
}

namespace {

std::map<const CLI::App*, std::vector<std::string>*>& program_arguments() {
  static std::map<const CLI::App*, std::vector<std::string>*> all;
  return all;
}

}  // namespace

void take_program_arguments(const CLI::App& command, std::vector<std::string>& arguments) {
  program_arguments()[&command] = &arguments;
}

std::vector<std::string>* program_arguments_of(const CLI::App& command) {
  const auto found = program_arguments().find(&command);
  return found == program_arguments().end() ? nullptr : found->second;
}

namespace {

std::vector<CommandGroup>& groups() {
  static std::vector<CommandGroup> all;
  return all;
}

}  // namespace

CommandGroupRegistration::CommandGroupRegistration(CommandGroup group) {
  groups().push_back(std::move(group));
}

const std::vector<CommandGroup>& command_groups() { return groups(); }

}  // namespace ratchet
