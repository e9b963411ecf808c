// The quick check of a bmn stage, before it is timed: about a second.
#include "kernels/contract/check.h"

#include "correctness/bmn/checks/checks.h"

namespace ratchet::bmn {
namespace {

CheckResult check(const Stage& stage) {
  if (const auto* climb = dynamic_cast<const search::ClimbStage*>(&stage)) {
    const TestResults tests = check_climb(*climb, small_climb(*climb, 600), 2);
    return {!correctness::any_rejected(tests), correctness::summary(tests)};
  }
  const auto* bmn = dynamic_cast<const BmnStage*>(&stage);
  if (!bmn) return {false, stage.info().name + " is no bmn stage"};
  if (stage.info().as_printed) {
    const Parameters two_blocks = parameters_for(*bmn, 230'003, 17).set("blocks", 2);
    const TestResults tests = check_as_printed(*bmn, two_blocks);
    return {!correctness::any_rejected(tests), correctness::summary(tests)};
  }
  TestResults tests = check_given(*bmn, edge_deals(2'000), kDefaultCap);
  correctness::append(tests, check_games(*bmn, parameters_for(*bmn, 5'003, 17)));
  // A low cap, so that many games reach it.
  correctness::append(tests, check_games(*bmn, parameters_for(*bmn, 1'009, 18, 500)));
  correctness::append(tests, check_runs(*bmn, 2'003, 19));
  return {!correctness::any_rejected(tests), correctness::summary(tests)};
}

const CheckRegistration registered("bmn", check);

}  // namespace
}  // namespace ratchet::bmn
