// Every registered toy stage against the definition.
#include "kernels/toy/toy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/contract/check.h"
#include "reference/toy.h"

namespace ratchet::toy {
namespace {

class Toy : public testing::TestWithParam<const Stage*> {
 protected:
  void expect_exact(std::uint64_t words, std::uint64_t runs) {
    const auto& stage = dynamic_cast<const ToyStage&>(*GetParam());
    Parameters parameters = stage.defaults();
    const auto count = stage.prepare_count(parameters.set("words", words));
    for (std::uint64_t run = 0; run < runs; ++run) count->run();
    EXPECT_EQ(reference::toy::ones(words, parameters.at("seed")), count->collect()) << words;
  }
};

TEST_P(Toy, CountsTheOnes) {
  for (std::uint64_t words = 1; words < 300; ++words) expect_exact(words, 1 + words % 2);
  expect_exact(GetParam()->defaults().at("words"), 1);
}

TEST_P(Toy, SmallRunForSanitizers) { expect_exact(GetParam()->sanitizer_run().at("words"), 2); }

TEST_P(Toy, PassesItsQuickCheck) {
  const CheckResult result = quick_check(*GetParam());
  EXPECT_TRUE(result.passed) << result.detail;
}

INSTANTIATE_TEST_SUITE_P(Stages, Toy, testing::ValuesIn(match_stages("^toy/")),
                         [](const auto& info) {
                           std::string name = info.param->info().name;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace ratchet::toy
