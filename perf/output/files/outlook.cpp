#include "perf/output/files/outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ratchet::gate {
namespace {

struct Open {
  double tolerance_needed = 0;  ///< the smallest that makes it "same"
  double further_s = 0;         ///< infinite if no number of pairs helps
};

/// Rounds budgets and tolerances for messages.
constexpr std::array budgets_s = {300.0, 600.0, 900.0, 1800.0, 3600.0};
constexpr std::array tolerances = {0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5};

Open open_row(const RowReport& report, std::size_t most_pairs) {
  const stats::Bounds& plain = *report.decision->per_comparison;
  const double half = (std::log(plain.high) - std::log(plain.low)) / 2;
  const double centre = std::fabs(std::log(report.decision->ratio));
  const double room = std::fabs(report.tolerance - centre);
  const auto pairs = static_cast<double>(report.launches);
  const double wanted = pairs * std::pow(half / room, 2);
  Open open{std::max(1 - plain.low, plain.high - 1), HUGE_VAL};
  if (wanted <= static_cast<double>(most_pairs))
    open.further_s = std::max(0.0, wanted - pairs) * report.pair_s;
  return open;
}

std::size_t settled_within(std::vector<Open> rows, double further_s) {
  std::sort(rows.begin(), rows.end(),
            [](const Open& a, const Open& b) { return a.further_s < b.further_s; });
  std::size_t count = 0;
  for (const Open& row : rows) {
    further_s -= row.further_s;
    count += further_s >= 0;
  }
  return count;
}

/// "; --budget-s 900 is likely to settle 9": the shortest that settles most of the settleable rows.
std::string by_budget(const std::vector<Open>& rows, double seconds) {
  const std::size_t most = settled_within(rows, budgets_s.back() - seconds);
  for (const double budget_s : budgets_s) {
    const std::size_t count = settled_within(rows, budget_s - seconds);
    if (count > 0 && 5 * count >= 4 * most)
      return fmt::format("; --budget-s {:.0f} is likely to settle {}", budget_s, count);
  }
  return "; a budget of one hour is unlikely to settle any";
}

std::string by_tolerance(const std::vector<Open>& rows) {
  for (const double tolerance : tolerances) {
    const auto count = std::count_if(rows.begin(), rows.end(), [&](const Open& row) {
      return row.tolerance_needed <= tolerance;
    });
    if (5 * static_cast<std::size_t>(count) >= 4 * rows.size())
      return fmt::format("; --tolerance {} settles {}", tolerance, count);
  }
  return "";
}

bool is_open(const RowReport& report) {
  return report.verdict == Verdict::undecided && report.pair_s > 0 && report.decision &&
         report.decision->per_comparison;
}

}  // namespace

std::string what_would_settle_row(const RowReport& report) {
  if (!is_open(report)) return "";
  // Alone, the row gets as many pairs as the longest proposed budget allows.
  const Open open = open_row(report, static_cast<std::size_t>(budgets_s.back() / report.pair_s));
  const std::string tolerance = fmt::format("a tolerance of {:.2g} %", 100 * open.tolerance_needed);
  if (!std::isfinite(open.further_s))
    return tolerance + "; one hour of pairs is unlikely to suffice";
  return fmt::format("about {:.0f} s more of this row alone, or {}",
                     std::max(1.0, std::ceil(open.further_s)), tolerance);
}

std::string what_would_settle(const std::vector<RowReport>& reports, double seconds) {
  std::size_t compared = 0;
  for (const RowReport& report : reports) compared += report.decision && !report.identical_work;
  if (compared == 0) return "";
  const std::size_t most_pairs = stats::plan_pairs(compared).back().launches;
  std::vector<Open> rows;
  std::size_t pairs = 0;
  for (const RowReport& report : reports) {
    if (!is_open(report)) continue;
    rows.push_back(open_row(report, most_pairs));
    pairs = std::max(pairs, report.launches);
  }
  if (rows.empty()) return "";
  return fmt::format("{} undecided after {} pairs at most in {:.0f} s{}{}", rows.size(), pairs,
                     seconds, by_budget(rows, seconds), by_tolerance(rows));
}

}  // namespace ratchet::gate
