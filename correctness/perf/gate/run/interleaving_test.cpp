// Pairs whose processes take slices: who goes when, what a failure costs, and the conversation with
// a worker.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "correctness/perf/support/fake_program.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/judging.h"
#include "perf/gate/run/run.h"
#include "perf/gate/run/worker_launch.h"
#include "perf/stats/sequential.h"
#include "perf/support/clock.h"
#include "perf/support/files.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::gate {
namespace {

/// Writes down what is done to it, and fails where it is told to.
class Scripted final : public SlicedLaunch {
 public:
  Scripted(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  double prepared() override { return step("prepared", call_s); }
  void begin(std::size_t samples) override { asked = left_ = step("begin", samples); }
  bool run(const Slice& one) override {
    slice = one;
    log_.push_back(name_);
    return step("run", --left_ == 0);
  }
  void conclude() override { step("conclude", 0); }
  LaunchOutcome outcome() override {
    LaunchOutcome outcome;
    if (failed_) {
      outcome.failure = known_failure;
    } else {
      outcome.launch.emplace();
      outcome.samples_s = samples_s;
    }
    return outcome;
  }
  std::string fails_at, known_failure;
  std::vector<double> samples_s;
  double call_s = 0.1;
  std::size_t asked = 0;
  Slice slice;  ///< the last

 private:
  template <typename T>
  T step(const std::string& where, T value) {
    failed_ = where == fails_at;
    if (failed_) throw Error("lost at " + where);
    return value;
  }
  std::string name_;
  std::vector<std::string>& log_;
  std::size_t left_ = 0;
  bool failed_ = false;
};

class SliceTest : public testing::Test {
 protected:
  std::vector<std::string> log_;
  Scripted before_{"A", log_}, now_{"B", log_};
  SlicePlan plan_;
  std::mt19937_64 generator_{7};
  PairOutcome take() { return run_interleaved(before_, now_, plan_, generator_); }
};

TEST_F(SliceTest, S18WhoBeginsIsDrawnForEveryTwoSlices) {
  plan_.call_s = 1e-3;
  plan_.seconds = 0.4;
  const PairOutcome pair = take();
  EXPECT_TRUE(pair.before.launch && pair.now.launch);
  EXPECT_EQ(before_.asked, 400u);
  ASSERT_EQ(log_.size(), 800u);
  int first = 0, repeated = 0;
  for (std::size_t i = 0; i < log_.size(); i += 2) {
    EXPECT_NE(log_[i], log_[i + 1]);
    first += log_[i] == "A";
    repeated += i > 0 && log_[i] == log_[i - 2];
  }
  EXPECT_NEAR(first, 200, 50);
  EXPECT_NEAR(repeated, 200, 50);
}

TEST_F(SliceTest, BothTakeTheSamplesThatFitTheQuickerOne) {
  before_.call_s = 0.1;
  now_.call_s = 0.05;
  plan_.seconds = 0.5;
  take();
  EXPECT_EQ(before_.asked, 10u);
  EXPECT_EQ(now_.asked, 10u);
  plan_.call_s = 2;  // known of earlier launches: one at least
  take();
  EXPECT_EQ(now_.asked, 1u);
  plan_.samples = 9;  // none of them fits into a second
  take();
  EXPECT_EQ(now_.asked, 1u);
  plan_.call_s = 0.3;
  take();
  EXPECT_EQ(now_.asked, 3u);
  plan_.call_s = 0;  // of what is tried first, too
  take();
  EXPECT_EQ(now_.asked, 10u);
  plan_.seconds = 0.1;
  take();
  EXPECT_EQ(now_.asked, 9u);
  plan_.call_s = 1e-9;
  take();
  EXPECT_EQ(now_.asked, plan_.most_samples);
}

TEST_F(SliceTest, S29SamplesThatWereContendedDoNotCount) {
  // What is new takes a tenth more, its first sample apart; others held a CPU of both sides.
  before_.samples_s = {1, 3, 2, 2.1, 7, 9, 8, 8, 5};
  now_.samples_s = {2, 2.2, 33, 4.4, 2.31, 5, 5, 5, 4};
  const PairOutcome pair = take();
  EXPECT_DOUBLE_EQ(pair.now.launch->counter(counter::interleaved_ratio).value_or(0), 1 / 1.1);
  EXPECT_FALSE(pair.before.launch->counter(counter::interleaved_ratio));
  std::swap(before_.samples_s, now_.samples_s);
  EXPECT_DOUBLE_EQ(take().now.launch->counter(counter::interleaved_ratio).value_or(0), 1.1);
  now_.samples_s.pop_back();  // not of the same moments
  EXPECT_FALSE(take().now.launch->counter(counter::interleaved_ratio));
  now_.samples_s.push_back(0);  // a clock that stood
  EXPECT_FALSE(take().now.launch->counter(counter::interleaved_ratio));
  before_.samples_s = now_.samples_s = {};
  EXPECT_FALSE(take().now.launch->counter(counter::interleaved_ratio));
}

TEST_F(SliceTest, AFailureIsThatOfTheSideWhoseStepItWas) {
  for (const char* where : {"prepared", "begin", "run", "conclude"}) {
    before_.fails_at = where;
    PairOutcome pair = take();
    EXPECT_EQ(pair.before.failure, std::string("lost at ") + where);
    EXPECT_FALSE(pair.before.launch || pair.now.launch);
    EXPECT_EQ(pair.now.failure, "");
    before_.fails_at = "";
    now_.fails_at = where;
    now_.known_failure = "killed by signal 9";
    pair = take();
    EXPECT_EQ(pair.now.failure, "killed by signal 9");
    EXPECT_EQ(pair.before.failure, "");
    now_.fails_at = now_.known_failure = "";
  }
}

TEST_F(SliceTest, S29ASliceHasTheWholeRunsThatFitAndAThirdOfAllAtMost) {
  plan_.slice.seconds = 0.05;
  before_.call_s = now_.call_s = 0.02;
  take();
  EXPECT_EQ(now_.slice.runs, 2u);
  plan_.slice.seconds = 1;
  take();
  EXPECT_EQ(now_.asked, 13u);
  EXPECT_EQ(now_.slice.runs, 5u);
  plan_.slice.seconds = 0.05;
  before_.call_s = now_.call_s = 0.2;
  take();
  EXPECT_EQ(now_.slice.runs, 1u);
}

class SlicedRun : public testing::Test {
 protected:
  SlicedRun() : before_(1), now_(2) {
    for (FakeProgram* side : {&before_, &now_})
      for (const char* row : {"demo/cpu/01_a", "demo/cpu/02_b", "demo/cuda/01_c"})
        side->rows[row] = {};
  }
  gate::Run new_run() {
    return gate::Run({{"base", &before_}, {"new", &now_}}, {},
                     [&](const std::string& line) { said_ += line + "\n"; });
  }
  /// That 01_a's and 02_b's processes are stopped so, on both sides.
  void expect_stopped(const std::vector<Cpus>& as) {
    gate::Run run = new_run();
    for (const char* row : {"demo/cpu/01_a", "demo/cpu/02_b"}) run.scheduler().measure({row}, 1);
    EXPECT_EQ(now_.stopped, as);
    EXPECT_EQ(before_.stopped, now_.stopped);
  }
  FakeProgram before_, now_;
  std::string said_;
};

TEST_F(SlicedRun, S29RowsThatBothCanDoAreInterleavedAndOthersAreLaunched) {
  before_.slices = {{"demo/cpu/01_a", Cpus::one}, {"demo/cpu/02_b", Cpus::one}};
  now_.slices = {{"demo/cpu/01_a", Cpus::one}, {"demo/cpu/02_b", Cpus::all}};
  gate::Run run = new_run();
  run.scheduler().measure(run.ledger().alive(), 3);
  const auto interleaved = [&](const std::string& row) {
    return run.ledger().measured(1).rows.at(row).launches.at(2).counter("slices").has_value();
  };
  EXPECT_TRUE(interleaved("demo/cpu/01_a"));
  EXPECT_FALSE(interleaved("demo/cpu/02_b"));
  EXPECT_FALSE(interleaved("demo/cuda/01_c"));
  EXPECT_EQ(said_.find("cannot be interleaved"), std::string::npos) << said_;
}

TEST_F(SlicedRun, S29AnOlderBaseIsLaunchedOneAfterTheOtherAndThatIsSaidOnce) {
  now_.slices = {{"demo/cpu/01_a", Cpus::one}, {"demo/cpu/02_b", Cpus::one}};
  gate::Run run = new_run();
  run.scheduler().measure(run.ledger().alive(), 3);
  EXPECT_EQ(run.ledger().measured(0).rows.at("demo/cpu/01_a").launches.size(), 3u);
  EXPECT_FALSE(run.ledger().measured(1).rows.at("demo/cpu/01_a").launches[0].counter("slices"));
  const std::string line =
      "the base build cannot be interleaved; its pairs are launched one after the other";
  EXPECT_HAS(said_, line);
  EXPECT_EQ(said_.find(line), said_.rfind(line));
}

TEST_F(SlicedRun, S29ThreadsAreStoppedBetweenTheirRunsWhereBothKnowHow) {
  before_.slices = {{"demo/cpu/01_a", Cpus::all}, {"demo/cpu/02_b", Cpus::all_between_runs}};
  now_.slices = {{"demo/cpu/01_a", Cpus::all_between_runs},
                 {"demo/cpu/02_b", Cpus::all_between_runs}};
  expect_stopped({Cpus::all, Cpus::all_between_runs});
}

TEST_F(SlicedRun, S29ThreadsOfWhichOneWorksAreOnOneCpuWhereBothSaySo) {
  before_.slices = {{"demo/cpu/01_a", Cpus::one_for_all_threads},
                    {"demo/cpu/02_b", Cpus::all_between_runs}};
  now_.slices = {{"demo/cpu/01_a", Cpus::one_for_all_threads},
                 {"demo/cpu/02_b", Cpus::one_for_all_threads}};
  expect_stopped({Cpus::one_for_all_threads, Cpus::all_between_runs});
}

TEST_F(SlicedRun, S24BothProcessesOfAPairHaveTheSameCpu) {
  before_.slices = now_.slices = {{"demo/cpu/01_a", Cpus::one_for_all_threads}};
  gate::Run run = new_run();
  run.scheduler().measure({"demo/cpu/01_a"}, 5);
  EXPECT_EQ(before_.cpus, now_.cpus);
  ASSERT_EQ(now_.cpus.size(), 5u);
  EXPECT_TRUE(now_.cpus[0]);
}

TEST_F(SlicedRun, LongRunsWarmThemselves) {
  before_.slices = now_.slices = {{"demo/cpu/01_a", Cpus::one}, {"demo/cpu/02_b", Cpus::one}};
  before_.rows["demo/cpu/02_b"].speed = now_.rows["demo/cpu/02_b"].speed = 2e3;  // 0.5 s a call
  gate::Run run = new_run();
  run.scheduler().measure({"demo/cpu/01_a"}, 2);
  EXPECT_EQ(now_.warmed_up, (std::vector<bool>{true, true}));
  run.scheduler().measure({"demo/cpu/02_b"}, 2);
  EXPECT_EQ(now_.warmed_up, (std::vector<bool>{true, true, true, false}));
}

TEST_F(SlicedRun, S29RowsOfThreadsTakeAtLeastNineSamples) {
  before_.slices = now_.slices = {{"demo/cpu/01_a", Cpus::all}, {"demo/cpu/02_b", Cpus::one}};
  for (FakeProgram* side : {&before_, &now_})
    for (const char* row : {"demo/cpu/01_a", "demo/cpu/02_b"})
      side->rows[row].speed = side->rows[row].units / 0.05;  // 50 ms a call
  std::vector<std::string> slices;
  now_.log = &slices;
  now_.label = "slice";
  gate::Run run = new_run();
  run.scheduler().measure({"demo/cpu/01_a"},
                          1);  // their first pair, too, before a call's time is known
  EXPECT_EQ(slices.size(), 9u);
  slices.clear();
  run.scheduler().measure({"demo/cpu/01_a"}, 1);
  EXPECT_EQ(slices.size(), 9u);
  slices.clear();
  run.scheduler().measure({"demo/cpu/02_b"}, 1);
  EXPECT_EQ(slices.size(), 2u);
}

TEST_F(SlicedRun, S50ARowOfThreadsCountsAsTwo) {
  const auto pairs_of_a_slow_row = [&](Cpus cpus) {
    before_.slices = now_.slices = {{"demo/cpu/01_a", cpus}};
    now_.rows["demo/cpu/01_a"].speed = before_.rows["demo/cpu/01_a"].speed / 2;
    RunOptions options;
    options.selection.names = {{"demo/cpu/01_a"}};
    gate::Run run({{"base", &before_}, {"new", &now_}}, options, [](const std::string&) {});
    const std::vector<Facts> rows = measure_pairs(run, {});
    EXPECT_EQ(judge(rows.at(0)).verdict, Verdict::slower);
    return rows.at(0).launches;
  };
  EXPECT_EQ(pairs_of_a_slow_row(Cpus::one), stats::plan_pairs(1).at(1).launches);
  EXPECT_EQ(pairs_of_a_slow_row(Cpus::all_between_runs), stats::plan_pairs(2).at(1).launches);
  ASSERT_LT(stats::plan_pairs(1).at(1).launches, stats::plan_pairs(2).at(1).launches);
}

/// A worker in a few lines of shell; what it leaves is no launch, so its outcome says why.
class Worker : public testing::Test {
 protected:
  std::unique_ptr<WorkerLaunch> start(const std::string& script, double limit_s = 600) {
    LaunchRequest request;
    request.scratch = folder_.path() / "launch.json";
    return std::make_unique<WorkerLaunch>(
        "demo/cpu/01_a",
        std::vector<std::string>{"sh", "-c", script, "sh", request.scratch.string()}, request,
        limit_s);
  }
  std::string failure_of(const std::string& script, double limit_s = 600) {
    const auto bad = start(script, limit_s);
    const auto good = start(well_);
    SlicePlan plan;
    std::mt19937_64 generator(3);
    const double begin = seconds_now();
    const PairOutcome pair = run_interleaved(*bad, *good, plan, generator);
    EXPECT_FALSE(pair.before.launch);
    EXPECT_LT(seconds_now() - begin, 500);
    return pair.before.failure;
  }
  ScratchFolder folder_;
  const std::string well_ =
      "echo chatter; echo slices: ready 0.1; read go; echo \"$go\" >&2; echo slices: done; "
      "while read line && [ \"$line\" != end ]; do echo \"$line\" >> \"$1.pauses\"; done; "
      R"(echo '{"context": {"cpu.model": "x"}, "benchmarks": [{"name": "demo/cpu/01_a",
        "run_type": "iteration", "iterations": 1, "real_time": 1, "cpu_time": 1,
        "time_unit": "ms", "units": 10, "units_per_second": 10000, "verified": 1}]}' > "$1")";
};

