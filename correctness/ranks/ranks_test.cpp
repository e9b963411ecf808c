// What becomes of a job of several ranks when one of them has a fault, by real processes under
// mpirun; and what the gate makes of it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "correctness/ranks/own_jobs.h"
#include "correctness/support/error_of.h"
#include "correctness/support/programs.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/message.h"
#include "kernels/support/ranks/part.h"
#include "perf/gate/run/worker_launch.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/identity/row_id.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

std::string program() { return built_program("correctness/faulty_ranks"); }

/// Ranks of this test's jobs that are still there. One that was ended may take a moment to go.
int left_over(const OwnJobs& jobs) {
  std::size_t left = 1;
  // A busy machine takes seconds to end killed processes; what is left for good is there after them, too.
  for (int tries = 0; left > 0 && tries < 300; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    left = jobs.running(program()).size();
  }
  return static_cast<int>(left);
}

std::string this_host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// What a row's time depends on is told from its name (perf/baseline).
TEST(RankedStages, ThoseOnGpusAreCalledSo) {
  int on_gpus = 0;
  for (const Stage* stage : registry()) {
    const bool by_name = RowId(stage->info().name).device() == Device::gpus;
    EXPECT_EQ(by_name, ranks::takes_gpus(*stage)) << stage->info().name;
    on_gpus += by_name;
  }
  EXPECT_GT(on_gpus, 0);
}

class RanksFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (const Availability mpi = ranks::mpi_availability(); !mpi.ok) GTEST_SKIP() << mpi.reason;
  }
  ProcessResult run(const std::string& fault, std::uint64_t ranks = 2) {
    // No rank but a hanging one may be taken for that, however long it waits for a CPU.
    const ProcessResult result = gate::run_ranks(
        ranks, {program(), fault}, 120, {{"RATCHET_RANK_LIMIT_S", fault == "hangs" ? "2" : "60"}});
    EXPECT_EQ(left_over(jobs_), 0) << fault;
    return result;
  }
  /// The job is over, and one line says which rank of which host was at fault.
  static void expect_named(const ProcessResult& result, const std::string& what) {
    EXPECT_FALSE(result.ok());
    EXPECT_FALSE(result.timed_out);
    const std::string said = result.last_error();
    EXPECT_NE(said.find("rank 1 "), said.npos) << said;
    EXPECT_NE(said.find(" " + this_host()), said.npos) << said;
    EXPECT_NE(said.find(what), said.npos) << said;
  }

  const OwnJobs jobs_;
};

TEST_F(RanksFaults, NoneAddsUp) {
  for (const std::uint64_t ranks : {1, 2, 3, 4}) {
    const ProcessResult result = run("none", ranks);
    EXPECT_TRUE(result.ok()) << result.describe();
    const std::string sum = "sum " + std::to_string(ranks * (ranks + 1) / 2) + "\n";
    EXPECT_EQ(result.output, sum + sum);
  }
}

TEST_F(RanksFaults, OutOfMemoryIsTheRowsAlone) {
  const ProcessResult result = run("memory");
  EXPECT_TRUE(result.ok()) << result.describe();
  EXPECT_EQ(result.output, "error: toy/mpi/01_sum cannot be prepared on rank 1 on " + this_host() +
                               ": std::bad_alloc\nsum 3\n");
}

TEST_F(RanksFaults, ARankThatFailsInItsRunIsNamed) {
  const ProcessResult result = run("throws");
  expect_named(result, "in a run of toy/mpi/01_sum: a fault on purpose");
  EXPECT_EQ(result.exit_code, 2);
}

TEST_F(RanksFaults, AKilledRankIsNamed) {
  expect_named(run("killed"), "signal 9");
  expect_named(run("killed", 4), "signal 9");
}

TEST_F(RanksFaults, AHangingRankIsNamed) {
  for (const std::uint64_t ranks : {2, 4}) {
    const ProcessResult result = run("hangs", ranks);
    expect_named(result, "hangs: the others have waited 2 s for it");
    EXPECT_EQ(result.exit_code, 2);
  }
}

