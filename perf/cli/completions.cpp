// `ratchet completions SHELL` prints a script that asks the hidden `ratchet complete -- WORDS` at
// each tab. So what a shell offers is declared once, where --help reads it, too.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "kernels/contract/stage.h"
#include "perf/cli/commands.h"
#include "perf/cli/help.h"
#include "perf/support/error.h"
#include "perf/support/git.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

// Each script gets a line an offer, "word<tab>description", and as the last line which places of
// the file system fit, too: ":files", ":folders" or ":none".

constexpr char bash_script[] = R"(# Completion of ratchet for bash, from `ratchet completions bash`.
_ratchet() {
    local line lines
    mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    COMPREPLY=()
    for line in "${lines[@]}"; do
        case $line in
            :none) ;;
            :files) compopt -o default ;;
            :folders) compopt -o dirnames ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done
}
complete -F _ratchet ratchet
)";

constexpr char zsh_script[] = R"(#compdef ratchet
# Completion of ratchet for zsh, from `ratchet completions zsh`.
_ratchet() {
    local -a lines
    local places
    lines=("${(@f)$(${~words[1]} complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    places=$lines[-1]
    lines[-1]=()
    if (( $#lines )); then
        lines=("${(@)lines//:/\\:}")
        lines=("${(@)lines/$'\t'/:}")
        _describe ratchet lines
    fi
    [[ $PREFIX == --*=* ]] && compset -P '*='
    case $places in
        :files) _files ;;
        :folders) _files -/ ;;
    esac
}
if [[ $funcstack[1] == _ratchet ]]; then
    _ratchet "$@"
else
    compdef _ratchet ratchet
fi
)";

constexpr char fish_script[] = R"(# Completion of ratchet for fish, from `ratchet completions fish`.
function __ratchet_complete
    set -l words (commandline -opc)
    set -l lines (eval $words[1] complete -- (string escape -- $words[2..-1] (commandline -ct)) 2>/dev/null)
    for line in $lines
        switch $line
            case :none
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c ratchet -f -a '(__ratchet_complete)'
)";

const std::map<std::string, const char*> scripts = {
    {"bash", bash_script}, {"fish", fish_script}, {"zsh", zsh_script}};

/// What may stand for a word.
struct Offers {
  std::vector<std::pair<std::string, std::string>> words = {};  ///< with descriptions
  const char* places = ":none";
};

/// By the set that CLI::IsMember describes, "TEXT:{auto,cpu,wall}"; else by the placeholder.
Offers values_of(const CLI::Option& option) {
  Offers offers;
  const auto add = [&](const std::string& word) { offers.words.emplace_back(word, ""); };
  const std::string type = option.get_type_name();
  if (const std::size_t set = type.find(":{"); set != std::string::npos) {
    std::istringstream words(type.substr(set + 2, type.find('}') - set - 2));
    for (std::string word; std::getline(words, word, ',');) add(word);
    return offers;
  }
  const std::string kind = option.get_positional() ? option.get_name(true, false)
                                                   : std::string(option.get_option_text());
  static const std::set<std::string> rows = {"ROW", "ROWS", "STAGE"};
  static const std::set<std::string> revisions = {"REV", "GOOD", "BAD"};
  static const std::set<std::string> files = {"A", "B", "WHERE"};
  if (rows.contains(kind)) {
    for (const Stage* stage : registry())
      offers.words.emplace_back(stage->info().name, stage->info().summary);
  } else if (kind == "FAMILY") {
    std::set<std::string> families;
    for (const Stage* stage : registry()) families.insert(stage->info().family());
    for (const std::string& family : families) add(family);
  } else if (revisions.contains(kind)) {
    try {
      std::istringstream names(ask_git(".", {"for-each-ref", "--format=%(refname:short)"}));
      for (std::string name; std::getline(names, name);) add(name);
    } catch (const Error&) {  // outside a repository there are none
    }
  } else if (kind.starts_with("FILE") || files.contains(kind) ||
             (kind == "PROGRAM" && !option.get_positional())) {
    offers.places = ":files";
  } else if (kind.starts_with("DIR")) {
    offers.places = ":folders";
  }
  return offers;
}

bool takes_several(const CLI::Option& option) {
  return option.get_expected_max() > 1 && option.get_allow_extra_args();
}

Offers commands_offered(const CLI::App& app) {
  Offers offers;
  for (const auto& [heading, commands] : shown_commands(app))
    for (const CLI::App* command : commands)
      offers.words.emplace_back(command->get_name(), command->get_description());
  return offers;
}