TEST_F(Worker, RunsInItsSlicesAndHearsWhenItStood) {
  const auto launch = start(well_);
  EXPECT_DOUBLE_EQ(launch->prepared(), 0.1);
  launch->begin(2);
  while (!launch->run({0.005})) {
  }
  launch->conclude();
  const LaunchOutcome outcome = launch->outcome();
  ASSERT_TRUE(outcome.launch) << outcome.failure;
  EXPECT_EQ(outcome.launch->counter("units"), 10);
  std::ifstream pauses(folder_.path() / "launch.json.pauses");
  std::string word;
  std::int64_t begin = 0, end = 0;
  ASSERT_TRUE(pauses >> word >> begin >> end);
  EXPECT_EQ(word, "pause");
  EXPECT_LT(begin, end);
}

TEST_F(Worker, OneOfThreadsLeavesItsSamplesToo) {
  LaunchRequest request;
  request.scratch = folder_.path() / "launch.json";
  request.cpus = Cpus::all;
  const auto outcome_with = [&](const std::string& samples) {
    WorkerLaunch launch("demo/cpu/01_a",
                        {"sh", "-c", well_ + "; " + samples, "sh", request.scratch.string()},
                        request, 20);
    launch.prepared();
    launch.begin(2);
    while (!launch.run({0.005})) {
    }
    launch.conclude();
    return launch.outcome();
  };
  const std::string file = samples_file(request).string();
  const LaunchOutcome outcome =
      outcome_with(R"(echo '{"row": "demo/cpu/01_a", "samples": [0.5, 0.25]}' > )" + file);
  EXPECT_EQ(outcome.samples_s, (std::vector<double>{0.5, 0.25})) << outcome.failure;
  EXPECT_HAS(outcome_with("echo '{\"samples\": 3}' > " + file).failure, "not an array of seconds");
  EXPECT_HAS(outcome_with("rm " + file).failure, file);
}

