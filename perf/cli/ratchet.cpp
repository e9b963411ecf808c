// ratchet: the command line. Every command lives in perf/cli/; this file only lists them, and turns
// errors into one line and an exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>

#include "perf/cli/commands.h"
#include "perf/cli/did_you_mean.h"
#include "perf/output/files/annotations.h"
#include "perf/support/error.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

void add_commands(CLI::App& app, int& exit_code) {
  add_gate_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_bisect_command(app, exit_code);
  add_accept_command(app, exit_code);
  add_selftest_command(app, exit_code);
  add_history_command(app, exit_code);
  add_report_command(app, exit_code);
  add_doctor_command(app, exit_code);
  for (const CommandGroup& group : command_groups()) {
    const std::size_t before = app.get_subcommands({}).size();
    for (const auto add : group.commands) add(app, exit_code);
    const std::vector<CLI::App*> all = app.get_subcommands({});
    for (std::size_t i = before; i < all.size(); ++i) all[i]->group(group.heading);
  }
}

/// Why the words make no command: a misspelt command is named, and what was meant.
std::string complaint_about(const CLI::App& app, const std::string& word) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  return "there is no command " + word + did_you_mean(word, commands);
}

/// An option that nobody knows, and what was meant.
std::string complaint_about(const CLI::App& app, const CLI::ExtrasError& error) {
  const auto used = app.get_subcommands();
  if (used.empty()) return error.what();
  for (const std::string& word : used.front()->remaining()) {
    if (!word.starts_with("-")) continue;
    std::vector<std::string> options;
    for (const CLI::Option* option : used.front()->get_options({}))
      if (!option->get_lnames().empty()) options.push_back("--" + option->get_lnames().front());
    const std::string name = word.substr(0, word.find('='));
    return used.front()->get_name() + " knows no option " + name + did_you_mean(name, options);
  }
  return error.what();
}

/// The command line without what stands behind "--" where the command has a program that takes it:
/// CLI11 hands such words to positional arguments, which are others.
std::vector<std::string> own_words(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  std::vector<std::string>* program = nullptr;
  for (const CLI::App* command : app.get_subcommands({}))
    if (!words.empty() && command->get_name() == words.front())
      program = program_arguments_of(*command);
  if (program && dashes != words.end()) {
    program->assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  refuse_empty_values(words);
  return words;
}

/// "nan" is a number to CLI11, and lies in every range.
void refuse_what_is_no_number(CLI::App& app) {
  const auto finite = [](const std::string& text) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value);
    return !number || std::isfinite(value) ? "" : text + " is no number";
  };
  for (CLI::Option* option : app.get_options())
    if (option->get_type_name().find("FLOAT in [") != std::string::npos)
      option->check(CLI::Validator(finite, ""));
  for (CLI::App* command : app.get_subcommands({})) refuse_what_is_no_number(*command);
}

/// One line, whatever the files and programs are called that it names. A pipeline shows it, too.
void complain(const std::string& message) {
  const std::string line = printable(message);
  std::fprintf(stderr, "ratchet: %s\n", line.c_str());
  gate::tell_github_of_error(line, std::cout);
}

int run(int argc, char** argv) {
  CLI::App app("Keeps fast kernels fast: proves, times, compares.", argv[0]);
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  int exit_code = 0;
  add_commands(app, exit_code);
  refuse_what_is_no_number(app);
  if (argc == 1) {  // no pass: a script whose command came out empty must not go on
    std::printf("%s", app.help().c_str());
    return static_cast<int>(ExitCode::failed);
  }
  try {
    std::vector<std::string> words = own_words(app, argc, argv);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::RequiredError&) {
    // Said before a misspelt command is: name it.
    const bool named = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    const std::string what =
        named ? complaint_about(app, argv[1]) : "a command or a value is missing";
    complain(what + " (--help shows all)");
    return static_cast<int>(ExitCode::failed);
  } catch (const CLI::ExtrasError& error) {
    complain(complaint_about(app, error) + " (--help shows the usage)");
    return static_cast<int>(ExitCode::failed);
  } catch (const CLI::ParseError& error) {
    complain(std::string(error.what()) + " (--help shows the usage)");
    return static_cast<int>(ExitCode::failed);
  }
  return exit_code;
}

}  // namespace
}  // namespace ratchet

int main(int argc, char** argv) {
  try {
    return ratchet::run(argc, argv);
  } catch (const ratchet::Error& error) {
    ratchet::complain(error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    ratchet::complain(error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
