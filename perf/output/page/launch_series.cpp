#include "perf/output/page/launch_series.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "perf/output/page/row_model.h"
#include "perf/stats/quantile.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

double clock_mhz(const Launch& launch) {
  const double of_gpu = launch.counter(counter::sm_clock_mhz).value_or(0);
  return of_gpu > 0 ? of_gpu : launch.counter(counter::cpu_mhz).value_or(0);
}

/// The share of the time that the launch did not get: for a row on its own CPU, 1 - CPU time / wall
/// time; for a GPU, the share of samples discarded as throttled; else the hypervisor's steal time.
double away_percent(const Launch& launch) {
  if (launch.counter(counter::one_cpu).value_or(0) > 0 && launch.cpu_ms > 0)
    return std::max(0.0, 100 * (1 - launch.cpu_ms / launch.real_ms));
  const double thrown = launch.counter(counter::discarded).value_or(0);
  const double kept = launch.counter(counter::samples).value_or(0);
  if (thrown > 0 && launch.counter(counter::throttled).value_or(0) > 0)
    return 100 * thrown / (thrown + kept);
  return launch.counter(counter::steal_percent).value_or(0);
}

/// Whether the launches recorded how much of their CPU others used.
bool records_neighbours(const Row& row) {
  return std::any_of(row.launches.begin(), row.launches.end(), [](const Launch& launch) {
    return launch.counter(counter::one_cpu) || launch.counter(counter::steal_percent);
  });
}

/// Adds nothing if every launch has 0.
template <class Figure>
void add_figures(json& series, const char* key, const Row& row, int decimals, Figure&& figure) {
  json list = json::array();
  bool any = false;
  for (const Launch& launch : row.launches) {
    const double value = rounded(figure(launch), decimals);
    any = any || value != 0;
    if (value == std::floor(value))
      list.push_back(static_cast<std::int64_t>(value));
    else
      list.push_back(value);
  }
  if (any) series[key] = std::move(list);
}

}  // namespace

json launch_series(const Row& row) {
  const std::vector<double> speeds = row.throughputs();
  if (speeds.empty()) return json::object();
  const double median = stats::median(speeds);
  json ppm = json::array(), contended = json::array();
  for (const double speed : speeds)
    ppm.push_back(static_cast<std::int64_t>(std::llround((speed / median - 1) * 1e6)));
  for (std::size_t i = 0; i < row.launches.size(); ++i)
    if (row.launches[i].contended()) contended.push_back(i);
  json series = {{"median", tidy_number(median)}, {"ppm", ppm}};
  add_figures(series, "mhz", row, 0, clock_mhz);
  add_figures(series, "away", row, 1, away_percent);
  if (!series.contains("away") && records_neighbours(row)) series["quiet"] = true;
  if (!contended.empty()) series["contended"] = contended;
  return series;
}

}  // namespace ratchet::report
