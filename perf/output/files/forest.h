// A gate run as a forest plot: every compared row's change, its interval and its tolerance.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "perf/output/history/record.h"

namespace ratchet::report {

/// A Vega-Lite specification without a theme (perf/output/drawing/vega.h), the largest loss first.
/// The title counts the rows that were compared without a clock or not at all. Nothing if no row
/// was compared by time. Each datum is a row: "row", "verdict", and in percent "change",
/// "tolerance", "low" and "high" (null if the rule needed no simultaneous interval).
std::optional<nlohmann::json> forest_spec(const history::RunRecord& run);

}  // namespace ratchet::report