TEST_F(Worker, OneWithThreadsOfWhichOneWorksIsPutOnTheCpuThatItIsTold) {
  LaunchRequest request;
  request.scratch = folder_.path() / "launch.json";
  request.cpus = Cpus::one_for_all_threads;
  for (const int cpu : timing::allowed_cpus()) {
    request.cpu = cpu;
    WorkerLaunch launch(
        "demo/cpu/01_a",
        {"sh", "-c",
         "echo slices: ready 0; read go; grep Cpus_allowed_list /proc/$$/status >&2; exit 7", "sh",
         request.scratch.string()},
        request, 20);
    launch.prepared();
    launch.begin(1);
    EXPECT_THROW(while (!launch.run({0.1})) continue, Error);
    EXPECT_HAS(launch.outcome().failure, "Cpus_allowed_list:\t" + std::to_string(cpu));
  }
}

TEST_F(Worker, OneThatStopsBetweenRunsIsToldOfEachSlice) {
  LaunchRequest request;
  request.scratch = folder_.path() / "launch.json";
  request.cpus = Cpus::all_between_runs;
  const std::string script =
      "echo slices: ready 0.1; while read line; do echo \"$line\" >> \"$1.heard\"; "
      "[ \"$line\" = end ] && exit; sleep 0.2; echo slices: done; done";
  WorkerLaunch launch("demo/cpu/01_a", {"sh", "-c", script, "sh", request.scratch.string()},
                      request, 20);
  launch.prepared();
  launch.begin(5);
  Slice slice{.seconds = 0.001, .runs = 2};  // its runs are not cut short
  EXPECT_FALSE(launch.run(slice));
  EXPECT_FALSE(launch.run(slice));
  EXPECT_TRUE(launch.run(slice));
  launch.conclude();
  launch.outcome();
  EXPECT_EQ(read_text(folder_.path() / "launch.json.heard"), "go 2\ngo 2\ngo 1\nend\n");
}

