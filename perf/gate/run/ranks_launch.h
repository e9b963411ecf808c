// Rows of several processes, with "/ranks:N" in their names: mpirun starts them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "perf/support/process.h"

namespace ratchet::gate {

/// The rows by their number of ranks; those of one number form a job.
std::map<std::uint64_t, std::vector<std::string>> by_ranks(const std::vector<std::string>& rows);

/// run_process() on several ranks. mpirun ends all ranks when one fails, and when it gets SIGTERM;
/// the result's last error is then the line that names the rank and its host.
ProcessResult run_ranks(std::uint64_t ranks, const std::vector<std::string>& command,
                        double limit_s, const Environment& environment = {});

/// The stderr of mpirun and the ranks, with the line that names the failed rank repeated at the
/// end, or else the first line with a word; unchanged where there is none.
std::string with_rank_at_fault_last(const std::string& errors);

}  // namespace ratchet::gate
