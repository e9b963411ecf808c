#include <fmt/format.h>

#include "perf/gate/baseline/accept.h"
#include "perf/stats/quantile.h"
#include "perf/stats/ratio.h"

namespace ratchet {
namespace {

constexpr double confidence = 0.95;

/// "1.234e+06 (1.22e+06 ... 1.25e+06)"; few launches have no such interval.
std::string figure(const Row& row) {
  const std::vector<double> values = row.throughputs();
  const std::string middle = fmt::format("{:.5g}", stats::median(values));
  const auto interval = stats::quantile_interval(values, 0.5, confidence);
  if (!interval) return middle + " (no interval)";
  return fmt::format("{} ({:.5g} ... {:.5g})", middle, interval->low, interval->high);
}

std::string effect(const Row& before, const Row& after) {
  const std::vector<double> old = before.throughputs();
  const std::vector<double> now = after.throughputs();
  const std::string estimate =
      fmt::format("{:+.2f} %", (stats::ratio_estimate(old, now) - 1) * 100);
  const auto interval = stats::ratio_bounds(old, now, (1 - confidence) / 2);
  if (!interval) return estimate + " (too few launches for an interval)";
  return fmt::format("{} ({:+.2f} ... {:+.2f} %)", estimate, (interval->low - 1) * 100,
                     (interval->high - 1) * 100);
}

std::string tolerance(const Row& row) {
  return row.tolerance ? fmt::format("{:g} %", *row.tolerance * 100) : "the default";
}

bool same_launches(const Row& before, const Row& after) {
  return before.throughputs() == after.throughputs();
}

std::string change_line(const RowChange& change) {
  const std::string start = fmt::format("  {:<40} ", change.name);
  if (!change.after) return start + figure(*change.before) + " units/s -> removed\n";
  if (!change.before)
    return fmt::format("{}new: {} units/s, {} launches\n", start, figure(*change.after),
                       change.after->launches.size());
  std::string line = start;
  if (!same_launches(*change.before, *change.after))
    line += fmt::format("{} -> {} units/s, {}, launches {} -> {}", figure(*change.before),
                        figure(*change.after), effect(*change.before, *change.after),
                        change.before->launches.size(), change.after->launches.size());
  else
    line += figure(*change.before) + " units/s stays";
  if (change.before->tolerance != change.after->tolerance)
    line +=
        fmt::format(", tolerance {} -> {}", tolerance(*change.before), tolerance(*change.after));
  return line + (change.remark.empty() ? "" : "; " + change.remark) + "\n";
}

}  // namespace

std::string describe(const std::vector<FileChange>& changes) {
  std::string text;
  for (const FileChange& change : changes) {
    text += change.path.string() + " (medians of launches, with 95 % intervals)\n";
    for (const RowChange& row : change.rows) text += change_line(row);
  }
  return text;
}

}  // namespace ratchet
