#include <CLI/CLI.hpp>
#include <sstream>

#include "perf/cli/commands.h"
#include "perf/cli/help.h"

namespace ratchet {
namespace {

/// Of a text: no dash becomes a hyphen, no line a macro.
std::string roff(const std::string& text) {
  std::string safe = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return safe;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string tagged(const std::string& name, const std::string& text) {
  return ".TP\n" + bold(name) + "\n" + roff(text) + "\n";
}

/// Lines that begin with a space stay as they are.
std::string notes(const std::string& footer) {
  std::istringstream lines(footer);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    text +=
        line.starts_with(' ') ? ".PP\n.nf\n" + roff(line) + "\n.fi\n" : ".PP\n" + roff(line) + "\n";
  return text;
}

std::string section_of(const CLI::App& command) {
  std::string text = ".SS " + command.get_name() + "\n" + bold(usage_of(command)) + "\n.PP\n" +
                     roff(command.get_description()) + ".\n";
  for (const auto& [heading, options] : shown_options(command)) {
    text += ".PP\n\\fI" + roff(heading) + "\\fR\n";
    for (const CLI::Option* option : options)
      text += tagged(name_of(*option), description_of(*option));
  }
  return text + notes(command.get_footer());
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string release = version();  // "ratchet 1.2.3 (revision)"
  release = release.substr(0, release.find(" ("));
  std::string text = ".TH RATCHET 1 \"\" \"" + release + "\" \"User Commands\"\n.SH NAME\n" +
                     "ratchet \\- a performance\\-regression gate for benchmark programs\n" +
                     ".SH SYNOPSIS\n" + roff(usage_of(app)) + "\n.SH DESCRIPTION\n" +
                     roff(app.get_description()) + "\n" + notes(app.get_footer());
  for (const auto& [heading, commands] : shown_commands(app)) {
    text += ".PP\n" + bold(heading + ":") + "\n";
    for (const CLI::App* command : commands)
      text += tagged(command->get_name(), command->get_description());
  }
  text += ".SH COMMANDS\n";
  for (const auto& [heading, commands] : shown_commands(app))
    for (const CLI::App* command : commands) text += section_of(*command);
  return text;
}

}  // namespace ratchet
