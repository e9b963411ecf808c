// Ranks with a GPU each, as far as no GPU is needed: which one a rank takes, when its part is not
// made, and what times a run.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "correctness/support/error_of.h"
#include "kernels/support/ranks/commands.h"
#include "kernels/support/ranks/communicator.h"
#include "kernels/support/ranks/gpu.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/message.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::ranks {
namespace {

TEST(RanksGpu, EachTakesItsOwnOfThoseVisible) {
  EXPECT_EQ(visible_gpu("", 0), "0");
  EXPECT_EQ(visible_gpu("", 3), "3");
  EXPECT_EQ(visible_gpu("2,5", 0), "2");
  EXPECT_EQ(visible_gpu("2,5", 1), "5");
  EXPECT_EQ(visible_gpu("2,5", 2), "-1");  // more ranks than GPUs
  EXPECT_EQ(visible_gpu("GPU-1a,GPU-2b,GPU-3c", 2), "GPU-3c");
  EXPECT_EQ(visible_gpu("7", 0), "7");  // dealt out by the launcher
  EXPECT_EQ(visible_gpu("7", 3), "7");
}

/// Says what it is told to, and notes what it was asked.
class FakeObserver final : public RunObserver {
 public:
  explicit FakeObserver(std::string objection = "", DeviceSpan span = {})
      : objection_(std::move(objection)), span_(span) {}
  std::string objection() override { return objection_; }
  void prepare(const std::string& stage) override { asked += "prepare " + stage + ", "; }
  void started() override { asked += "started, "; }
  DeviceSpan ended() override {
    asked += "ended";
    return span_;
  }
  std::string asked;

 private:
  std::string objection_;
  DeviceSpan span_;
};

const Availability kHasOne = Availability::yes();
const Availability kHasNone = Availability::no("no CUDA device");

TEST(RanksGpu, AllRanksHaveOneOrNone) {
  EXPECT_TRUE(takes_gpu(kHasOne, std::nullopt, nullptr));
  EXPECT_FALSE(takes_gpu(kHasNone, std::nullopt, nullptr));
  EXPECT_TRUE(takes_gpu(kHasOne, true, nullptr));
  EXPECT_FALSE(takes_gpu(kHasNone, false, nullptr));
  EXPECT_EQ(error_of([] { takes_gpu(kHasOne, false, nullptr); }),
            "it has a GPU, and rank 0 has none; use hosts of one kind");
  EXPECT_EQ(error_of([] { takes_gpu(kHasNone, true, nullptr); }),
            "it has no GPU of its own, and rank 0 has one (no CUDA device): start as many ranks a "
            "host as it has GPUs");
}

TEST(RanksGpu, OneInUseByOthersIsNotMeasured) {
  const std::string in_use = "its GPU is in use by 1 other process: wait for it";
  FakeObserver others(in_use), nobody;
  EXPECT_EQ(error_of([&] { takes_gpu(kHasOne, true, &others); }), in_use);
  EXPECT_EQ(error_of([&] { takes_gpu(kHasOne, std::nullopt, &others); }), in_use);
  EXPECT_FALSE(takes_gpu(kHasNone, false, &others));  // of no GPU of this rank
  EXPECT_TRUE(takes_gpu(kHasOne, true, &nobody));
}

class NoPart final : public Part {
 public:
  void run(Communicator&) override {}
};

class GpuStage final : public Stage, public RankedStage {
 public:
  GpuStage()
      : Stage(ranked_info(
            {.name = "toy/mpi/02_gpus", .summary = "s", .source = "ratchet", .unit = "numbers"})) {}
  std::unique_ptr<Instance> prepare(const Parameters&) const override { return nullptr; }
  bool takes_gpus() const override { return true; }
  std::unique_ptr<Part> make_part(const Parameters&, const Place&, Start) const override {
    return std::make_unique<NoPart>();
  }
};

/// A job whose other ranks answer so when they are to make a part: what went wrong, and which GPU.
class AnsweringJob final : public Job {
 public:
  struct Answer {
    std::string why, gpu;
  };
  explicit AnsweringJob(std::vector<Answer> of_others) : of_others_(std::move(of_others)) {
    before_ = replace_job(this);
  }
  ~AnsweringJob() override { replace_job(before_); }

  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(of_others_.size()) + 1; }
  const std::string& host(std::uint32_t) const override { return host_; }
  std::uint32_t local_rank() const override { return 0; }
  Communicator& first(std::uint32_t) override { return *alone_; }
  void tell(std::uint32_t rank, const Bytes& message) override {
    told[rank].push_back(Reader(message).get<Command>());
  }
  Bytes hear(std::uint32_t rank) override {
    const Answer& answer = of_others_.at(rank - 1);
    return Writer().put_text(answer.why).put_text(answer.gpu).bytes();
  }
  [[noreturn]] void abandon(const std::string& why) override { throw std::logic_error(why); }
  void leave() override {}

