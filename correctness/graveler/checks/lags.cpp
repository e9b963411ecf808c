#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/statistics.h"

namespace ratchet::graveler {
namespace {

using correctness::ZScan;

/// Outcome words of which all 32 bits are rolls; the masked ones repeat too easily.
std::vector<std::uint32_t> full_words(const std::vector<std::uint16_t>& used,
                                      std::uint32_t words_per_battle) {
  std::vector<unsigned> bits(words_per_battle);
  for (const std::uint16_t bit : used) ++bits[bit / 32];
  std::vector<std::uint32_t> full;
  for (std::uint32_t w = 0; w < words_per_battle; ++w)
    if (bits[w] == 32) full.push_back(w);
  return full;
}

std::vector<double> deviations(const Trace& trace, const BinomialLaw& law) {
  std::vector<double> result(trace.ones.size());
  std::transform(trace.ones.begin(), trace.ones.end(), result.begin(),
                 [&](std::uint16_t ones) { return ones - law.mean(); });
  return result;
}

/// Sum of x[t] * x[t + a] * x[t + b], in units of unit * sqrt(terms); b = 0 leaves the third out.
double score(const std::vector<double>& x, std::size_t a, std::size_t b, double unit) {
  const std::size_t terms = x.size() - std::max(a, b);
  double sum = 0;
  for (std::size_t t = 0; t < terms; ++t) sum += x[t] * x[t + a] * (b ? x[t + b] : 1.0);
  return sum / (unit * std::sqrt(static_cast<double>(terms)));
}

}  // namespace

std::size_t group_length(const Trace& trace) {
  return std::size_t{trace.rounds} * trace.battles_per_round;
}

std::vector<Lag> lags_of(const Trace& trace) {
  const std::size_t group = group_length(trace), limit = trace.ones.size() / 2;
  std::vector<Lag> lags;
  const auto add = [&](std::size_t entries, std::string name) {
    const bool known = std::any_of(lags.begin(), lags.end(),
                                   [&](const Lag& lag) { return lag.entries == entries; });
    if (entries > 0 && entries <= limit && !known) lags.push_back({entries, std::move(name)});
  };
  for (std::size_t lag = 1; lag <= 16; ++lag) add(lag, fmt::format("{} battles on", lag));
  if (trace.groups < 2) return lags;
  for (const std::size_t groups : {1, 2, 4, 8, 16, 32})
    add(groups * group, fmt::format("{} groups on", groups));
  for (const std::size_t step : {1, 2}) {
    add(group + step, fmt::format("a group and {} battles on", step));
    add(group - std::min(step, group), fmt::format("a group less {} battles on", step));
  }
  for (const std::size_t blocks : {1, 2})
    add(blocks * trace.groups_per_block * group, fmt::format("{} blocks on", blocks));
  return lags;
}

std::vector<std::pair<Lag, Lag>> triples_of(const Trace& trace) {
  const std::size_t group = group_length(trace);
  const Lag next{1, "1 battle on"};
  std::vector<std::pair<Lag, Lag>> triples{{next, {2, "2 battles on"}},
                                           {next, {3, "3 battles on"}}};
  if (trace.groups < 4) return triples;
  const Lag neighbour{group, "1 group on"};
  triples.push_back({neighbour, {2 * group, "2 groups on"}});
  triples.push_back({next, neighbour});
  return triples;
}

TestResults scan_counts(const Trace& trace, const std::vector<Lag>& lags) {
  const BinomialLaw law(kTurns);
  const double v = law.variance(), spread = law.fourth_moment() - v * v;
  const std::vector<double> x = deviations(trace, law);
  std::vector<double> squares(x.size());
  std::transform(x.begin(), x.end(), squares.begin(), [v](double d) { return d * d - v; });
  ZScan counts("ones at a lag"), spreads("squared deviations at a lag"),
      triples("ones of three battles");
  for (const Lag& lag : lags) {
    counts.add(score(x, lag.entries, 0, v), lag.name);
    spreads.add(score(squares, lag.entries, 0, spread), lag.name);
  }
  for (const auto& [near, far] : triples_of(trace))
    triples.add(score(x, near.entries, far.entries, v * std::sqrt(v)), near.name + ", " + far.name);
  const double unit = 1 / std::sqrt(static_cast<double>(x.size()));
  TestResults tests = counts.tests(unit, "correlation of ones");
  append(tests, spreads.tests(unit, "correlation of squared deviations"));
  append(tests, triples.tests(unit, "triple correlation of ones"));
  return tests;
}

correctness::TestResult check_repeats(const Trace& trace,
                                      const std::vector<std::vector<std::uint16_t>>& used) {
  std::vector<std::vector<std::uint32_t>> full;
  for (const auto& bits : used) full.push_back(full_words(bits, trace.words_per_battle));
  const auto each_window = [&](auto&& take) {
    for (std::size_t entry = 0; entry < trace.ones.size(); ++entry) {
      const std::uint32_t* outcome = &trace.outcome[entry * trace.words_per_battle];
      const auto& words = full[entry % trace.battles_per_round];
      for (std::size_t i = 0; i + 4 <= words.size(); ++i)
        take(std::array{outcome[words[i]], outcome[words[i + 1]], outcome[words[i + 2]],
                        outcome[words[i + 3]]});
    }
  };
  const auto repeats_among = [](auto& values) {
    std::sort(values.begin(), values.end());
    std::size_t repeats = 0;
    for (std::size_t i = 1; i < values.size(); ++i) repeats += values[i] == values[i - 1];
    return repeats;
  };
  // Equal runs have equal keys, which are sorted in half the time: mostly all differ, and so do the
  // runs.
  std::vector<std::uint64_t> windows;
  each_window([&](const std::array<std::uint32_t, 4>& run) {
    const auto two = [&](std::size_t i) { return std::uint64_t{run[i]} << 32 | run[i + 1]; };
    windows.push_back(two(0) * 0x9e3779b97f4a7c15 ^ two(2));
  });
  std::size_t repeats = repeats_among(windows);
  if (repeats > 0) {
    std::vector<std::array<std::uint32_t, 4>> runs;
    each_window([&](const std::array<std::uint32_t, 4>& run) { runs.push_back(run); });
    repeats = repeats_among(runs);
  }
  return correctness::exact(
      "no outcome repeats", !windows.empty() && repeats == 0,
      fmt::format("{} of {} runs of four words seen before", repeats, windows.size()));
}

}  // namespace ratchet::graveler
