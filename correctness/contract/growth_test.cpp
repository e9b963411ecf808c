// Work grows with the work asked for. A stage that stops at a limit, or whose later runs do
// nothing, is faster than it could be. Its time shows it, whatever its answer.
//
// The time of a run is a + b * size, whatever the overhead a: from N to 2N it grows by half as much
// as from 2N to 4N. Times on a CPU are the processor time of all threads. A machine's speed varies,
// so the three sizes are interleaved and compared within a round. The median over the rounds of the
// share of the growth due counts. What falls short is measured again, in the end with other
// instances: the pages of an instance's memory may make it slow for life. (The shortest run of each
// size would do on a steady machine only.) A first turn that has nearly all of the growth due is
// enough. Below 0.65 of the growth due is a failure: a cap at 3N
// or below leaves half at most. Right stages need not have all of it. officers/cpu/03_rare_values
// verifies its later values by fewer sums each, and has three quarters in a noisy process. What a
// stage leaves out at all sizes alike shows in its in-situ check (correctness/<family>/point.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "correctness/support/expect_results.h"
#include "kernels/support/opencl_device.h"
#include "perf/measure/timers/timer.h"

namespace ratchet {
namespace {

constexpr std::size_t kSizes = 3;          ///< N, 2N, 4N
constexpr std::uint64_t kLargerAgain = 8;  // from one preparation to the next
constexpr int kTurnsOfALook = 3, kLooks = 4, kPreparations = 3, kRunsOfASize = 4;
constexpr double kLeastGrowth = 0.65, kClearGrowth = 0.85;
/// A run of N that is longer is long enough.
constexpr double kLongRun_s = 0.03, kLongDeviceRun_s = 0.005;

bool runs_on_cpu(Backend backend) {
  if (backend != Backend::opencl) return backend == Backend::cpu;
  const auto device = opencl_device();
  return device && device->type == "cpu";
}

/// A stage at N, 2N and 4N.
class Growth {
 public:
  Growth(const Stage& stage, std::uint64_t size) : stage_(stage), size_(size) {
    for (std::size_t i = 0; i < kSizes; ++i)
      instances_[i] = stage.prepare(stage.defaults().set(stage.info().size, size << i));
  }
  /// Some turns more. The first run of each instance is left out.
  void look(timing::Timer& timer, int turns = kTurnsOfALook) {
    if (turns_.empty())
      for (const auto& instance : instances_) timer.time(*instance);
    for (int i = 0; i < turns; ++i) {
      Turn& turn = turns_.emplace_back();
      for (std::size_t size = 0; size < kSizes; ++size)
        turn[size] = seconds_of(timer.time(*instances_[size]));
    }
    std::ranges::sort(turns_, {}, share_of);
  }
  double share() const { return share_of(middle()); }
  std::string text() const {
    const Turn& turn = middle();
    return stage_.info().size + " " + std::to_string(size_) +
           ", twice, four times: " + std::to_string(1e3 * turn[0]) + ", " +
           std::to_string(1e3 * turn[1]) + ", " + std::to_string(1e3 * turn[2]) +
           " ms in the middle one of " + std::to_string(turns_.size()) + " turns";
  }

 private:
  using Turn = std::array<double, kSizes>;  ///< s
  /// Of the growth due from 2N to 4N, the share that there is. What is due is twice the growth
  /// before, but not more than 2N takes in all; and a run that is all overhead is no excuse.
  static double share_of(const Turn& turn) {
    const double due = std::clamp(2 * (turn[1] - turn[0]), turn[1] / 4, turn[1]);
    return (turn[2] - turn[1]) / due;
  }
  const Turn& middle() const { return turns_.at(turns_.size() / 2); }
  double seconds_of(const timing::Sample& sample) const {
    if (on_cpu_) return sample.cpu_seconds;
    return stage_.info().overlaps ? sample.span_seconds : sample.seconds;
  }

