// `ratchet run FAMILY PROGRAM`: programs of the families (kernels/contract/program.h).
#include "perf/study/run/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/contract/program.h"
#include "perf/identity/row_id.h"
#include "perf/study/cli/commands.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

struct RunCommand {
  std::string family, program, records;
  std::vector<std::string> parameters;
  std::vector<std::string> deals;  ///< begin with "-" and are no options: bmn's number cards
  double seconds = 0;
  bool log = false;
};

void print_programs(const std::string& family) {
  bool any = false;
  for (const Program* each : programs()) {
    const ProgramInfo& info = each->info();
    if (!family.empty() && RowId(info.name).family() != family) continue;
    any = true;
    const Availability available = each->availability(each->defaults());
    const std::string words = info.words.empty() ? "" : " " + info.words;
    std::cout << fmt::format("{}{}  {}{}\n", info.name, words, info.summary,
                             available.ok ? "" : " [unavailable: " + available.reason + "]");
    for (const Parameter& parameter : info.parameters)
      std::cout << fmt::format("    {}={}  {} ({} to {})\n", parameter.name, parameter.value,
                               parameter.help, parameter.min, parameter.max);
    for (const TextParameter& text : info.texts)
      std::cout << fmt::format("    {}=  {}\n", text.name, text.help);
  }
  if (!any)
    throw Error(family.empty() ? "no family has programs"
                               : family + " has no programs; 'ratchet run' shows all there are");
}

std::string known_programs(const std::string& family) {
  std::string known;
  for (const Program* each : programs()) {
    const RowId name = each->info().name;
    if (name.family() == family) known += (known.empty() ? "" : ", ") + name.idea();
  }
  return known.empty() ? "no programs; 'ratchet run' shows all there are" : known;
}

/// What is not given is as the record file was begun with, or else the program's default.
Parameters parameters_of(const Program& program, const std::vector<std::string>& given,
                         const std::string& records) {
  Parameters parameters = program.defaults();
  if (std::filesystem::exists(records)) {
    const run::Kept kept = run::read_records(records);
    if (kept.program == program.info().name)
      for (const auto& [name, value] : kept.parameters)
        if (parameters.has(name)) parameters.set(name, value);
  }
  set_given(parameters, given, program.info().name);
  return parameters;
}

ExitCode run_command(const RunCommand& command) {
  if (command.program.empty()) {
    print_programs(command.family);
    return ExitCode::pass;
  }
  const Program* program = find_program(command.family, command.program);
  if (program == nullptr)
    throw Error(fmt::format("{} has no program {}; it has {}", command.family, command.program,
                            known_programs(command.family)));
  if (const auto* quick = dynamic_cast<const ShortProgram*>(program)) {
    if (!command.records.empty() || command.seconds > 0 || command.log)
      throw Error(program->info().name +
                  " ends by itself and keeps no records; leave out --records, --for and --log");
    return run::run_short_program(*quick, joined(command.parameters, command.deals), std::cout);
  }
  if (!command.deals.empty())
    throw Error("'" + command.deals[0] + "' is not an option of ratchet run; see --help");
  const std::string records = command.records.empty() ? fmt::format("results/{}_{}.records",
                                                                    command.family, command.program)
                                                      : command.records;
  if (command.log) {
    run::log(run::read_records(records), program->info().unit, std::cout);
    return ExitCode::pass;
  }
  return run::run_program(
      {program, parameters_of(*program, command.parameters, records), records, command.seconds},
      std::cout);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand("run", "run a program of a family, or resume it");
  command->add_option("FAMILY", options->family, "a family; alone, it lists its programs");
  command->add_option("PROGRAM", options->program, "a program of the family");
  command->add_option("PARAMETERS", options->parameters,
                      "parameters of the program: NAME=VALUE, and what it lists");
  command
      ->add_option("--records", options->records,
                   "file of records, from which a run resumes; default: "
                   "results/FAMILY_PROGRAM.records")
      ->option_text("FILE");
  command->add_option("--for", options->seconds, "stop after this time; default: at ctrl-C")
      ->option_text("SECONDS")
      ->check(CLI::Range(1e-3, 1e9));
  command->add_flag("--log", options->log, "show the records; run nothing");
  command->footer(
      "Without arguments, all programs are listed.\n"
      "Exit codes: 0 finished or stopped, 2 failed, 77 the program cannot run here.\n"
      "Example:\n"
      "  ratchet run bmn search --for 60\n"
      "  ratchet run officers move 3 14 15");
  command->allow_extras();
  command->callback([options, command, &exit_code] {
    options->deals = command->remaining();
    if (const auto mark = std::find(options->deals.begin(), options->deals.end(), "--");
        mark != options->deals.end())
      options->deals.erase(mark);  // what follows is no option
    exit_code = static_cast<int>(run_command(*options));
  });
}

}  // namespace ratchet
