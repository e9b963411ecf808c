// What a run lasted whose process was stopped and continued.

#include "perf/measure/interleaving.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <thread>

#include "correctness/perf/measure/fixture.h"
#include "perf/measure/interleaving_protocol.h"

namespace ratchet::timing {
namespace {

constexpr std::int64_t ms = 1'000'000;

Run run(std::int64_t begin_ms, std::int64_t end_ms, double thread_s, std::uint64_t waits = 0) {
  return {begin_ms * ms, end_ms * ms, thread_s, 2 * thread_s, waits, 3};
}

TEST(Turns, PausesAreNoPartOfTheTimeOfThreads) {
  const std::vector<Pause> pauses = {{0, 10 * ms}, {12 * ms, 20 * ms}, {25 * ms, 40 * ms}};
  const auto samples =
      samples_of_slices({run(5, 22, 0.001), run(22, 30, 0.001), run(41, 43, 0.001)}, pauses, false);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_NEAR(samples[0].seconds, 0.017 - 0.005 - 0.008, 1e-12);
  EXPECT_NEAR(samples[1].seconds, 0.003, 1e-12);
  EXPECT_NEAR(samples[2].seconds, 0.002, 1e-12);
  EXPECT_NEAR(samples[0].cpu_seconds, 0.002, 1e-12);
  EXPECT_EQ(samples[0].preemptions, 3u);
}

TEST(Turns, OneThreadLastedAsLongAsItWasOnTheCpu) {
  const auto samples =
      samples_of_slices({run(0, 30, 0.011, 1), run(30, 50, 0.012)}, {{5 * ms, 15 * ms}}, true);
  EXPECT_EQ(samples[0].seconds, 0.011);
  EXPECT_EQ(samples[1].seconds, 0.012);
  EXPECT_EQ(samples[0].preemptions, 0u);
}

TEST(Turns, AThreadThatWaitsIsTimedByTheClock) {
  // Two departures from the CPU, of which the pause explains one.
  const auto samples = samples_of_slices({run(0, 30, 0.011, 2)}, {{5 * ms, 15 * ms}}, true);
  EXPECT_NEAR(samples[0].seconds, 0.020, 1e-12);
}

TEST(Turns, AllSamplesCount) {
  const Summary summary = summarize_slices({sample(1), sample(2), sample(6)});
  EXPECT_DOUBLE_EQ(summary.seconds, 3);
  EXPECT_DOUBLE_EQ(summary.span_seconds, 3);
}

/// Burns so much time of its own.
struct Burner final : Instance {
  explicit Burner(double seconds) : seconds_(seconds) {}
  void run() override {
    timespec start{}, now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (static_cast<double>(now.tv_sec - start.tv_sec) +
                 1e-9 * static_cast<double>(now.tv_nsec - start.tv_nsec) <
             seconds_);
  }
  std::uint64_t units() const override { return 1; }
  double seconds_;
};

struct Sleeper final : Instance {
  void run() override { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
  std::uint64_t units() const override { return 1; }
};

TEST(Turns, WorkAndWaitingAreToldApartOnThisMachine) {
  Burner burner(0.03);
  const auto worked = time_run(burner);
  EXPECT_NEAR(samples_of_slices({worked}, {}, true)[0].seconds, 0.03, 0.003);
  Sleeper sleeper;
  const auto slept = time_run(sleeper);
  EXPECT_LT(slept.thread_s, 0.01);
  EXPECT_GE(samples_of_slices({slept}, {}, true)[0].seconds, 0.02);
}

}  // namespace

// Both ends of a conversation interleaved read what the other writes, and nothing else.

namespace {

TEST(InterleavingProtocol, EachEndReadsWhatTheOtherWrites) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const SliceCommand& command : {SliceCommand(Go{1}), SliceCommand(Go{5000}),
                                      SliceCommand(Pause{5, most}), SliceCommand(End{})})
    EXPECT_EQ(read_command(to_line(command)), command) << to_line(command);
  for (const SliceAnswer& answer :
       {SliceAnswer(Ready{0}), SliceAnswer(Ready{0.25}), SliceAnswer(Done{})}) {
    const auto said = read_slice_line(to_line(answer));
    ASSERT_TRUE(said) << to_line(answer);
    EXPECT_EQ(read_answer(*said), answer) << *said;
  }
}

TEST(InterleavingProtocol, NothingElseIsPartOfIt) {
  for (const char* line : {"", "go", "go 0", "go -1", "go 3 more", "go 18446744073709551616",
                           "pause 5", "pause 5 x", "pause 5 10 15", "ending", "stop"})
    EXPECT_FALSE(read_command(line)) << line;
  for (const char* line : {"", "ready 0.1", "done", "slice: done"})
    EXPECT_FALSE(read_slice_line(line)) << line;
  for (const char* said : {"", "ready", "ready soon", "ready -1", "ready inf", "ready nan",
                           "ready 0.1 s", "done 1", "tired"})
    EXPECT_FALSE(read_answer(said)) << said;
}

}  // namespace

}  // namespace ratchet::timing
