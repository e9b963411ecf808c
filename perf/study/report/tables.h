// The tables of a text, with published and measured columns, and the blocks of tables in pages.
#pragma once

#include <string>
#include <vector>

#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {

/// Every table of the text in Markdown: the published columns, then one per machine that measured
/// any of its rows; measured figures are times for published.scale_units units or throughput in the
/// unit of published.rate, computed from the median throughput of the stored launches. Stages that
/// the text does not have follow, with their ratio to its last stage; then each machine's
/// stage_by_stage().
std::string family_tables(const Published& published, const std::vector<Machine>& machines);

/// What each stage got on a machine: as ladder(), but for the speed-up, which is over the stage
/// before of the same backend (as printed stages are passed over, where there is another).
std::string stage_by_stage(const Published& published, const Machine& machine);

/// One ladder a machine: stage, what it has set otherwise than the machine's first stage, time or
/// throughput, speed-up over that first stage at the same point (in brackets where that was not
/// measured: at its own), share of its limit. A stage stands for itself by its own row, or by its
/// largest point where only points of its sweep were measured. Empty when the machine measured
/// nothing of the family.
std::string ladder(const Published& published, const Machine& machine);

}  // namespace ratchet::report
