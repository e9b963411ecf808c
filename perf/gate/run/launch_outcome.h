// What a process that measured left behind: a launch a row, or why there is none.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/gate/run/bench_program.h"
#include "perf/support/process.h"

namespace ratchet::gate {

/// What a process of ours left of each row in `output`; one that died or wrote nonsense fails all.
std::map<std::string, LaunchOutcome> read_outcomes(const ProcessResult& result,
                                                   const std::filesystem::path& output,
                                                   const std::vector<std::string>& rows);

}  // namespace ratchet::gate
