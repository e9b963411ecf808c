#include "perf/gate/third_party/unchecked.h"

#include <fmt/format.h>

#include <algorithm>

#include "perf/stats/quantile.h"

namespace ratchet::gate {
namespace {

/// A turn of Google Benchmark's own loop takes one or two cycles; what takes no longer was removed
/// by the compiler.
constexpr double empty_loop_ns = 1;
/// Reading the clock takes 20 to 50 ns, twice a measurement: a hundredth of this.
constexpr double least_measured_ns = 5000;

double median_ns(const Row& row, bool of_the_whole_run) {
  std::vector<double> times;
  for (const Launch& launch : row.launches)
    times.push_back(launch.real_ms * 1e6 *
                    (of_the_whole_run ? static_cast<double>(launch.iterations) : 1));
  return stats::median(times);
}

}  // namespace

std::string unchecked_note(const Measurements& measured) {
  const auto count = std::count_if(measured.rows.begin(), measured.rows.end(),
                                   [](const auto& row) { return !is_verified(row.second); });
  if (count == 0) return "";
  return fmt::format(
      "Nobody checks what {} row{} compute{}: --check-cmd 'COMMAND' runs tests of your own "
      "first.\n",
      count, count == 1 ? "" : "s", count == 1 ? "s" : "");
}

void remark_on_resolution(std::vector<RowReport>& reports, const Measurements& measured) {
  for (RowReport& report : reports) {
    const auto row = measured.rows.find(report.name);
    if (row == measured.rows.end() || row->second.basis.empty()) continue;
    const double call = median_ns(row->second, false), run = median_ns(row->second, true);
    if (call < empty_loop_ns)
      report.remarks.push_back(
          fmt::format("measures nothing: {:.2g} ns a call is an empty loop", call));
    else if (run < least_measured_ns)
      report.remarks.push_back(
          fmt::format("measures nothing: {:.3g} ns in all is as short as a clock can tell", run));
  }
}

}  // namespace ratchet::gate
