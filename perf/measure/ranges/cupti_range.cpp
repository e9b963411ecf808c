#include "perf/measure/ranges/cupti_range.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "kernels/contract/stage.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/measure/ranges/cupti_range_profiler.h"

namespace ratchet::counters {
namespace {

/// The GPU resources for counting one stage, released on every exit.
Item count_stage(const Stage& stage, const Settings& settings,
                 const std::vector<ChosenMetric>& chosen, const RangeProfiler& profiler) {
  Parameters parameters = stage.defaults();
  for (const auto& [name, value] : settings) parameters.set(name, value);
  const std::unique_ptr<Instance> instance = stage.prepare(parameters);
  instance->run();  // excludes loading code and first touches
  instance->wait();
  std::vector<std::string> metrics;
  for (const ChosenMetric& each : chosen) metrics.push_back(each.metric);
  const std::vector<double> values = profiler.count(metrics, [&] {
    instance->run();
    instance->wait();
  });
  return counted_item(chosen, values);
}

std::map<std::string, std::string> basis_here(const std::string& chip) {
  const auto fields = gpu_fields();
  const auto field = [&](const char* name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string("unknown") : found->second;
  };
  return {{"kind", "device counters"},
          {"gpu", field("gpu.model")},
          {"chip", chip},
          {"toolkit", field("gpu.toolkit")},
          {"flags", field("gpu.flags")}};
}

}  // namespace

std::vector<StaticMetrics> counter_metrics(const std::function<bool(const std::string&)>& wanted,
                                           const std::set<RowId>& points) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    cudaGetLastError();
    throw NoMetrics("no CUDA device can be used here");
  }
  try {
    const RangeProfiler profiler(0);
    const std::vector<ChosenMetric> chosen =
        choose_metrics(counter_choices(), [&](const auto& name) { return profiler.knows(name); });
    if (chosen.empty()) throw NoMetrics("CUPTI knows none of the metrics for " + profiler.chip());
    StaticMetrics metrics{basis_here(profiler.chip()), {}};
    for (const Stage* stage : registry()) {
      const std::string& name = stage->info().name;
      if (stage->info().backend != Backend::cuda || !wanted(name)) continue;
      if (!stage->availability().ok) {
        metrics.not_counted.insert(name);
        continue;
      }
      try {
        std::set<RowId> rows = {name};
        for (const RowId& point : points)
          if (point.stage() == name) rows.insert(point);
        for (const RowId& row : rows)
          metrics.stages[name][counted_name(row)] =
              count_stage(*stage, row.settings().value_or(Settings{}), chosen, profiler);
      } catch (const Error& error) {
        metrics.stages.erase(name);
        metrics.not_counted.insert(name);
        metrics.broken.insert(name);
        std::cerr << fmt::format("ratchet: {} not counted: {}\n", name, error.what());
      }
    }
    return {metrics};
  } catch (const timing::CuptiUnavailable& reason) {
    throw NoMetrics(reason.what());
  }
}

}  // namespace ratchet::counters
