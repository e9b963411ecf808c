// A gate run as a forest plot: every compared row's change, its interval and its tolerance.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "perf/history/record.h"

namespace ratchet::report {

/// A Vega-Lite specification without a theme (perf/support/vega.h), the largest loss first; rows
/// that were compared without a clock, or not at all, are counted below the title. Nothing where no
/// row has an interval. Each datum is a row: "row", "verdict", and in percent "change", "low",
/// "high" and "tolerance".
std::optional<nlohmann::json> forest_spec(const history::RunRecord& run);

}  // namespace ratchet::report
