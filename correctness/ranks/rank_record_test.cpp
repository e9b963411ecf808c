// What a row says of its ranks' time.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/support/ranks/ranked_run.h"
#include "perf/measure/timers/timer.h"

namespace ratchet {
namespace {

/// An instance whose ranks took so long.
class Told final : public Instance, public ranks::RankTimed {
 public:
  explicit Told(std::vector<ranks::RankTime> times) : times_(std::move(times)) {}
  void run() override {}
  std::uint64_t units() const override { return 1; }
  std::optional<DeviceTime> device_time() override {
    return DeviceTime{ranks::slowest_s(times_), ranks::slowest_s(times_), 0};
  }
  const std::vector<ranks::RankTime>& rank_times() const override { return times_; }

 private:
  std::vector<ranks::RankTime> times_;
};

class Alone final : public Instance {
 public:
  void run() override {}
  std::uint64_t units() const override { return 1; }
};

TEST(RanksTime, IsThatOfTheSlowest) {
  Told told({{0.5, 0.1}, {2, 0.25}, {1.5, 0}});
  EXPECT_EQ(timing::make_ranks_timer()->time(told).seconds, 2);
  EXPECT_EQ(timing::make_ranks_timer()->time(told).span_seconds, 2);
  EXPECT_EQ(ranks::rank_times_of(told)->size(), 3u);
}

TEST(RanksTime, WithoutRanksIsTheClocks) {
  Alone alone;
  EXPECT_LT(timing::make_ranks_timer()->time(alone).seconds, 0.5);
  EXPECT_EQ(ranks::rank_times_of(alone), nullptr);
}

}  // namespace
}  // namespace ratchet
