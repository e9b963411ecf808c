#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/bit_columns.h"
#include "correctness/support/related_seeds.h"
#include "correctness/support/statistics.h"

namespace ratchet::graveler {
namespace {

using correctness::ZScan;

constexpr double kP = 0.25;

/// The traces of several seeds, as if each were that many groups more.
Trace joined(const std::vector<Trace>& traces) {
  Trace all = traces.front();
  for (std::size_t i = 1; i < traces.size(); ++i) {
    all.groups += traces[i].groups;
    all.ones.insert(all.ones.end(), traces[i].ones.begin(), traces[i].ones.end());
    all.outcome.insert(all.outcome.end(), traces[i].outcome.begin(), traces[i].outcome.end());
  }
  return all;
}

/// A trace's outcomes, two words in one, and the ones in them.
struct Outcomes {
  explicit Outcomes(const Trace& trace)
      : words((trace.outcome.size() + 1) / 2), battles(trace.ones.size()) {
    for (std::size_t i = 0; i < trace.outcome.size(); ++i)
      words[i / 2] |= std::uint64_t{trace.outcome[i]} << 32 * (i % 2);
    for (const auto of_battle : trace.ones) ones += of_battle;
  }
  std::vector<std::uint64_t> words;
  std::size_t battles;
  std::uint64_t ones = 0;
};

/// Outcomes that two traces have at the same place, against what independent ones have, in standard
/// deviations; p is known, so that pairs of traces are uncorrelated.
double coincidence(const Outcomes& a, const Outcomes& b) {
  const std::uint64_t both =
      correctness::count_both(a.words.data(), b.words.data(), a.words.size());
  const double n = static_cast<double>(a.battles) * kTurns;
  const double sum =
      static_cast<double>(both) - kP * static_cast<double>(a.ones + b.ones) + kP * kP * n;
  return sum / (kP * (1 - kP) * std::sqrt(n));
}

}  // namespace

TestResults check_related_seeds(const GravelerStage& stage) {
  const std::vector<std::uint64_t> seeds = correctness::related_seeds();
  // Of several groups: worker 1 of a seed must not be worker 0 of the next.
  std::vector<Trace> traces;
  for (const std::uint64_t seed : seeds) traces.push_back(own_trace(stage, seed, {8, 8192}));
  const std::vector<Outcomes> outcomes(traces.begin(), traces.end());
  ZScan scan("outcomes of two related seeds");
  for (std::size_t i = 0; i < seeds.size(); ++i)
    for (std::size_t j = i + 1; j < seeds.size(); ++j)
      scan.add(coincidence(outcomes[i], outcomes[j]),
               fmt::format("seeds {:#x} and {:#x}", seeds[i], seeds[j]));
  const double unit = 1 / std::sqrt(static_cast<double>(traces[0].ones.size()) * kTurns);
  TestResults tests = scan.tests(unit, "correlation of two seeds");
  const Trace all = joined(traces);
  tests.push_back(check_repeats(all, used_bits(all)));
  return tests;
}

}  // namespace ratchet::graveler
