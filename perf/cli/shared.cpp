// What several commands share.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <map>
#include <ostream>

#include "perf/cli/commands.h"
#include "perf/gate/rule/rule.h"
#include "perf/gate/run/session_options.h"
#include "perf/support/error.h"
#include "perf/support/process.h"

namespace ratchet {

std::filesystem::path default_bench() { return own_executable().parent_path() / "ratchet-bench"; }

void add_selection_options(CLI::App& command, gate::SelectionOptions& selection) {
  command.add_option("--filter", selection.filter, filter_help);
  command
      .add_option(
          "--backend", selection.backend,
          "only rows of this backend; rows of mpi, several processes each, are measured where "
          "this or the filter asks for them")
      ->check(CLI::IsMember({"cpu", "cuda", "opencl", "hybrid", "mpi"}));
}

void add_tolerance_option(CLI::App& command, std::vector<gate::StatedTolerance>& tolerances) {
  command
      .add_option_function<std::vector<std::string>>(
          "--tolerance",
          [&tolerances](const std::vector<std::string>& words) {
            for (const std::string& word : words) tolerances.push_back(gate::read_tolerance(word));
          },
          "what may differ, as a share: of every row (0.03 is 3 %), or of some (ROWS=0.1, ROWS as "
          "in --filter); may be repeated, the last one counts. Otherwise what the row's baseline "
          "states, or the default of its device")
      ->expected(1)
      ->allow_extra_args(false)  // what follows may be the rows
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_quiet_option(CLI::App& command, bool& quiet) {
  command.add_flag("-q,--quiet", quiet, "no progress; only the verdict and what is not the same");
}

std::function<void(const std::string&)> say_on(std::ostream& out, bool quiet) {
  if (quiet) return [](const std::string&) {};
  return [&out](const std::string& line) { out << "ratchet: " << line << std::endl; };
}

namespace {

std::map<const CLI::App*, std::vector<std::string>*>& program_arguments() {
  static std::map<const CLI::App*, std::vector<std::string>*> all;
  return all;
}

}  // namespace

void take_program_arguments(const CLI::App& command, std::vector<std::string>& arguments) {
  program_arguments()[&command] = &arguments;
}

std::vector<std::string>* program_arguments_of(const CLI::App& command) {
  const auto found = program_arguments().find(&command);
  return found == program_arguments().end() ? nullptr : found->second;
}

namespace {

std::vector<CommandGroup>& groups() {
  static std::vector<CommandGroup> all;
  return all;
}

}  // namespace

CommandGroupRegistration::CommandGroupRegistration(CommandGroup group) {
  groups().push_back(std::move(group));
}

const std::vector<CommandGroup>& command_groups() { return groups(); }

namespace {

/// The optimal string alignment distance.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // longer words are not typing errors
  if (word.size() > longest) return "";
  std::string nearest;
  std::size_t least = longest;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(word, candidate);
    if (distance >= least || 3 * distance > std::max(word.size(), candidate.size())) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace ratchet
