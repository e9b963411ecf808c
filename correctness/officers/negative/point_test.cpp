// The check at the point rejects timed loops that compute fewer values than asked for.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/support/retold_runs.h"
#include "kernels/contract/check.h"
#include "kernels/officers/officers.h"
#include "kernels/officers/start/start.h"

namespace ratchet::officers {
namespace {

/// Values that the timed loop computes of those asked for.
using Computes = std::uint64_t (*)(std::uint64_t asked);
/// What it does to the others.
using Fills = void (*)(Result& result);

class Faulty final : public OfficersStage {
 public:
  Faulty(Computes computes, Fills fills)
      : OfficersStage(real().info(), true), computes_(computes), fills_(fills) {}
  std::unique_ptr<Run> prepare_run(const Parameters& parameters, const State& from) const override {
    const std::uint64_t asked = parameters.at("count");
    const auto retell = [asked, fills = fills_](Result seen, const std::optional<Result>&) {
      // The values that follow are like those before: all between 0 and 511.
      while (seen.values.size() < asked)
        seen.values.push_back(seen.values[seen.values.size() - 1000]);
      fills(seen);
      return seen;
    };
    return std::make_unique<correctness::RetoldRuns<Run>>(
        real().prepare_run(Parameters(parameters).set("count", computes_(asked)), from), asked,
        retell);
  }

 private:
  static const OfficersStage& real() {
    return dynamic_cast<const OfficersStage&>(*find_stage("officers/cpu/05_bit_1"));
  }
  Computes computes_;
  Fills fills_;
};

InSituState judged(
    Computes computes, Fills fills = [](Result&) {}) {
  const Faulty stage(computes, fills);
  const Parameters parameters =
      stage.defaults().set("start", std::uint64_t{65536}).set("count", std::uint64_t{16384});
  const auto instance = stage.prepare(parameters);
  instance->run();
  return check_in_situ({stage, parameters, *instance, "", 0, true, 1, true}).state;
}

std::uint64_t all(std::uint64_t asked) { return asked; }

TEST(OfficersPoint, PassesTheRightLoop) { EXPECT_EQ(judged(all), InSituState::right); }

TEST(OfficersPoint, SeesMissingValues) {
  EXPECT_EQ(judged([](std::uint64_t n) { return n * 6 / 7; }), InSituState::wrong);
  EXPECT_EQ(judged([](std::uint64_t n) { return n - 64; }), InSituState::wrong);
  EXPECT_EQ(judged([](std::uint64_t n) { return std::min<std::uint64_t>(n, 8192); }),
            InSituState::wrong);
}

TEST(OfficersPoint, SeesOneWrongValueWhereThereIsTimeForAll) {
  EXPECT_EQ(judged(all, [](Result& result) { result.values[9000] ^= 1; }), InSituState::wrong);
}

TEST(OfficersPoint, SeesUnitsThatNobodyAskedFor) {
  const Faulty stage(all, [](Result&) {});
  const Parameters parameters =
      stage.defaults().set("start", std::uint64_t{65536}).set("count", std::uint64_t{16384});
  EXPECT_EQ(correctness::judged_claiming(parameters.at("count") + 1, stage, parameters,
                                         stage.prepare_run(parameters, state_at(65536))),
            InSituState::wrong);
}

}  // namespace
}  // namespace ratchet::officers
