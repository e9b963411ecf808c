// Hardware counters of CUDA stages, from CUPTI's range profiler. Counting needs several passes over
// the same work and slows it, so these separate runs are not timed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/static_metrics/metrics.h"

namespace ratchet::counters {

/// A figure and its alternative metrics, best first, since chips have different metrics.
struct CounterChoice {
  std::string figure;
  std::vector<std::string> metrics;
};

/// Executed warp instructions; use of the ALU, FMA, XU, LSU and tensor pipes in percent of the peak
/// while an SM is active; DRAM and L2 throughput in percent of the peak. Names: Nsight Compute
/// documentation, "Metrics Structure".
const std::vector<CounterChoice>& counter_choices();

struct ChosenMetric {
  std::string figure;
  std::string metric;
};

/// The first supported metric of each choice; figures without one are left out.
std::vector<ChosenMetric> choose_metrics(const std::vector<CounterChoice>& choices,
                                         const std::function<bool(const std::string&)>& supported);

/// Figures from values in the order of `chosen`, without NaN values.
Item counted_item(const std::vector<ChosenMetric>& chosen, const std::vector<double>& values);

/// Counts one run of every CUDA stage that `wanted` names and that can run here: with default
/// parameters, and at those of `points` that are the stage's. A failing stage is reported on stderr
/// and left out. Throws `NoMetrics` with the reason without a GPU or CUPTI, if another profiler
/// holds CUPTI, or if this user may not read counters.
std::vector<StaticMetrics> counter_metrics(const std::function<bool(const std::string&)>& wanted,
                                           const std::set<RowId>& points);

}  // namespace ratchet::counters
