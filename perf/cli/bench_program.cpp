#include "perf/cli/bench_program.h"

namespace ratchet {

std::filesystem::path default_bench() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "ratchet-bench" : self.parent_path() / "ratchet-bench";
}

}  // namespace ratchet
