// The launches of one side of a row in a compact form, for pages with 100 000 launches.
#pragma once

#include <nlohmann/json.hpp>

#include "perf/gate/baseline/measurements.h"

namespace ratchet::report {

/// {"median": units per second, "ppm": [...]} in launch order; a launch's throughput is
/// median * (1 + ppm / 1e6). If recorded: "mhz": [...], the clock of the CPU or of the GPU's SMs;
/// "away": [...], the percentage of the time in which others used its CPU or GPU, or "quiet": true
/// if that is 0 for all; "contended": indices of launches that the rules ignore as contended.
nlohmann::json launch_series(const Row& row);

}  // namespace ratchet::report
