#include "correctness/rivals/rivals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "perf/gate/rule/compare_rows.h"
#include "perf/stats/quantile.h"
#include "perf/stats/ratio.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/workloads/reference_workload.h"

namespace ratchet::rivals {
namespace {

using Values = std::vector<double>;
using Blocks = std::span<const Block>;

double mean(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(const Values& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double v : values) squares += (v - centre) * (v - centre);
  return squares / static_cast<double>(values.size() - 1);
}

Values first(const Values& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<long>(std::min(count, values.size()))};
}

/// All samples of A and of B, launches forgotten.
Block pooled(Blocks blocks) {
  Block all;
  for (const Block& block : blocks) {
    all.a.insert(all.a.end(), block.a.begin(), block.a.end());
    all.b.insert(all.b.end(), block.b.begin(), block.b.end());
  }
  return all;
}

/// Two-sided p of the U test; normal approximation beyond 10^4 pairs, as those tools do.
double u_test(const Values& a, const Values& b) {
  double below = 0;  // pairs with b < a, ties by half
  for (const double x : a)
    for (const double y : b) below += y < x ? 1 : y == x ? 0.5 : 0;
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  const double u = std::min(below, m * n - below);
  if (m * n <= 400)
    return std::min(
        1.0, 2 * stats::mann_whitney_cdf(a.size(), b.size(), static_cast<long>(std::ceil(u))));
  const double z = (u + 0.5 - m * n / 2) / std::sqrt(m * n * (m + n + 1) / 12);
  return std::erfc(-z / std::sqrt(2.0));
}

/// nvbench compare: the same when the means differ by less than the smaller relative deviation.
bool beyond_noise(const Block& block) {
  const double a = mean(block.a);
  const double b = mean(block.b);
  const double noise = std::min(std::sqrt(variance(block.a)) / a, std::sqrt(variance(block.b)) / b);
  return (b - a) / a > noise;
}

Outcome nvbench(Blocks blocks) { return {beyond_noise(blocks[0]), 1}; }

Outcome pooled_noise(Blocks blocks) { return {beyond_noise(pooled(blocks)), blocks.size()}; }

/// Google Benchmark's compare.py: U test over nine repetitions of one launch, 5 %.
Outcome compare_py(Blocks blocks) {
  const Values a = first(blocks[0].a, 9);
  const Values b = first(blocks[0].b, 9);
  return {u_test(a, b) < 0.05 && stats::median(b) > stats::median(a), 1};
}

constexpr std::size_t resamples = 300;  // criterion makes 100 000

Values resample(const Values& values, std::mt19937& generator) {
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  Values drawn(values.size());
  for (double& value : drawn) value = values[pick(generator)];
  return drawn;
}

/// 95 % percentile interval of mean(b) / mean(a) - 1: is all of it above the band?
bool interval_above(const Block& block, double band, std::mt19937& generator) {
  Values changes(resamples);
  for (double& change : changes)
    change = mean(resample(block.b, generator)) / mean(resample(block.a, generator)) - 1;
  std::sort(changes.begin(), changes.end());
  return changes[static_cast<std::size_t>(0.025 * resamples)] > band;
}

double welch(const Values& a, const Values& b) {
  const double error = std::sqrt(variance(a) / static_cast<double>(a.size()) +
                                 variance(b) / static_cast<double>(b.size()));
  return error > 0 ? (mean(b) - mean(a)) / error : 0;
}

/// Bootstrap p of the t statistic under the pooled sample.
double bootstrap_p(const Block& block, std::mt19937& generator) {
  const double reached = std::abs(welch(block.a, block.b));
  Values all = block.a;
  all.insert(all.end(), block.b.begin(), block.b.end());
  std::size_t as_large = 0;
  for (std::size_t i = 0; i < resamples; ++i) {
    const Values drawn = resample(all, generator);
    const Values rest(drawn.begin() + static_cast<long>(block.a.size()), drawn.end());
    as_large += std::abs(welch(first(drawn, block.a.size()), rest)) >= reached;
  }
  return static_cast<double>(as_large) / static_cast<double>(resamples);
}

/// criterion: p < 0.05 and the whole interval of the change beyond +-1 %, one launch.
Outcome criterion(Blocks blocks) {
  std::mt19937 generator(1);
  return {interval_above(blocks[0], 0.01, generator) && bootstrap_p(blocks[0], generator) < 0.05,
          1};
}

/// asv continuous: slower by a factor of 1.1 and U test p < 0.002, two interleaved rounds.
Outcome asv(Blocks blocks) {
  const Block all = pooled(blocks.first(2));
  return {stats::median(all.b) > 1.1 * stats::median(all.a) && u_test(all.a, all.b) < 0.002, 2};
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

/// DuckDB: the median of five runs beyond (old + 0.05 s) * 1.1; a suspect is run again, up to five
/// times in all, and stays one only if every time says so.
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
    launch.counters["reference_per_second"] = reference;
    launch.counters["reference_version"] = timing::kReferenceVersion;
  }
  return launch;
}

/// The gate from look to look: A's launches before the first (`stored`), or one beside each of B's.
Outcome gated(Blocks blocks, gate::Comparison comparison, const std::vector<stats::Look>& looks) {
  const bool paired = comparison == gate::Comparison::paired;
  const double tolerance = gate::default_tolerance(Device::cpu, comparison);
  Row a, b;
  const auto add_a = [&](const Block& block) {
    a.launches.push_back(launch_of(block.a, block.reference_a));
  };
  if (!paired) std::for_each(blocks.begin(), blocks.begin() + stored, add_a);
  for (const stats::Look& look : looks) {
    while (b.launches.size() < look.launches) {
      const Block& block = blocks[b.launches.size()];
      if (paired) add_a(block);
      b.launches.push_back(launch_of(block.b, block.reference_b));
    }
    const gate::Verdict verdict = gate::compare_rows(a, b, comparison, tolerance, look).verdict;
    if (verdict != gate::Verdict::undecided)
      return {verdict == gate::Verdict::slower, look.launches};
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
      {"nvbench compare", 1, nvbench},
      {"Google Benchmark compare.py, 9 repetitions", 1, compare_py},
      {"criterion", 1, criterion},
      {"asv", 2, asv},
      {"rustc-perf", 31, rustc_perf},
      {"DuckDB", 5, duckdb},
      {"fixed 10 %", 1, fixed_threshold},
      {"nvbench's rule, samples of 14 launches pooled", 14, pooled_noise, false, false}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Rule rule(const std::string& name) {
  for (Rule& candidate : rules())
    if (candidate.name == name) return candidate;
  throw std::out_of_range("no rule is called " + name);
}

}  // namespace ratchet::rivals
