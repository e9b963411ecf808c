// The verdict of a run as one sentence.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "perf/support/json_node.h"

namespace ratchet::report {

/// {"state", "exit_code", "sentence"}: state is "pass", "regression", "failed", "undecided" or
/// "nothing" (nothing could run, or nothing was compared). `rows`: the model's, worst first. `run`:
/// what the results say of the run; where they state no exit code, that of a run without options.
nlohmann::json verdict_of(const nlohmann::json& rows, const Node& run);

}  // namespace ratchet::report
