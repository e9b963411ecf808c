#include "correctness/rivals/rivals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "perf/gate/rule/verdicts.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/workloads/control_workload.h"
#include "perf/stats/quantile.h"

namespace ratchet::rivals {
namespace {

using Values = std::vector<double>;
using Blocks = std::span<const Block>;

double mean(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Values first(const Values& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<long>(std::min(count, values.size()))};
}

/// rustc-perf: a change beyond Q3 + 3 IQR of the changes between 30 earlier runs and their
/// predecessors. One launch a commit: A's first 31 are the history, the last one's B the commit.
Outcome rustc_perf(Blocks blocks) {
  Values changes;
  for (std::size_t i = 1; i < 31; ++i)
    changes.push_back(std::abs(mean(blocks[i].a) / mean(blocks[i - 1].a) - 1));
  std::sort(changes.begin(), changes.end());
  const double q1 = changes[7];
  const double q3 = changes[22];
  return {mean(blocks[30].b) / mean(blocks[30].a) - 1 > q3 + 3 * (q3 - q1), 31};
}

/// DuckDB: the median of five runs is beyond (old + 0.05 s) * 1.1. A suspect is run again, up to
/// five times in all, and stays one only if every time agrees.
Outcome duckdb(Blocks blocks) {
  for (std::size_t i = 0; i < 5; ++i) {
    const double a = stats::median(first(blocks[i].a, 5));
    const double b = stats::median(first(blocks[i].b, 5));
    if (b <= (a + 0.05) * 1.1) return {false, i + 1};
  }
  return {true, 5};
}

/// The mean of one launch beyond 110 %, as github-action-benchmark and many scripts do.
Outcome fixed_threshold(Blocks blocks) { return {mean(blocks[0].b) > 1.1 * mean(blocks[0].a), 1}; }

constexpr std::size_t rows = 40;   // of the run that the row is one of
constexpr std::size_t stored = 9;  // launches a row: what `ratchet gate` makes and accept stores

/// A launch as the gate is given it by a CPU row.
Launch launch_of(const Values& seconds, double reference) {
  Launch launch;
  const double time = stats::quantile(seconds, timing::kCpuQuantile);
  launch.real_ms = 1e3 * time;
  launch.counters = {
      {"units", 1}, {"units_per_second", 1 / time}, {"centre", timing::kCpuQuantile}};
  if (reference > 0) {
    launch.counters["control_per_second"] = reference;
    launch.counters["control_version"] = timing::kControlVersion;
  }
  return launch;
}

/// The gate from analysis to analysis: A's launches before the first (`stored`), or one beside each
/// of B's.
Outcome gated(Blocks blocks, gate::Comparison comparison,
              const std::vector<stats::Analysis>& analyses) {
  const bool paired = comparison == gate::Comparison::paired;
  const double tolerance = gate::default_tolerance(Device::cpu, comparison);
  Row a, b;
  const auto add_a = [&](const Block& block) {
    a.launches.push_back(launch_of(block.a, block.reference_a));
  };
  if (!paired) std::for_each(blocks.begin(), blocks.begin() + stored, add_a);
  for (const stats::Analysis& analysis : analyses) {
    while (b.launches.size() < analysis.launches) {
      const Block& block = blocks[b.launches.size()];
      if (paired) add_a(block);
      b.launches.push_back(launch_of(block.b, block.reference_b));
    }
    const gate::Verdict verdict =
        gate::judge(gate::facts_of(a, b, comparison, tolerance, analysis)).verdict;
    if (verdict != gate::Verdict::undecided)
      return {verdict == gate::Verdict::slower, analysis.launches};
  }
  return {false, b.launches.size()};
}

std::vector<Rule> our_rules() {
  using gate::Comparison;
  const auto pairs = stats::plan_pairs(rows);
  const auto launches = stats::plan_stored(stored, rows);
  return {{"ratchet, pairs, 1 row of 40", pairs.back().launches,
           [=](Blocks blocks) { return gated(blocks, Comparison::paired, pairs); }, true},
          {"ratchet, 9 stored launches, 1 row of 40", launches.back().launches,
           [=](Blocks blocks) { return gated(blocks, Comparison::stored, launches); }, true}};
}

}  // namespace

std::vector<Rule> rules() {
  std::vector<Rule> all = our_rules();
  const std::vector<Rule> others = {
      {"rustc-perf", 31, rustc_perf}, {"DuckDB", 5, duckdb}, {"fixed 10 %", 1, fixed_threshold}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Rule rule(const std::string& name) {
  for (Rule& candidate : rules())
    if (candidate.name == name) return candidate;
  throw std::out_of_range("no rule is called " + name);
}

}  // namespace ratchet::rivals
