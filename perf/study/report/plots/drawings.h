// All that is drawn of a family: its ladder, the plots that its published figures declare, and the
// pictures that it registers.
#pragma once

#include <filesystem>
#include <vector>

#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"
#include "perf/output/drawing/vega.h"

namespace ratchet::report {

/// Those that have anything to show, as files of `folder`, "ladder.svg" first. `baselines` as for
/// plot_series(), which says what is thrown.
std::vector<vega::Drawing> drawings_of(const Published& published,
                                       const std::vector<Machine>& machines,
                                       const std::filesystem::path& baselines,
                                       const std::filesystem::path& folder);

}  // namespace ratchet::report