Offers options_offered(const CLI::App& command) {
  Offers offers;
  for (const auto& [heading, options] : shown_options(command))
    for (const CLI::Option* option : options) {
      for (const std::string& name : option->get_lnames())
        offers.words.emplace_back("--" + name, description_of(*option));
      for (const std::string& name : option->get_snames())
        offers.words.emplace_back("-" + name, description_of(*option));
    }
  offers.words.emplace_back("--help", "show the usage");
  return offers;
}

/// What follows the command's name. `words`: those between it and the current one.
Offers offers_of(const CLI::App& command, const std::vector<std::string>& words,
                 const std::string& current) {
  std::size_t positions = 0;
  const CLI::Option* open = nullptr;  ///< takes the next word
  for (const std::string& word : words) {
    if (word == "--") return {{}, ":files"};  // arguments of the program
    if (word.starts_with("-")) {
      const CLI::Option* option = command.get_option_no_throw(word);
      open = option && option->get_expected_max() > 0 ? option : nullptr;
    } else if (open) {
      if (!takes_several(*open)) open = nullptr;
    } else {
      ++positions;
    }
  }
  if (open && !(current.starts_with("-") && takes_several(*open))) return values_of(*open);
  if (current.starts_with("-")) return options_offered(command);
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (positions == 0 || takes_several(*option)) {
      Offers offers = values_of(*option);
      if (!offers.words.empty() || offers.places != std::string(":none")) return offers;
      break;
    }
    --positions;
  }
  return options_offered(command);
}

/// `words`: all after the program's name; the last is the one to complete, perhaps empty.
Offers offers_for(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) words = {""};
  // bash splits "--clock=cpu" into three words, and takes an offer for the last of them.
  if (const std::size_t last = words.size() - 1; last > 0 && words[last] == "=") {
    words[last].clear();
  } else if (last > 1 && words[last - 1] == "=" && words[last - 2].starts_with("--")) {
    words.erase(words.end() - 2);
  }
  const std::string current = words.back();
  words.pop_back();
  Offers offers;
  std::string before;  ///< of an offer: "--clock="
  if (words.empty()) {
    offers = commands_offered(app);
    for (const char* word : {"help", "--help", "--version"}) offers.words.emplace_back(word, "");
  } else if (words.front() == "help") {
    offers = commands_offered(app);
  } else {
    for (const CLI::App* command : app.get_subcommands({})) {
      if (command->get_name() != words.front()) continue;
      std::vector<std::string> rest(words.begin() + 1, words.end());
      const std::size_t equals = current.find('=');
      if (current.starts_with("--") && equals != std::string::npos) {
        before = current.substr(0, equals + 1);
        rest.push_back(current.substr(0, equals));
      }
      offers = offers_of(*command, rest, current.substr(before.size()));
    }
  }
  for (auto& [word, description] : offers.words) word = before + word;
  std::erase_if(offers.words, [&](const auto& each) { return !each.first.starts_with(current); });
  return offers;
}

}  // namespace

void add_completions_command(CLI::App& app, int& exit_code) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completions", "print a script that completes words in a shell");
  command->add_option("SHELL", *shell, "bash, fish or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "fish", "zsh"}));
  command->footer(
      "An installed package has them in place already, and `man ratchet`.\n"
      "Exit codes: 0 printed, 2 there is no such shell.\n"
      "Examples:\n"
      "  ratchet completions bash >~/.local/share/bash-completion/completions/ratchet\n"
      "  ratchet completions zsh >\"${fpath[1]}/_ratchet\"\n"
      "  ratchet completions fish >~/.config/fish/completions/ratchet.fish");
  command->callback([shell, &exit_code] {
    std::cout << scripts.at(*shell) << std::flush;
    exit_code = static_cast<int>(ExitCode::pass);
  });
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* complete = app.add_subcommand("complete", "")->group("");
  take_program_arguments(*complete, *words);
  complete->callback([words, &app, &exit_code] {
    const Offers offers = offers_for(app, *words);
    for (const auto& [word, description] : offers.words)
      std::cout << word << "\t" << printable(description) << "\n";
    std::cout << offers.places << std::endl;
    exit_code = static_cast<int>(ExitCode::pass);
  });
  CLI::App* manual = app.add_subcommand("manual", "")->group("");
  manual->callback([&app, &exit_code] {
    std::cout << manual_page(app) << std::flush;
    exit_code = static_cast<int>(ExitCode::pass);
  });
}

}  // namespace ratchet
