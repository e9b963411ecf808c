#include "perf/cli/bench_program.h"

namespace ratchet {

std::filesystem::path default_bench() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "ratchet-bench" : self.parent_path() / "ratchet-bench";
}

void add_selection_options(CLI::App& command, gate::SelectionOptions& selection) {
  command.add_option("--filter", selection.filter,
                     "rows to run: the name of a row or stage, or a regular expression");
  command.add_option("--backend", selection.backend, "only rows of this backend")
      ->check(CLI::IsMember({"cpu", "cuda", "opencl", "hybrid"}));
}

}  // namespace ratchet
