// The tables of a text, with published and measured columns, and the block of tables in README.md.
#pragma once

#include <string>
#include <vector>

#include "perf/report/machines.h"
#include "perf/report/published.h"

namespace ratchet::report {

/// Every table of the text in Markdown: the published columns, then one per machine that measured
/// any of its rows; measured times are for published.scale_units units, computed from the median
/// throughput of the stored launches. Stages that the text does not have follow, with their ratio
/// to its last stage.
std::string family_tables(const Published& published, const std::vector<Machine>& machines);

/// One ladder a machine: stage, time, speed-up over the machine's first stage, share of its limit.
/// Empty when the machine measured nothing of the family.
std::string ladder(const Published& published, const Machine& machine);

/// Seconds for published.scale_units units at this throughput.
double scaled_seconds(const Published& published, double units_per_second);

}  // namespace ratchet::report