TEST_F(Worker, OneThatStopsBetweenRunsMayNotHang) {
  LaunchRequest request;
  request.scratch = folder_.path() / "launch.json";
  request.cpus = Cpus::all_between_runs;
  WorkerLaunch launch("demo/cpu/01_a", {"sh", "-c", "echo slices: ready 0; sleep 60"}, request,
                      0.5);
  launch.prepared();
  launch.begin(1);
  EXPECT_THROW(launch.run({}), Error);
  EXPECT_HAS(launch.outcome().failure, "did not finish within");
}

TEST_F(Worker, StandsStillBetweenItsSlices) {
  const std::string count = (folder_.path() / "count").string();
  const auto launch =
      start("echo slices: ready 0; read go; while :; do echo x >> " + count + "; done");
  launch->prepared();
  launch->begin(1);
  EXPECT_FALSE(launch->run({0.2}));
  const auto size = [&] {
    struct stat file {};
    return stat(count.c_str(), &file) == 0 ? file.st_size : 0;
  };
  const auto then = size();
  EXPECT_GT(then, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(size(), then);
}

TEST_F(Worker, ASliceOnTheCpuLastsUntilItHadIt) {
  // Half asleep, as if a neighbour held the CPU.
  const std::string pid = (folder_.path() / "pid").string();
  const auto launch = start("echo $$ > " + pid +
                            "; echo slices: ready 0; read go; while :; do sleep 0.02; i=0; "
                            "while [ $i -lt 3000 ]; do i=$((i + 1)); done; done");
  const auto asleep = start("echo slices: ready 0; read go; while :; do sleep 1; done");
  for (SlicedLaunch* each : {launch.get(), asleep.get()}) {
    each->prepared();
    each->begin(1);
  }
  const auto cpu_s = [&] {
    clockid_t clock;
    timespec time{};
    EXPECT_EQ(clock_getcpuclockid(std::stoi(read_text(pid)), &clock), 0);
    EXPECT_EQ(clock_gettime(clock, &time), 0);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto lasted = [](SlicedLaunch& launch, const Slice& slice) {
    const double start = seconds_now();
    EXPECT_FALSE(launch.run(slice));
    return seconds_now() - start;
  };
  // A busy machine may be slow to stop what has had its slice, but not each time.
  const auto at_last = [](const auto& is_right) {
    for (int i = 0; i < 50; ++i)
      if (is_right()) return true;
    return false;
  };
  EXPECT_GT(lasted(*launch, {0.05, true}), 0.1);
  EXPECT_TRUE(at_last([&] {
    const double before_s = cpu_s();
    const bool in_time = lasted(*launch, {0.05, true}) < 0.5;
    const double had_s = cpu_s() - before_s;
    return in_time ? had_s > 0.04 : had_s < 0.1;
  }));
  // One that gets no CPU is given ten times the slice, unless the clock alone counts.
  EXPECT_GE(lasted(*asleep, {0.2, true}), 2);
  EXPECT_TRUE(at_last([&] { return lasted(*asleep, {0.2, false}) < 2; }));
}

TEST_F(Worker, S13OneThatDiesHangsOrTalksNonsenseFailsItsRow) {
  EXPECT_HAS(failure_of("kill -SEGV $$"), "signal 11");
  EXPECT_HAS(failure_of("echo slices: ready 0.1; read go; kill -KILL $$"), "signal 9");
  EXPECT_HAS(failure_of("echo no such stage >&2; exit 2"), "no such stage");
  EXPECT_HAS(failure_of("echo slices: ready 0.1; read go; sleep 1000", 0.5),
             "did not finish within");
  EXPECT_HAS(failure_of("sleep 1000", 0.5), "did not finish within");
  EXPECT_HAS(failure_of("echo slices: ready soon; read go; sleep 1000"),
             "answered \"ready soon\" instead of \"ready\"");
  EXPECT_HAS(failure_of("echo slices: ready 0.1; read go; echo slices: tired; sleep 1000"),
             "answered \"tired\" in its time slice");
  EXPECT_HAS(failure_of("echo slices: ready 0.1; read go; echo slices: done; read end; exit 3"),
             "exited with code 3");
}

}  // namespace
}  // namespace ratchet::gate
