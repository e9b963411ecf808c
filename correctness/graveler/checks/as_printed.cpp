#include <fmt/format.h>

#include <numeric>

#include "correctness/graveler/checks/checks.h"

namespace ratchet::graveler {
namespace {

using correctness::exact;

/// What is wrong with a text's code, stage by stage. A stage marked as_printed must be listed.
struct PrintedError {
  const char* stage;
  unsigned turns;  ///< turns that it really plays, against 231
};
constexpr PrintedError kPrintedErrors[] = {
    // !((1 << 25) - 1) is ~ in Rust, but 0 in C++: the last word of eight counts for nothing.
    // And `i <= runs` with runs = N / threads + 1 plays up to two battles a thread too many.
    // And curand_init(seed + thread) leaves the first two battles of neighbouring threads
    // correlated:
    // over 270 336 threads the sum of their ones is up to 2 * 10^5 off.
    {"graveler/cuda/02p_as_printed", 224},
};

const PrintedError* find_error(const std::string& stage) {
  for (const PrintedError& error : kPrintedErrors)
    if (stage == error.stage) return &error;
  return nullptr;
}

/// The first battle of each group in that round.
Histogram first_of_round(const Trace& trace, std::uint32_t round) {
  Histogram histogram{};
  for (std::size_t group = 0; group < trace.groups; ++group)
    ++histogram[trace.ones[(group * trace.rounds + round) * trace.battles_per_round]];
  return histogram;
}

}  // namespace

std::uint64_t least_battles_of_law(const GravelerStage& stage) {
  return stage.info().as_printed ? kBillion : 0;
}

unsigned turns_played(const GravelerStage& stage) {
  const PrintedError* error = stage.info().as_printed ? find_error(stage.info().name) : nullptr;
  return error ? error->turns : kTurns;
}

TestResults check_as_printed(const GravelerStage& stage, std::uint64_t battles) {
  const PrintedError* error = find_error(stage.info().name);
  if (!error)
    return {exact("printed error", false,
                  "correctness/graveler/checks/as_printed.cpp describes none for this stage")};
  const Parameters parameters = parameters_for(stage, battles, 3);
  const Histogram histogram = stage.histogram(parameters);
  const std::uint64_t total = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  const BinomialLaw law(error->turns);
  TestResults tests = check_histogram(histogram, total, law);
  for (auto& test : tests) test.name += fmt::format(" of {} turns", error->turns);
  tests.push_back(exact("231 turns refuted",
                        any_rejected(check_histogram(histogram, total, BinomialLaw(kTurns))),
                        "the law of a right battle must not fit"));
  tests.push_back(exact("battles too many", total > battles,
                        fmt::format("{} battles counted, {} asked for", total, battles)));
  const auto simulation = stage.prepare_simulation(parameters);
  simulation->run();
  const std::uint64_t played = simulation->collect().battles;
  tests.push_back(exact("result's battles too many", played > battles,
                        fmt::format("{} battles played, {} asked for", played, battles)));
  return tests;
}

TestResults check_neighbouring_seeds(const GravelerStage& stage) {
  const BinomialLaw law(turns_played(stage));
  const Trace trace = stage.trace(parameters_for(stage, 1, 3), Stream::own, 65'536, 3);
  const auto rejected = [&](std::uint32_t round) {
    return any_rejected(check_histogram(first_of_round(trace, round), trace.groups, law));
  };
  return {exact("first battles of neighbouring seeds", rejected(0), "the law must not fit them"),
          exact("third battles of neighbouring seeds", !rejected(2), "the law must fit them")};
}

}  // namespace ratchet::graveler
