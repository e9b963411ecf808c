// Help texts: 80 columns, options and commands under headings.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI
namespace ratchet {

/// Formats the help text of a command: description, usage, arguments, options by group, footer.
/// Lines of the footer that begin with a space stay as they are; all others are wrapped.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// Options that are added to `command` from here on stand under this heading.
void begin_options(CLI::App& command, const std::string& heading);

}  // namespace ratchet
