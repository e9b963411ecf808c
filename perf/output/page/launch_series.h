// The launches of one side of a row, small enough that a page holds a hundred thousand of them.
#pragma once

#include <nlohmann/json.hpp>

#include "perf/gate/baseline/measurements.h"

namespace ratchet::report {

/// {"median": units per second, "ppm": [...]} in the order of launching, where a launch's
/// throughput is median * (1 + ppm / 1e6); and where the launches say it "mhz": [...], the clock of
/// the CPU or of the GPU's SMs, "away": [...], for how many percent of the time others had what it
/// ran on, or "quiet": true where that is 0 for all; "contended": indices of launches that were no
/// metrics.
nlohmann::json launch_series(const Row& row);

}  // namespace ratchet::report
