// The ladder of a family as a plot: how fast every stage is, on every machine, beside the text's.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {

/// A Vega-Lite specification without a theme (perf/output/drawing/vega.h): a line a stage, a panel a
/// backend, speed on a logarithmic axis. Nothing where no stage has a figure. Each datum is one
/// figure: "stage", "backend", "of" (a machine, or "published"), "speed" in units of work a second,
/// or as published.rate has it, and "at": where it was taken, unless that is the stage's own point:
/// "photons:134217728", "12 threads".
std::optional<nlohmann::json> ladder_spec(const Published& published,
                                          const std::vector<Machine>& machines);

}  // namespace ratchet::report
