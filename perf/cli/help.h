// Help texts: 80 columns, options and commands under headings.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
class Option;
}  // namespace CLI
namespace ratchet {

/// Formats the help text of a command: description, usage, arguments, options by group, footer.
/// Lines of the footer that begin with a space stay as they are; all others are wrapped.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// Under one heading; those without a heading are hidden.
struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
/// The arguments, then the options by group, without --help and --version.
std::vector<OptionGroup> shown_options(const CLI::App& app);
struct ShownCommands {
  std::string heading;
  std::vector<const CLI::App*> commands;
};
std::vector<ShownCommands> shown_commands(const CLI::App& app);

/// "-q, --quiet", "--budget-s SECONDS"; "ROWS" of an argument.
std::string name_of(const CLI::Option& option);
/// With its default and its variable.
std::string description_of(const CLI::Option& option);
/// "ratchet gate [OPTIONS] [ROWS]...".
std::string usage_of(const CLI::App& app);

/// Options that are added to `command` from here on stand under this heading.
void begin_options(CLI::App& command, const std::string& heading);

}  // namespace ratchet
