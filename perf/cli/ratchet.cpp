// ratchet: the command line. This file lists the commands, and turns an error into one line and an
// exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <regex>
#include <utility>
#include <vector>

#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/gate/outcome.h"
#include "perf/output/files/formats.h"
#include "perf/support/error.h"
#include "perf/support/interruption.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"
#include "perf/support/suggestion.h"
#include "perf/support/terminal.h"

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
  add_completions_command(app, exit_code);
  for (CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) command->group("The gate");  // empty: hidden
  for (const CommandGroup& group : command_groups()) {
    const std::size_t before = app.get_subcommands({}).size();
    for (const auto add : group.commands) add(app, exit_code);
    const std::vector<CLI::App*> all = app.get_subcommands({});
    for (std::size_t i = before; i < all.size(); ++i)
      if (!all[i]->get_group().empty()) all[i]->group(group.heading);
  }
}

/// What the full build has, and the tool that pip and the packages install has not: said, since
/// pages name these commands.
constexpr std::array of_the_study = {"list",      "metrics", "peaks",  "profile",
                                     "reproduce", "run",     "tables", "timesink"};

/// A misspelt command is reported before its options are read.
void require_command(const CLI::App& app, const std::string& word) {
  if (word == "-h" || word == "--help" || word == "--version") return;
  if (word.starts_with("-"))
    throw Error("a command must come before " + word + did_you_mean(word, {"--help", "--version"}) +
                " (`ratchet --help` lists all)");
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return;
    if (!command->get_group().empty()) commands.push_back(command->get_name());
  }
  if (std::count(of_the_study.begin(), of_the_study.end(), word) > 0)
    throw Error(word +
                " is a command for ratchet's own kernels, which this program was built without; in "
                "a clone of ratchet, ci/build builds build/perf/ratchet, which has it");
  throw Error("there is no command " + word + did_you_mean(word, commands) +
              " (`ratchet --help` lists all)");
}

/// Names an unknown option, and the option with the most similar name; or a word too many.
std::string complaint_about(const CLI::App& app, const CLI::ExtrasError& error) {
  const auto used = app.get_subcommands();
  if (used.empty()) return error.what();
  const CLI::App& command = *used.front();
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options({}))
    if (!option->get_lnames().empty() && !option->get_group().empty())
      options.push_back("--" + option->get_lnames().front());
  const bool filters = std::count(options.begin(), options.end(), "--filter") > 0;
  const CLI::Option* const rows = command.get_option_no_throw("ROWS");
  const std::vector<std::string> words = command.remaining();
  for (const std::string& word : words) {
    if (!word.starts_with("-")) continue;
    const std::string name = word.substr(0, word.find('='));
    std::string excludes;
    if (!word.starts_with("--") && filters)
      excludes = "; to leave rows out: --filter " + gate::shell_quoted(word);
    else if (!word.starts_with("--") && rows && !program_arguments_of(command))
      excludes = "; to leave rows out: -- " + gate::shell_quoted(word);
    return command.get_name() + " has no option " + name + did_you_mean(name, options) + excludes;
  }
  if (words.empty()) return error.what();
  return command.get_name() + " takes no further argument " + words.front() +
         (program_arguments_of(command) ? "; several rows are one expression, 'A|B', and arguments "
                                          "of the program stand after --"
                                        : "");
}

/// What CLI11 says of a value, in words that say what to do.
std::string complaint_about(const CLI::ParseError& error) {
  static const std::vector<std::pair<std::regex, std::string>> words = {
      {std::regex("^(.*): At Most 1 required but received .*$"), "$1 is given twice; give it once"},
      {std::regex("^(.*): [0-9]+ required .* missing$"), "$1 has no value; give it one"},
      {std::regex("^(.*): At least ([0-9]+) required but received ([0-9]+)$"),
       "$1 takes $2 values, and has $3; give all of them"},
      {std::regex("^(.*): Value (.*) not in range (-?[0-9]+) to ([0-9]+)$"),
       "$1: $2 is not a whole number from $3 to $4"},
      {std::regex("^(.*): Value (.*) not in range (.*) to (.*)$"),
       "$1: $2 is not a number from $3 to $4"},
      {std::regex("^(.*): (.*) not in \\{(.*)\\}$"), "$1: $2 is none of $3"},
      {std::regex("^Could not convert: (.*) = (.*)$"), "$1: $2 is not a number of its kind"},
  };
  static const std::regex zeros("(\\.[0-9]*[1-9])0+\\b|\\.0+\\b");  // 86400.000000
  for (const auto& [what, plain] : words) {
    const std::string text = error.what();
    if (std::regex_match(text, what))
      return std::regex_replace(std::regex_replace(text, what, plain), zeros, "$1");
  }
  return error.what();
}

