// A CPU stage passes its check with every instruction set that it can be dispatched to, not only
// with this machine's best, which the tests of its family have (PassesItsQuickCheck).
#define HWY_WANT_AVX3_DL  // some stages have it, and then another path for AVX3
#include "correctness/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/contract/check.h"

namespace ratchet {
namespace {

std::vector<const Stage*> cpu_stages() {
  std::vector<const Stage*> found;
  for (const Stage* stage : registry())
    if (stage->info().backend == Backend::cpu) found.push_back(stage);
  return found;
}

std::string test_name(const testing::TestParamInfo<const Stage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

class Paths : public testing::TestWithParam<const Stage*> {};

TEST_P(Paths, EveryInstructionSetPassesTheCheck) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {  // the best first
    // Stages as printed have other tests in their families.
    if (target == hwy::SupportedAndGeneratedTargets().front() && !GetParam()->info().as_printed)
      continue;
    const correctness::OneTarget only(target);
    const Availability available = GetParam()->availability();
    if (!available.ok) continue;  // needs more than this target
    const CheckResult result = quick_check(*GetParam());
    EXPECT_TRUE(result.passed) << hwy::TargetName(target) << ": " << result.detail;
    if (!hwy::GetChosenTarget().IsInitialized())
      break;  // it asked for none: the others are this run again
  }
}

/// A reason to skip: with one target nothing is dispatched, and the families test that one.
bool is_neon_alone() { return HWY_ARCH_ARM && hwy::SupportedAndGeneratedTargets().size() == 1; }

TEST(Targets, AStageOfVectorsAsksForOne) {
  if (is_neon_alone()) GTEST_SKIP() << "NEON is the only instruction set of this build";
  const correctness::OneTarget only(hwy::SupportedAndGeneratedTargets().front());
  EXPECT_FALSE(hwy::GetChosenTarget().IsInitialized());
  quick_check(*find_stage("bmn/cpu/04_planes"));
  EXPECT_TRUE(hwy::GetChosenTarget().IsInitialized());
}

TEST(Targets, AreMoreThanOne) {
  if (is_neon_alone()) GTEST_SKIP() << "NEON is the only instruction set of this build";
  EXPECT_GT(hwy::SupportedAndGeneratedTargets().size(), 1u)
      << "every path but this machine's would be left out unseen";
}

INSTANTIATE_TEST_SUITE_P(Stages, Paths, testing::ValuesIn(cpu_stages()), test_name);

}  // namespace
}  // namespace ratchet
