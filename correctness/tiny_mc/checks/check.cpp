// The quick check of a tiny_mc stage, before it is timed: about a second.
#include "kernels/contract/check.h"

#include <algorithm>

#include "correctness/support/paths.h"
#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

/// Prime to any block, vector and chunk. Enough to see a shell off by 2 % on a CPU, by 0.2 % on a
/// GPU.
std::uint64_t photons_for(const PhotonStage& stage) {
  return computes_on_cpu(stage) ? 1'000'003
                                : std::min<std::uint64_t>(100'000'007, photons_for_a_check(stage));
}

TestResults check_right(const PhotonStage& stage) {
  TestResults tests = check_run(stage, Medium{}, photons_for(stage), 17);
  append(tests, check_trace(stage, 20'011, 18));
  append(tests, check_counts(stage, 1'031));
  return tests;
}

CheckResult check(const Stage& stage) {
  const auto* photon_stage = dynamic_cast<const PhotonStage*>(&stage);
  if (!photon_stage) return {false, stage.info().name + " is no tiny_mc stage"};
  const TestResults tests = stage.info().as_printed
                                ? check_as_printed(*photon_stage, photons_for(*photon_stage))
                                : check_right(*photon_stage);
  return {!any_rejected(tests), summary(tests)};
}

const CheckRegistration registered("tiny_mc", check);

}  // namespace
}  // namespace ratchet::tiny_mc
