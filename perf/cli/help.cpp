#include "perf/cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>

namespace ratchet {
namespace {

constexpr std::size_t width = 80;   ///< of a terminal
constexpr std::size_t column = 28;  ///< in which descriptions begin

/// The words of `text` on lines of at most 80 columns. The first line begins in column `at`; the
/// others are indented to `indent`.
std::string wrapped(const std::string& text, std::size_t at, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  bool begun = false;
  for (std::string word; words >> word; begun = true) {
    if (begun && at + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (begun) {
      lines += " ";
      ++at;
    }
    lines += word;
    at += word.size();
  }
  return lines + "\n";
}

/// A name on the left, its description on the right, or below a long name.
std::string entry(const std::string& name, const std::string& description) {
  std::string left = "  " + name;
  if (left.size() + 2 > column)
    left += "\n" + std::string(column, ' ');
  else
    left.resize(column, ' ');
  return left + wrapped(description, column, column);
}

std::string options_of(const CLI::App& app) {
  std::string text;
  for (const auto& [heading, options] : shown_options(app)) {
    text += "\n" + heading + ":\n";
    for (const CLI::Option* option : options)
      text += entry(name_of(*option), description_of(*option));
  }
  return text;
}

std::string commands_of(const CLI::App& app) {
  const Groups<CLI::App> groups = shown_commands(app);
  std::size_t longest = 0;
  for (const auto& [heading, commands] : groups)
    for (const CLI::App* command : commands)
      longest = std::max(longest, command->get_name().size());
  std::string text = groups.empty() ? "" : "\n";  // one empty line: the list fills a screen
  for (const auto& [heading, commands] : groups) {
    text += heading + ":\n";
    for (const CLI::App* command : commands) {
      std::string name = "  " + command->get_name();
      name.resize(longest + 4, ' ');
      text += name + wrapped(command->get_description(), name.size(), name.size());
    }
  }
  return text;
}

std::string footer_of(const CLI::App& app) {
  if (app.get_footer().empty()) return "";
  std::istringstream lines(app.get_footer());
  std::string text = app.get_parent() ? "\n" : "";  // the list of commands fills a screen
  for (std::string line; std::getline(lines, line);)
    text += line.starts_with(' ') ? line + "\n" : wrapped(line, 0, 0);
  return text;
}

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return wrapped(app->get_description(), 0, 0) + wrapped("Usage: " + usage_of(*app), 0, 2) +
           options_of(*app) + commands_of(*app) + footer_of(*app);
  }
};

}  // namespace

Groups<CLI::Option> shown_options(const CLI::App& app) {
  Groups<CLI::Option> groups;
  const auto add = [&](const std::string& heading, auto&& belongs) {
    std::vector<const CLI::Option*> options;
    for (const CLI::Option* option : app.get_options())
      if (option != app.get_help_ptr() && option != app.get_version_ptr() && belongs(*option))
        options.push_back(option);
    if (!options.empty()) groups.emplace_back(heading, options);
  };
  add("Arguments", [](const CLI::Option& option) { return option.get_positional(); });
  for (const std::string& group : app.get_groups())
    if (!group.empty())
      add(group, [&](const CLI::Option& option) {
        return !option.get_positional() && option.get_group() == group;
      });
  return groups;
}

Groups<CLI::App> shown_commands(const CLI::App& app) {
  Groups<CLI::App> groups;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string& heading = command->get_group();
    if (heading.empty()) continue;
    const auto same = [&](const auto& group) { return group.first == heading; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(groups.end(), {heading, {}});
    group->second.push_back(command);
  }
  return groups;
}

std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string name;
  for (const std::string& letter : option.get_snames()) name += "-" + letter + ", ";
  for (const std::string& word : option.get_lnames()) name += "--" + word + ", ";
  name.resize(name.size() - 2);
  if (option.get_expected_max() == 0) return name;  // a flag
  const std::string& value = option.get_option_text();
  return name + " " + (value.empty() ? "TEXT" : value);
}

std::string description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) text += " (default " + option.get_default_str() + ")";
  if (!option.get_envname().empty()) text += "; or the variable " + option.get_envname();
  return text;
}

std::string usage_of(const CLI::App& app) {
  const bool root = app.get_parent() == nullptr;
  const CLI::App& program = root ? app : *app.get_parent();
  const std::string name = std::filesystem::path(program.get_name()).filename();
  if (root) return name + " COMMAND [OPTIONS]; " + name + " help COMMAND; " + name + " --version";
  std::string usage = name + " " + app.get_name() + " [OPTIONS]";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string argument = option->get_name(true, false);
    usage += " " + (option->get_required() ? argument : "[" + argument + "]");
    if (option->get_expected_max() > 1) usage += "...";
  }
  return usage;
}

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

void begin_options(CLI::App& command, const std::string& heading) {
  command.option_defaults()->group(heading);
}

}  // namespace ratchet
