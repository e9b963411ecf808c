// Help texts: 80 columns, options and commands under headings; and the manual page of the same.
#pragma once

#include <memory>
#include <string>
#include <utility>
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

/// ratchet(1) with all commands, in the macros of man(7).
std::string manual_page(const CLI::App& app);

/// Options or commands under one heading; those without a heading are hidden.
template <class Member>
using Groups = std::vector<std::pair<std::string, std::vector<const Member*>>>;
/// The arguments, then the options by group, without --help and --version.
Groups<CLI::Option> shown_options(const CLI::App& app);
Groups<CLI::App> shown_commands(const CLI::App& app);

/// "-q, --quiet", "--budget-s SECONDS"; "ROWS" of an argument.
std::string name_of(const CLI::Option& option);
/// With its default and its variable.
std::string description_of(const CLI::Option& option);
/// "ratchet gate [OPTIONS] [ROWS]...".
std::string usage_of(const CLI::App& app);

/// Options that are added to `command` from here on stand under this heading.
void begin_options(CLI::App& command, const std::string& heading);

}  // namespace ratchet
