// What several commands share.
#include <CLI/CLI.hpp>
#include <ostream>

#include "kernels/stage.h"
#include "kernels/support/error.h"
#include "perf/cli/commands.h"
#include "perf/gate/run/selection.h"
#include "perf/support/process.h"

namespace ratchet {

std::filesystem::path default_bench() { return own_executable().parent_path() / "ratchet-bench"; }

void add_selection_options(CLI::App& command, gate::SelectionOptions& selection) {
  command.add_option("--filter", selection.filter, filter_help);
  command.add_option("--backend", selection.backend, "only rows of this backend")
      ->check(CLI::IsMember({"cpu", "cuda", "opencl", "hybrid"}));
}

void add_quiet_option(CLI::App& command, bool& quiet) {
  command.add_flag("-q,--quiet", quiet, "no progress; only the verdict and what is not the same");
}

std::function<void(const std::string&)> say_on(std::ostream& out, bool quiet) {
  if (quiet) return [](const std::string&) {};
  return [&out](const std::string& line) { out << "ratchet: " << line << std::endl; };
}

const Stage& one_stage(const std::string& filter) {
  const std::vector<const Stage*> stages = match_stages(filter);
  if (stages.size() > 1)
    throw Error("'" + filter + "' selects " + std::to_string(stages.size()) + " stages, of them " +
                stages[0]->info().name + " and " + stages[1]->info().name + "; name one");
  return *stages.front();
}

}  // namespace ratchet
