// Rows of several processes: those whose names say "/ranks:N" are started by mpirun.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "perf/support/process.h"

namespace ratchet::gate {

/// The rows of one job each, by their number of ranks.
std::map<std::uint64_t, std::vector<std::string>> by_ranks(const std::vector<std::string>& rows);

/// run_process(), on so many ranks. mpirun ends all of them when one fails and when it is told to
/// end; the result's last error is then the line that names the rank and its host.
ProcessResult run_ranks(std::uint64_t ranks, const std::vector<std::string>& command,
                        double limit_s, const Environment& environment = {});

/// What mpirun and the ranks wrote to stderr, with the line that names the rank at fault last, or
/// the first that says anything; unchanged where there is none.
std::string with_rank_at_fault_last(const std::string& errors);

}  // namespace ratchet::gate
