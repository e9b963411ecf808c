// Hardware counters of CUDA stages, from CUPTI's range profiler, in runs of their own: counting
// needs several passes over the same work and slows it, so nothing is timed meanwhile.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "perf/identity/static_metrics/metrics.h"

namespace ratchet::counters {

/// A figure, and the metrics that stand for it, best first: what a chip lacks, another may have.
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

/// The first metric of each choice that `supported` accepts; figures without one are left out.
std::vector<ChosenMetric> choose_metrics(const std::vector<CounterChoice>& choices,
                                         const std::function<bool(const std::string&)>& supported);

/// Figures from values in the order of `chosen`; values that are no numbers are left out.
Item counted_item(const std::vector<ChosenMetric>& chosen, const std::vector<double>& values);

/// Counts one run at default parameters of every CUDA stage that `wanted` names and that can run
/// here; a stage that fails is named on stderr and left out. Throws `NoMetrics` with the reason
/// where there is no GPU, no CUPTI, another profiler holds it, or the driver keeps counters from
/// this user.
std::vector<StaticMetrics> counter_metrics(const std::function<bool(const std::string&)>& wanted);

}  // namespace ratchet::counters