  std::map<std::uint32_t, std::vector<Command>> told;

 private:
  std::vector<Answer> of_others_;
  std::string host_ = "node7";
  std::unique_ptr<Communicator> alone_ = make_alone();
  Job* before_ = nullptr;
};

/// Why a stage on all ranks of the job cannot be prepared; the job goes on.
std::string refusal(AnsweringJob& job) {
  const GpuStage stage;
  const std::string said = error_of([&] {
    const RankedRun run(stage, stage.defaults().set("ranks", std::uint64_t{job.size()}));
  });
  for (std::uint32_t rank = 1; rank < job.size(); ++rank)
    EXPECT_EQ(job.told[rank], (std::vector{Command::make, Command::drop})) << rank;
  return said;
}

TEST(RanksGpu, TwoRanksWithTheSameAreNamed) {
  AnsweringJob apart({{"", "A"}, {"", "B"}, {"", "C"}});
  EXPECT_EQ(refusal(apart), "no error");
  AnsweringJob shared({{"", "A"}, {"", "B"}, {"", "A"}});
  EXPECT_EQ(refusal(shared),
            "toy/mpi/02_gpus cannot be prepared on rank 3 on node7: its GPU is that of rank 1 on "
            "node7, too: start as many ranks a host as it has GPUs");
  AnsweringJob without({{"", ""}, {"", ""}});  // on CPUs
  EXPECT_EQ(refusal(without), "no error");
}

TEST(RanksGpu, TheFirstRankThatRefusesIsNamed) {
  AnsweringJob job({{"", "A"}, {"its GPU is in use", ""}, {"no CUDA device", ""}});
  EXPECT_EQ(refusal(job),
            "toy/mpi/02_gpus cannot be prepared on rank 2 on node7: its GPU is in use");
}

/// The observer that this process has while it lives.
class Observed {
 public:
  explicit Observed(DeviceSpan span) {
    auto made = std::make_unique<FakeObserver>("", span);
    observer = made.get();
    observe_runs(std::move(made));
  }
  ~Observed() { observe_runs(nullptr); }
  FakeObserver* observer;
};

TEST(RanksGpu, ARunIsTimedByItsRecords) {
  const auto alone = make_alone();
  NoPart part;
  const Observed by_records(
      {.end_s = 3, .work_s = 2, .communication_s = 0.5, .sm_clock_mhz = 1980});
  const RankTime time = timed_run("a/mpi/01_x", part, *alone, true);
  EXPECT_EQ(by_records.observer->asked, "prepare a/mpi/01_x, started, ended");
  EXPECT_EQ(time.span_s, 3);
  EXPECT_EQ(time.work_s, 2);
  EXPECT_EQ(time.communication_s, 0.5);
  EXPECT_EQ(time.sm_clock_mhz, 1980);
  EXPECT_TRUE(time.of_device());
}

TEST(RanksGpu, ARunWithoutRecordsIsTimedByTheClock) {
  const auto alone = make_alone();
  NoPart part;
  const Observed nothing_seen({.end_s = 3});
  const RankTime time = timed_run("a/mpi/01_x", part, *alone, true);
  EXPECT_LT(time.span_s, 1);
  EXPECT_FALSE(time.of_device());
  nothing_seen.observer->asked.clear();
  EXPECT_FALSE(timed_run("a/mpi/01_x", part, *alone, false).of_device());  // on a CPU
  EXPECT_EQ(nothing_seen.observer->asked, "");
}

}  // namespace
}  // namespace ratchet::ranks
