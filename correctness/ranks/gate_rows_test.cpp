// Rows of several ranks as the gate measures them, by ratchet-bench under mpirun.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "correctness/ranks/own_jobs.h"
#include "correctness/support/programs.h"
#include "kernels/support/ranks/part.h"
#include "kernels/support/ranks/ranked_run.h"
#include "perf/gate/run/bench_program.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

const std::string kTwo = "graveler/mpi/01_shards/battles:1000000/ranks:2";
const std::string kOther = "graveler/cpu/12_aes_weyl/battles:1000000";

/// Kills rank `rank` of this test's jobs of `program`, as soon as there is one.
class Killer {
 public:
  Killer(std::string program, std::string rank)
      : program_(std::move(program)), rank_("OMPI_COMM_WORLD_RANK=" + std::move(rank)) {}
  ~Killer() {
    over_ = true;
    thread_.join();
  }
  int killed() const { return killed_; }

 private:
  void work() {
    while (!over_ && killed_ == 0) {
      for (const int process : jobs_.running(program_, rank_))
        killed_ += kill(process, SIGKILL) == 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const OwnJobs jobs_;
  std::string program_, rank_;
  std::atomic<bool> over_ = false;
  std::atomic<int> killed_ = 0;
  std::thread thread_{[this] { work(); }};
};

class RanksInTheGate : public testing::Test {
 protected:
  void SetUp() override {
    if (const Availability mpi = ranks::mpi_availability(); !mpi.ok) GTEST_SKIP() << mpi.reason;
    folder_ = fs::temp_directory_path() / ("ratchet-ranks." + std::to_string(getpid()));
    fs::create_directories(folder_);
    program_ = std::make_unique<RatchetProgram>(
        ProgramOptions{.program = built_program("perf/ratchet-bench"),
                       .flags = {"--ratchet_set=battles=1000000"}});
    std::ofstream verified(folder_ / "verified");
    for (const std::string stage : {"graveler/mpi/01_shards", "graveler/cpu/12_aes_weyl"}) {
      const CheckOutcome check = program_->check(stage);
      EXPECT_TRUE(check.passed) << check.detail;
      verified << check.line << "\n";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::map<RowId, LaunchOutcome> measure() const {
    LaunchRequest request;
    request.budget_s = 0.3;
    request.verified_file = folder_ / "verified";
    request.scratch = folder_ / "launch.json";
    return program_->measure_together({kOther, kTwo}, request);
  }

  fs::path folder_;
  std::unique_ptr<RatchetProgram> program_;
};

TEST_F(RanksInTheGate, AreListedAndStartedByMpirun) {
  const std::vector<RowId> rows = program_->list().rows;
  EXPECT_NE(std::find(rows.begin(), rows.end(), kTwo), rows.end());
  EXPECT_FALSE(program_->interleaved_rows().contains(kTwo));
  for (const auto& [row, check] : program_->verify_in_situ({kTwo}, 0.2))
    EXPECT_TRUE(check.passed) << check.detail;
  const auto outcomes = measure();
  for (const std::string& row : {kTwo, kOther})
    ASSERT_TRUE(outcomes.at(row).launch) << row << ": " << outcomes.at(row).failure;
  const Launch& two = *outcomes.at(kTwo).launch;
  EXPECT_EQ(two.counter("ranks"), 2.0);
  EXPECT_EQ(two.counter("units"), 1e6);
  // Of all runs, so it may exceed real_ms, the median of the undisturbed ones.
  EXPECT_GT(*two.counter("communication_ms"), 0);
  EXPECT_LT(*two.counter("communication_ms"), 1e3 * *two.counter("launch_s"));
  EXPECT_GE(*two.counter("rank_spread"), 0);
  EXPECT_LE(*two.counter("rank_spread"), 1);
  EXPECT_FALSE(outcomes.at(kOther).launch->counter("ranks"));
}

TEST_F(RanksInTheGate, AKilledRankFailsItsRowAloneAndIsNamed) {
  std::map<RowId, LaunchOutcome> outcomes;
  int killed = 0;
  {
    const Killer killer(built_program("perf/ratchet-bench"), "1");
    outcomes = measure();
    killed = killer.killed();
  }
  ASSERT_EQ(killed, 1);
  EXPECT_TRUE(outcomes.at(kOther).launch) << outcomes.at(kOther).failure;
  const std::string& failure = outcomes.at(kTwo).failure;
  EXPECT_FALSE(outcomes.at(kTwo).launch);
  EXPECT_NE(failure.find("ratchet: rank 1 on "), failure.npos) << failure;
  EXPECT_NE(failure.find(" was killed by signal 9"), failure.npos) << failure;
  EXPECT_EQ(failure.find('\n'), failure.npos) << failure;
}

}  // namespace
}  // namespace ratchet::gate

// What a row says of its ranks' time.
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