/// The command line without the arguments after "--", which go to the measured program. CLI11 would
/// take them for positional arguments of the command.
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

/// CLI11 takes "nan" for a number in every range.
void refuse_nan(CLI::App& app) {
  const auto finite = [](const std::string& text) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value);
    return !number || std::isfinite(value) ? "" : text + " is not a finite number";
  };
  for (CLI::Option* option : app.get_options())
    if (option->get_type_name().find("FLOAT in [") != std::string::npos)
      option->check(CLI::Validator(finite, ""));
  for (CLI::App* command : app.get_subcommands({})) refuse_nan(*command);
}

/// CLI11 drops empty items of a list, and counts the value of a flag.
void refuse_dropped_values(const CLI::App& app, const std::vector<std::string>& words) {
  const auto commands = app.get_subcommands({});
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* each) {
    return each->get_name() == words.front();
  });
  const CLI::App* const command = found == commands.end() ? nullptr : *found;
  for (std::size_t i = 1; command && i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const CLI::Option* const option =
        name.starts_with("--") ? command->get_option_no_throw(name) : nullptr;
    if (!option) continue;
    const bool attached = equals != std::string::npos;
    if (attached && option->get_expected_max() == 0)
      throw Error(name + " takes no value, but has " + words[i].substr(equals + 1) +
                  "; write it alone, or leave it out");
    if (option->get_delimiter() != ',' || (!attached && i + 1 == words.size())) continue;
    const std::string list = attached ? words[i].substr(equals + 1) : words[i + 1];
    if (("," + list + ",").find(",,") != std::string::npos)
      throw Error(name + " " + gate::shell_quoted(list) +
                  " has an empty item (an unset variable?); leave the comma out, or name one");
  }
}

/// "help gate" is "gate --help".
std::vector<std::string> help_request(const std::vector<std::string>& words) {
  if (words.size() == 1) return {"--help"};
  if (words.size() > 2)
    throw Error(words[0] + " takes one command: no further argument " + words[2]);
  return {words[1], "--help"};
}

/// Prints one line, even if a file name in it has line breaks; also as an annotation of GitHub.
void complain(const std::string& message) {
  const std::string line = printable(message);
  std::fprintf(stderr, "ratchet: %s\n", line.c_str());
  gate::tell_github_of_error(line, std::cout);
}

int run(int argc, char** argv) {
  CLI::App app("ratchet measures benchmark programs, and fails a run that became slower.", argv[0]);
  app.formatter(help_formatter());
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  int exit_code = 0;
  add_commands(app, exit_code);
  app.footer("Exit codes: 0 pass, 1 regression, 2 failure, 3 with --strict, 77 nothing ran.");
  refuse_nan(app);
  if (argc == 1) {  // an unset variable in a script must not pass
    std::printf("%s", app.help().c_str());
    return static_cast<int>(ExitCode::failed);
  }
  try {
    std::vector<std::string> words = own_words(app, argc, argv);
    if (words.front() == "help" || words.front() == "--help") words = help_request(words);
    if (words.front() == "--version" && words.size() > 1)
      throw Error("--version takes no further argument " + words[1]);
    require_command(app, words.front());
    refuse_dropped_values(app, words);
    const ProgressDisplay display;
    const Phase whole(words.front());
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ExtrasError& error) {
    complain(complaint_about(app, error) + " (--help shows the usage)");
    return static_cast<int>(ExitCode::failed);
  } catch (const CLI::ParseError& error) {
    complain(complaint_about(error) + " (--help shows the usage)");
    return static_cast<int>(ExitCode::failed);
  }
  return exit_code;
}

}  // namespace
}  // namespace ratchet

int main(int argc, char** argv) {
  ratchet::end_cleanly();
  try {
    const int code = ratchet::run(argc, argv);
    std::cout.flush();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
    ratchet::complain(
        "what it says cannot be written to standard output; is the disk full, or the pipe closed?");
    return code == 0 ? static_cast<int>(ratchet::ExitCode::failed) : code;
  } catch (const ratchet::Error& error) {
    ratchet::complain(error.what());
    return static_cast<int>(error.code());
  } catch (const ratchet::Interrupted&) {
    ratchet::complain("interrupted before anything was measured; the same command starts anew");
    return static_cast<int>(ratchet::after_interruption(ratchet::interruption()));
  } catch (const std::filesystem::filesystem_error& error) {
    ratchet::complain(error.path1().string() + ": " + error.code().message() +
                      "; name another place, or make this one accessible");
    return static_cast<int>(ratchet::ExitCode::failed);
  } catch (const std::exception& error) {
    ratchet::complain(error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