  const Stage& stage_;
  std::uint64_t size_;
  std::array<std::unique_ptr<Instance>, kSizes> instances_;
  bool on_cpu_ = runs_on_cpu(stage_.info().backend);
  std::vector<Turn> turns_;
};

const Parameter& size_of(const Stage& stage) {
  for (const Parameter& parameter : stage.info().parameters)
    if (parameter.name == stage.info().size) return parameter;
  throw std::logic_error(stage.info().name + " has no size");
}

/// 4N is the timed size, so that what tops out there is seen.
std::uint64_t largest_first_size(const Stage& stage) {
  return std::max<std::uint64_t>(1, size_of(stage).value / 4);
}

/// The largest, or a smaller one where a run is long.
std::uint64_t first_size(const Stage& stage, timing::Timer& timer) {
  const bool device = stage.info().backend == Backend::cuda;
  const Parameter& size = size_of(stage);
  const std::uint64_t whole = largest_first_size(stage);
  std::uint64_t n = std::max<std::uint64_t>(1, std::max(size.min, whole / 64));
  const double enough_s = device ? kLongDeviceRun_s : kLongRun_s;
  for (; n < whole; n = std::min(whole, n * 2)) {
    const auto instance = stage.prepare(stage.defaults().set(size.name, n));
    // Each of them, since a run that another process held up would settle for a size at which
    // overhead is all there is.
    int longer = 0;
    while (longer < kRunsOfASize && timer.time(*instance).seconds > enough_s) ++longer;
    if (longer == kRunsOfASize) break;
  }
  return n;
}

/// Empty where the work grows.
std::string flat(const Stage& stage, timing::Timer& timer) {
  std::uint64_t size = first_size(stage, timer);
  std::string seen;
  for (int preparation = 0; preparation < kPreparations; ++preparation) {
    Growth growth(stage, size);
    // On a busy machine threads wait for each other in every run, longer than a small one takes.
    size = std::min(largest_first_size(stage), size * kLargerAgain);
    growth.look(timer, 1);
    if (growth.share() >= kClearGrowth) return "";
    for (int i = 0; i < kLooks; ++i) {
      growth.look(timer, i == 0 ? kTurnsOfALook - 1 : kTurnsOfALook);
      if (growth.share() >= kLeastGrowth) return "";
    }
    seen += (seen.empty() ? "" : "; ") + growth.text();
  }
  return seen;
}

class GrowthAlone : public testing::TestWithParam<const Stage*> {};

TEST_P(GrowthAlone, WorkGrowsWithTheWorkAskedFor) {
  const Stage& stage = *GetParam();
  const Availability available = stage.availability();
  if (!available.ok) GTEST_SKIP() << stage.info().name << ": " << available.reason;
  if (stage.info().size.empty()) GTEST_SKIP() << stage.info().name << " has no size";
  EXPECT_EQ(flat(stage, *timing::make_timer(stage.info().backend)), "");
}

/// Counts once a unit, but does what a fault leaves of it.
class Counter final : public Stage {
 public:
  enum class Fault { none, tops_out, tops_out_late, idle_later };
  explicit Counter(Fault fault) : Stage(facts()), fault_(fault) {}
  std::unique_ptr<Instance> prepare(const Parameters& parameters) const override {
    return std::make_unique<Count>(parameters.at("units"), fault_);
  }
  class Count final : public Instance {
   public:
    Count(std::uint64_t units, Fault fault) : units_(units), fault_(fault) {}
    void run() override {
      const std::uint64_t most = fault_ == Fault::tops_out        ? kUnits / 2
                                 : fault_ == Fault::tops_out_late ? kUnits / 4 * 3
                                                                  : units_;
      last_ = fault_ == Fault::idle_later && runs_ > 0 ? 1 : std::min(units_, most);
      ++runs_;
    }
    std::uint64_t units() const override { return units_; }
    /// Units that the last run did.
    std::uint64_t done() const { return last_; }

   private:
    std::uint64_t units_, last_ = 0, runs_ = 0;
    Fault fault_;
  };

 private:
  static constexpr std::uint64_t kUnits = std::uint64_t{1} << 26;
  static StageInfo facts() {
    return {.name = "demo/cpu/01_count",
            .parameters = {{"units", kUnits, 1, kUnits, "units of a run"}},
            .size = "units"};
  }
  Fault fault_;
};

/// A nanosecond a unit done, so that no load of the machine decides.
class UnitTimer final : public timing::Timer {
 public:
  timing::TimerKind kind() const override { return timing::TimerKind::wall; }

 private:
  timing::Sample time_run(Instance& instance) override {
    instance.run();
    timing::Sample sample;
    sample.seconds = sample.cpu_seconds =
        1e-9 * static_cast<double>(dynamic_cast<Counter::Count&>(instance).done());
    return sample;
  }
};

TEST(Growth, ARightStageGrowsAndFaultyOnesDoNot) {
  UnitTimer timer;
  EXPECT_EQ(flat(Counter(Counter::Fault::none), timer), "");
  EXPECT_NE(flat(Counter(Counter::Fault::tops_out), timer), "");
  EXPECT_NE(flat(Counter(Counter::Fault::tops_out_late), timer), "");
  EXPECT_NE(flat(Counter(Counter::Fault::idle_later), timer), "");
}

/// Says that a run took as long as its size, but half of it in one call.
class QuickOnce final : public timing::Timer {
 public:
  explicit QuickOnce(int call) : quick_(call) {}
  timing::TimerKind kind() const override { return timing::TimerKind::wall; }

 private:
  timing::Sample time_run(Instance& instance) override {
    timing::Sample sample;
    sample.cpu_seconds = static_cast<double>(instance.units()) * (++calls_ == quick_ ? 0.5 : 1);
    return sample;
  }
  int quick_, calls_ = 0;
};

TEST(Growth, AQuickSpellAtOneSizeCondemnsNoStage) {
  const Counter stage(Counter::Fault::none);
  Growth growth(stage, 1);
  QuickOnce timer(2 * kSizes);  // 4N, in the first turn after the runs left out
  growth.look(timer);
  EXPECT_GE(growth.share(), kLeastGrowth) << growth.text();
}

INSTANTIATE_TEST_SUITE_P(Stages, GrowthAlone, testing::ValuesIn(registry()), stage_name);

}  // namespace
}  // namespace ratchet
