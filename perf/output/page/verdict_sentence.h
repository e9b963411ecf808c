// The verdict of a run as one sentence.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "perf/output/page/row_model.h"
#include "perf/support/json_node.h"

namespace ratchet::report {

/// {"state", "exit_code", "sentence"}: state is "pass", "regression", "failed", "undecided" or
/// "nothing" (nothing could run, or nothing was compared). `rows`: worst first. `run`: the run's
/// facts; without an exit code in them, the code of a run without options applies.
nlohmann::json verdict_of(const std::vector<RowModel>& rows, const Node& run);

}  // namespace ratchet::report
