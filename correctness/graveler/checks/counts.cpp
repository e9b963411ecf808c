#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/related_seeds.h"
#include "correctness/support/statistics.h"
#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

using correctness::exact;
using correctness::TestResult;

/// Maxima of `runs` runs of one instance.
std::vector<std::uint32_t> maxima(const GravelerStage& stage, std::uint64_t battles,
                                  std::uint64_t seed, int runs, std::uint64_t threads = 1) {
  const auto simulation = stage.prepare_simulation(parameters_for(stage, battles, seed, threads));
  std::vector<std::uint32_t> seen;
  for (int i = 0; i < runs; ++i) {
    simulation->run();
    seen.push_back(simulation->collect().max_ones);
  }
  return seen;
}

TestResult refusal(const GravelerStage& stage, std::uint64_t battles) {
  std::string message = "accepted";
  bool named = false;
  try {
    stage.defaults().set("battles", battles);
  } catch (const Error& error) {
    message = error.what();
    named = message.find(stage.info().name) != message.npos &&
            message.find("battles = " + std::to_string(battles)) != message.npos &&
            message.find("1 to ") != message.npos;
  }
  return exact(fmt::format("refusal of {} battles", battles), named, message);
}

}  // namespace

TestResults check_counts(const GravelerStage& stage, std::uint64_t battles) {
  const Parameters parameters = parameters_for(stage, battles, 11);
  const Histogram histogram = stage.histogram(parameters);
  const std::uint64_t total = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  TestResults tests{exact("histogram's battles", total == battles,
                          fmt::format("{} of {} battles", total, battles))};
  const auto simulation = stage.prepare_simulation(parameters);
  tests.push_back(exact("units", simulation->units() == battles,
                        fmt::format("{} of {} battles", simulation->units(), battles)));
  for (const char* run : {"first", "second"}) {
    simulation->run();
    const Result result = simulation->collect();
    tests.push_back(exact(
        fmt::format("{} run's battles", run),
        result.battles == battles && result.max_ones <= kTurns,
        fmt::format("{} of {} battles, most ones {}", result.battles, battles, result.max_ones)));
  }
  return tests;
}

TestResults check_first_run(const GravelerStage& stage, std::uint64_t battles, std::uint32_t seeds,
                            std::uint64_t threads) {
  std::string differing;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    const Histogram histogram = stage.histogram(parameters_for(stage, battles, seed, threads));
    std::uint32_t top = 0;
    for (std::uint32_t k = 0; k <= kTurns; ++k)
      if (histogram[k] > 0) top = k;
    const std::uint32_t most = maxima(stage, battles, seed, 1, threads).front();
    if (most != top) differing += fmt::format(" seed {}: run {}, histogram {};", seed, most, top);
  }
  TestResult test =
      exact(fmt::format("maximum of the first run of {} on {} threads", battles, threads),
            differing.empty(),
            differing.empty() ? fmt::format("the histogram's under {} seeds", seeds) : differing);
  // A share s of the battles holds the maximum with probability s under each seed.
  test.power = fmt::format("{:.2g} % of the battles missing from the maximum",
                           100 * (1 - std::pow(1 - correctness::kDetection, 1.0 / seeds)));
  return {test};
}

TestResults check_halves(const GravelerStage& stage, std::uint64_t half, std::uint32_t seeds,
                         std::uint64_t threads) {
  TestResults tests = check_first_run(stage, 2 * half, seeds, threads);
  std::string differing;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    const std::uint32_t whole = maxima(stage, 2 * half, seed, 1, threads).front();
    const auto halves = maxima(stage, half, seed, 2, threads);
    if (whole != std::max(halves[0], halves[1]))
      differing +=
          fmt::format(" seed {}: {} against {} and {};", seed, whole, halves[0], halves[1]);
  }
  tests.push_back(
      exact(fmt::format("maximum of {} and of twice {} on {} threads", 2 * half, half, threads),
            differing.empty(),
            differing.empty() ? fmt::format("equal under {} seeds", seeds) : differing));
  tests.back().power = tests.front().power;
  return tests;
}

TestResults check_seeds(const GravelerStage& stage) {
  const auto histogram = [&](std::uint64_t seed, std::uint64_t battles) {
    return stage.histogram(parameters_for(stage, battles, seed, 1));
  };
  TestResults tests{exact("same seed, same histogram", histogram(5, 20'000) == histogram(5, 20'000),
                          "two histograms of seed 5")};
  // Each with each: what a guard against a state of 0, a sign or a cut takes for one another.
  std::vector<std::uint64_t> seeds = correctness::special_seeds();
  seeds.insert(seeds.end(), {5, 6});
  std::map<Histogram, std::uint64_t> seed_of;
  for (const std::uint64_t seed : seeds) {
    const auto [same, fresh] = seed_of.emplace(histogram(seed, 3'001), seed);
    tests.push_back(exact(
        fmt::format("seed {:#x} differs", seed), fresh,
        fresh ? "from those before it" : fmt::format("the histogram of seed {:#x}", same->second)));
  }
  const auto first = maxima(stage, 1, 5, 64), second = maxima(stage, 1, 5, 64);
  tests.push_back(exact("same seed, same maxima", first == second, "64 runs of one battle, twice"));
  // 64 equal battles out of independent ones: below 1e-70.
  const std::set<std::uint32_t> distinct(first.begin(), first.end());
  tests.push_back(exact("each run draws afresh", distinct.size() > 1,
                        fmt::format("{} different results in 64 runs", distinct.size())));
  return tests;
}

TestResults check_refusals(const GravelerStage& stage) {
  return {refusal(stage, 0), refusal(stage, kMaxBattles + 1)};
}

TestResults check_runs_of_seeds(const GravelerStage& stage) {
  constexpr std::uint64_t kBattles = 499, kSeed = 5;
  constexpr int kRuns = 240, kLags = 3;
  double chance = 0;
  for (const double mass : BinomialLaw(kTurns).maximum_pmf(kBattles)) chance += mass * mass;
  correctness::ZScan scan("maxima of runs of two seeds");
  const auto compare = [&](const std::vector<std::uint32_t>& late,
                           const std::vector<std::uint32_t>& early, int lag,
                           const std::string& where) {
    const int pairs = kRuns - lag;
    int same = 0;
    for (int run = 0; run < pairs; ++run) same += late[run + lag] == early[run];
    scan.add((same - pairs * chance) / std::sqrt(pairs * chance * (1 - chance)), where);
  };
  const auto first = maxima(stage, kBattles, kSeed, kRuns);
  for (const std::uint64_t apart : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32}) {
    const auto second = maxima(stage, kBattles, kSeed + apart, kRuns);
    for (int lag = 0; lag <= kLags; ++lag) {
      compare(first, second, lag, fmt::format("seed {:#x} further, {} runs earlier", apart, lag));
      compare(second, first, lag, fmt::format("seed {:#x} further, {} runs later", apart, lag));
    }
  }
  return scan.tests(std::sqrt(chance * (1 - chance) / kRuns), "runs that another seed's repeat");
}

}  // namespace ratchet::graveler
