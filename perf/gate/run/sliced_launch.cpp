#include "perf/gate/run/sliced_launch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

struct Contender {
  SlicedLaunch* launch;
  LaunchOutcome* outcome;
  bool done = false;
};
using Contenders = std::array<Contender, 2>;

std::size_t samples_in(const SlicePlan& plan, double call_s) {
  if (!(call_s > 0)) return 1;
  const double least =
      std::min(static_cast<double>(plan.samples), std::floor(plan.most_s / call_s));
  const double fit = std::max({1.0, least, std::round(plan.seconds / call_s)});
  return static_cast<std::size_t>(std::min(fit, static_cast<double>(plan.most_samples)));
}

/// Runs of a slice: at most a third of the samples, so that both sides share a drift of the
/// machine.
std::size_t runs_in(const Slice& slice, double call_s, std::size_t samples) {
  const double most = std::ceil(static_cast<double>(samples) / 3);
  return static_cast<std::size_t>(std::clamp(std::floor(slice.seconds / call_s), 1.0, most));
}

/// Calls `step` for one launch after the other. Where it throws, that launch gets the failure.
template <typename Step>
bool each(Contenders& contenders, bool second_first, const Step& step) {
  for (const std::size_t i : {0u, 1u}) {
    Contender& contender = contenders[second_first ? 1 - i : i];
    try {
      step(contender);
    } catch (const Error& error) {
      *contender.outcome = contender.launch->outcome();
      contender.outcome->launch.reset();
      if (contender.outcome->failure.empty()) contender.outcome->failure = error.what();
      return false;
    }
  }
  return true;
}

/// The mean of the shortest quarter of the samples, without the first: bad placement of threads
/// makes most runs longer, and never shorter.
double shortest(std::vector<double> samples) {
  if (samples.size() > 3) samples.erase(samples.begin());
  const auto quarter = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, samples.size() / 4));
  std::partial_sort(samples.begin(), samples.begin() + quarter, samples.end());
  return std::accumulate(samples.begin(), samples.begin() + quarter, 0.0) /
         static_cast<double>(quarter);
}

/// The ratio comes from each side's shortest samples, because samples of threads cannot be paired.
void keep_ratio(PairOutcome& pair) {
  const std::vector<double>&before = pair.before.samples_s, &now = pair.now.samples_s;
  if (!pair.before.launch || !pair.now.launch || before.empty() || before.size() != now.size())
    return;
  const auto positive = [](double seconds) { return seconds > 0 && std::isfinite(seconds); };
  if (!std::all_of(before.begin(), before.end(), positive) ||
      !std::all_of(now.begin(), now.end(), positive))
    return;
  pair.now.launch->counters[counter::interleaved_ratio] = shortest(before) / shortest(now);
}

}  // namespace

PairOutcome run_interleaved(SlicedLaunch& before, SlicedLaunch& now, const SlicePlan& plan,
                            std::mt19937_64& generator) {
  PairOutcome result;
  Contenders contenders{Contender{&before, &result.before}, Contender{&now, &result.now}};
  double call_s = plan.call_s;
  // Randomise which side runs first.
  const bool second_first = generator() % 2 != 0;
  const bool ready = each(contenders, second_first, [&](Contender& contender) {
    const double tried_s = contender.launch->prepared();
    if (plan.call_s == 0) call_s = call_s > 0 ? std::min(call_s, tried_s) : tried_s;
  });
  const std::size_t samples = samples_in(plan, call_s);
  if (!ready || !each(contenders, second_first,
                      [&](Contender& contender) { contender.launch->begin(samples); }))
    return result;
  Slice one = plan.slice;
  if (call_s > 0) one.runs = runs_in(one, call_s, samples);
  while (!contenders[0].done || !contenders[1].done) {
    const bool now_first = generator() % 2 != 0;
    const auto slice = [&](Contender& contender) {
      if (!contender.done) contender.done = contender.launch->run(one);
    };
    if (!each(contenders, now_first, slice)) return result;
  }
  if (!each(contenders, second_first, [](Contender& contender) { contender.launch->conclude(); }))
    return result;
  for (Contender& contender : contenders) *contender.outcome = contender.launch->outcome();
  keep_ratio(result);
  return result;
}

}  // namespace ratchet::gate
