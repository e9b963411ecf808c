// ratchet: the command line. Every command lives in perf/cli/; this file only lists them, and turns
// errors into one line and an exit code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "perf/support/error.h"
#include "perf/cli/commands.h"
#include "perf/cli/did_you_mean.h"
#include "perf/support/printable.h"

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

int run(int argc, char** argv) {
  CLI::App app("Keeps fast kernels fast: proves, times, compares.", argv[0]);
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  int exit_code = 0;
  add_commands(app, exit_code);
  if (argc == 1) {  // no pass: a script whose command came out empty must not go on
    std::printf("%s", app.help().c_str());
    return static_cast<int>(ExitCode::failed);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::RequiredError&) {
    // Said before a misspelt command is: name it.
    const bool named = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    const std::string what =
        named ? complaint_about(app, argv[1]) : "a command or a value is missing";
    std::fprintf(stderr, "ratchet: %s (--help shows all)\n", what.c_str());
    return static_cast<int>(ExitCode::failed);
  } catch (const CLI::ExtrasError& error) {
    std::fprintf(stderr, "ratchet: %s (--help shows the usage)\n",
                 printable(complaint_about(app, error)).c_str());
    return static_cast<int>(ExitCode::failed);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "ratchet: %s (--help shows the usage)\n", error.what());
    return static_cast<int>(ExitCode::failed);
  }
  return exit_code;
}

}  // namespace
}  // namespace ratchet

int main(int argc, char** argv) {
  // One line, whatever the files and programs are called that it speaks of.
  const auto say = [](const std::exception& error) {
    std::fprintf(stderr, "ratchet: %s\n", ratchet::printable(error.what()).c_str());
  };
  try {
    return ratchet::run(argc, argv);
  } catch (const ratchet::Error& error) {
    say(error);
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    say(error);
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