TEST_F(RanksFaults, AnotherBuildIsNamed) {
  // At the same place in another folder, so that it finds the module, and a little longer.
  const fs::path folder = fs::path(program()).parent_path();
  const fs::path other = folder / ("faulty_ranks_of_" + std::to_string(getpid()));
  fs::copy_file(program(), other);
  std::ofstream(other, std::ios::app) << "another build";
  const ProcessResult result = gate::run_ranks(2, {program(), "none"}, 60, {});
  EXPECT_TRUE(result.ok()) << result.describe();
  const ProcessResult mixed =
      run_process({"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "1", program(), "none",
                   ":", "-n", "1", other.string(), "none"},
                  60);
  fs::remove(other);
  EXPECT_EQ(mixed.exit_code, 2) << mixed.describe();
  const std::string said = gate::with_rank_at_fault_last(mixed.errors);
  EXPECT_NE(said.find("ratchet: rank 1 on " + this_host() + " is another build"), said.npos)
      << said;
}

TEST_F(RanksFaults, NothingIsLeftWhenTheGateEndsAJob) {
  const ProcessResult result = gate::run_ranks(2, {program(), "hangs"}, 3, {});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(left_over(jobs_), 0);
}

TEST(RanksErrors, EndWithALineThatSaysSomething) {
  const std::string frame = "--------\n";
  const auto last = [](const std::string& errors) {
    const std::string said = gate::with_rank_at_fault_last(errors);
    return said.substr(said.rfind('\n', said.size() - 2) + 1);
  };
  const std::string end =
      frame + "Primary job terminated normally, but 1 process failed.\n" + frame;
  EXPECT_EQ(last("ratchet: cannot load MPI: no libmpi\n" + end),
            "ratchet: cannot load MPI: no libmpi\n");
  EXPECT_EQ(last(end), "Primary job terminated normally, but 1 process failed.\n");
  EXPECT_EQ(gate::with_rank_at_fault_last(frame), frame);
}

TEST(RanksRows, SayHowManyTheyTake) {
  EXPECT_EQ(RowId("graveler/mpi/01_shards").ranks(), 1u);
  EXPECT_EQ(RowId("graveler/mpi/01_shards/ranks:2").ranks(), 2u);
  EXPECT_EQ(RowId("graveler/mpi/01_shards/battles:7/ranks:12/seed:3").ranks(), 12u);
  // Other programs' rows, and other backends'.
  EXPECT_EQ(RowId("BM_x/ranks:2").ranks(), 1u);
  EXPECT_EQ(RowId("graveler/cpu/01_x/ranks:2").ranks(), 1u);
  EXPECT_EQ(gate::by_ranks({"a/mpi/01_x/ranks:2", "a/cpu/01_x", "b/mpi/01_x/ranks:2"}).size(), 2u);
}

TEST(RanksRows, ThatTakeMoreThanThereAreSayHowToStart) {
  if (ranks::job()) GTEST_SKIP() << "this is a job of several ranks";
  EXPECT_TRUE(ranks::enough_ranks(1).ok);
  const Availability three = ranks::enough_ranks(3);
  EXPECT_FALSE(three.ok);
  EXPECT_NE(three.reason.find("start it by mpirun -n 3"), three.reason.npos);
}

TEST(RanksMessages, AreReadAsWritten) {
  const std::string text("a\0b", 3);
  const auto message = ranks::Writer().put(7u).put_text(text).put(1.5).put_text("").bytes();
  ranks::Reader reader(message);
  EXPECT_EQ(reader.get<unsigned>(), 7u);
  EXPECT_EQ(reader.get_text(), text);
  EXPECT_EQ(reader.get<double>(), 1.5);
  EXPECT_EQ(reader.get_text(), "");
  EXPECT_NE(error_of([&] { reader.get<char>(); }).find("cut short"), std::string::npos);
}

TEST(RanksShares, CoverAllAndDifferByOne) {
  for (const std::uint64_t count : {0, 1, 5, 64, 5040})
    for (const std::uint32_t size : {1, 2, 3, 7, 100}) {
      EXPECT_EQ(ranks::share_begin(count, size, 0), 0u);
      EXPECT_EQ(ranks::share_begin(count, size, size), count);
      for (std::uint32_t rank = 0; rank < size; ++rank) {
        const std::uint64_t share =
            ranks::share_begin(count, size, rank + 1) - ranks::share_begin(count, size, rank);
        EXPECT_LE(share - count / size, 1u);
      }
    }
}

}  // namespace
}  // namespace ratchet
