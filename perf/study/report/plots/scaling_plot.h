// The plot of speed against the number of GPUs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "perf/study/report/figures/gpu_scaling.h"

namespace ratchet::report {

/// Measured points on the model's curves, as a Vega-Lite specification. Nothing of none.
std::optional<nlohmann::json> scaling_spec(const std::vector<GpuScaling>& scalings);

}  // namespace ratchet::report
