// The quick check of a graveler stage, before it is timed: about a second. Also the configurations
// of all checks.
#include "kernels/contract/check.h"

#include <algorithm>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/paths.h"

namespace ratchet::graveler {
namespace {

using correctness::append;

// Enough to see P(one) off by 5e-5 on a CPU and by 5e-6 on a GPU; prime to any grid or vector
// width.
std::uint64_t battles_for(const Stage& stage) {
  return computes_on_cpu(stage) ? 1'000'003 : 100'000'007;
}

TestResults check_right(const GravelerStage& stage) {
  const std::uint64_t battles = battles_for(stage);
  TestResults tests = check_layout(stage.layout());
  append(tests, check_replay(stage, 17, 16, 1'000));
  append(tests, check_histogram(stage.histogram(parameters_for(stage, battles, 17)), battles,
                                BinomialLaw(kTurns)));
  append(tests, check_first_run(stage, 10'007, 32));
  // So many that half of the battles missing show, as where all threads play the same.
  append(tests, check_maximum(stage, 18, 1'009, 200));
  return tests;
}

CheckResult check(const Stage& stage) {
  const auto* graveler = dynamic_cast<const GravelerStage*>(&stage);
  if (!graveler) return {false, stage.info().name + " is no graveler stage"};
  const TestResults tests = stage.info().as_printed
                                ? check_as_printed(*graveler, battles_for(stage))
                                : check_right(*graveler);
  return {!any_rejected(tests), summary(tests)};
}

const CheckRegistration registered("graveler", check);

}  // namespace

Parameters parameters_for(const GravelerStage& stage, std::uint64_t battles, std::uint64_t seed,
                          std::uint64_t threads) {
  Parameters parameters = stage.defaults();
  parameters.set("battles", battles).set("seed", seed);
  if (threads > 0 && stage.info().threaded()) parameters.set(stage.info().threads, threads);
  return parameters;
}

Parameters trace_parameters(const GravelerStage& stage, std::uint64_t seed,
                            std::uint32_t max_groups) {
  return parameters_for(stage, 1'000'000, seed, std::min<std::uint32_t>(max_groups, 64));
}

Trace own_trace(const GravelerStage& stage, std::uint64_t seed, const TraceShape& shape) {
  const Parameters parameters = trace_parameters(stage, seed, shape.max_groups);
  // One round first: only the stage knows how many groups it can show.
  const Trace probe = stage.trace(parameters, Stream::own, shape.max_groups, 1);
  const std::uint64_t per_round =
      std::max<std::uint64_t>(1, std::uint64_t{probe.groups} * probe.battles_per_round);
  const std::uint64_t rounds =
      std::max<std::uint64_t>(4, (shape.battles + per_round - 1) / per_round);
  return stage.trace(parameters, Stream::own, shape.max_groups, static_cast<std::uint32_t>(rounds));
}
}  // namespace ratchet::graveler
