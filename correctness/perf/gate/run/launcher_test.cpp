// How rows are launched. Rows of one thread run at once, on a CPU each. Rows of a GPU are spread
// over several, one process on each at a time, and both sides of a pair on one.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/perf/support/fake_program.h"
#include "correctness/support/error_of.h"
#include "perf/gate/run/judging.h"
#include "perf/gate/run/run.h"
#include "perf/support/machine/cpu_affinity.h"
#include "perf/support/machine/nvml.h"

namespace ratchet::gate {
namespace {

/// Which rows are under way at a time.
struct RowTraffic {
  std::mutex mutex;
  std::multiset<RowId> now;
  std::size_t most_rows = 0;
  std::set<RowId> concurrently;  ///< rows beside which another one was seen
  std::set<std::string> scratch;
  std::map<RowId, std::set<std::optional<int>>> cpus;

  void begins(const RowId& row, const LaunchRequest& request) {
    const std::lock_guard lock(mutex);
    now.insert(row);
    const std::set<RowId> rows(now.begin(), now.end());
    most_rows = std::max(most_rows, rows.size());
    if (rows.size() > 1) concurrently.insert(rows.begin(), rows.end());
    scratch.insert(request.scratch.string());
    cpus[row].insert(request.cpu);
  }
  void ends(const RowId& row) {
    const std::lock_guard lock(mutex);
    now.erase(now.find(row));
  }
};

/// Takes 10 ms a launch.
class Watched final : public FakeProgram {
 public:
  Watched(std::uint64_t seed, RowTraffic& traffic) : FakeProgram(seed), traffic_(traffic) {}
  std::unique_ptr<SlicedLaunch> launch_interleaved(const RowId& name,
                                                   const LaunchRequest& request) const override {
    traffic_.begins(name, request);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return std::make_unique<Launch>(FakeProgram::launch_interleaved(name, request), name, traffic_);
  }

 private:
  class Launch final : public SlicedLaunch {
   public:
    Launch(std::unique_ptr<SlicedLaunch> fake, RowId name, RowTraffic& traffic)
        : fake_(std::move(fake)), name_(std::move(name)), traffic_(traffic) {}
    ~Launch() override { traffic_.ends(name_); }
    double prepared() override { return fake_->prepared(); }
    void begin(std::size_t samples) override { fake_->begin(samples); }
    bool run(const Slice& slice) override { return fake_->run(slice); }
    void conclude() override { fake_->conclude(); }
    LaunchOutcome outcome() override { return fake_->outcome(); }

   private:
    std::unique_ptr<SlicedLaunch> fake_;
    RowId name_;
    RowTraffic& traffic_;
  };
  RowTraffic& traffic_;
};

class Slots : public testing::Test {
 protected:
  Slots() : before_(1, traffic_), now_(2, traffic_) {
    for (const char* row : {"a/cpu/01", "a/cpu/02", "a/cpu/03", "a/cpu/04", "a/cpu/05"}) {
      before_.rows[row] = now_.rows[row] = {};
      before_.slices[row] = now_.slices[row] = Cpus::one;
    }
    before_.rows["a/cpu/09"] = now_.rows["a/cpu/09"] = {};
    before_.slices["a/cpu/09"] = now_.slices["a/cpu/09"] = Cpus::all;
    before_.rows["a/cpu/10"] = now_.rows["a/cpu/10"] = {};
    before_.slices["a/cpu/10"] = now_.slices["a/cpu/10"] = Cpus::one_for_all_threads;
  }
  gate::Run new_run(std::size_t slots) {
    RunOptions options;
    options.slots = slots;
    return gate::Run({{"base", &before_}, {"new", &now_}}, options,
                     [&](const std::string& line) { said_ += line + "\n"; });
  }
  RowTraffic traffic_;
  Watched before_, now_;
  std::string said_;
};

TEST_F(Slots, S44RowsOfOneThreadAreMeasuredAtOnceAndThoseOfMoreAlone) {
  gate::Run run = new_run(3);
  run.scheduler().measure(run.ledger().alive(), 4);
  EXPECT_EQ(traffic_.most_rows, 3u);
  EXPECT_EQ(traffic_.concurrently.size(), 5u);
  EXPECT_EQ(traffic_.concurrently.count("a/cpu/09"), 0u);
  EXPECT_EQ(traffic_.concurrently.count("a/cpu/10"), 0u);
  EXPECT_EQ(traffic_.scratch.size(), 3u * 2);  // a file of its own for each process at a time
  for (const std::string& row : run.rows())
    for (const std::size_t side : {0u, 1u})
      EXPECT_EQ(run.ledger().measured(side).rows.at(row).launches.size(), 4u) << row;
}

TEST_F(Slots, S44ByDefaultThereIsOneACpu) {
  gate::Run run = new_run(0);
  const std::vector<int> cpus = timing::allowed_cpus();
  EXPECT_EQ(run.launcher().slots(), std::min<std::size_t>(8, cpus.size()));
  run.scheduler().measure(run.ledger().alive(), 3);
  for (const auto& [row, used] : traffic_.cpus)
    for (const auto& cpu : used) EXPECT_TRUE(std::count(cpus.begin(), cpus.end(), cpu)) << row;
}

TEST_F(Slots, EachRowGetsThePairsThatItLacks) {
  gate::Run run = new_run(2);
  run.scheduler().measure_concurrently({{"a/cpu/01", 1}, {"a/cpu/02", 6}, {"a/cpu/03", 0}});
  EXPECT_EQ(run.ledger().clean_launches("a/cpu/01"), 1u);
  EXPECT_EQ(run.ledger().clean_launches("a/cpu/02"), 6u);
  EXPECT_EQ(run.ledger().clean_launches("a/cpu/03"), 0u);
  EXPECT_GT(run.ledger().launch_s("a/cpu/02"), 0.02);
}

TEST_F(Slots, ARowThatFailsCostsItselfAlone) {
  now_.rows["a/cpu/02"].fails = "gone";
  gate::Run run = new_run(2);
  run.scheduler().measure(run.ledger().alive(), 3);
  EXPECT_EQ(run.ledger().failures().count("a/cpu/02"), 1u);
  EXPECT_EQ(run.ledger().failures().size(), 1u);
  EXPECT_EQ(run.ledger().clean_launches("a/cpu/03"), 3u);
}

TEST_F(Slots, S44TheVerdictsAreThoseOfTheirOwnPairs) {
  now_.rows["a/cpu/03"].speed *= 0.9;
  gate::Run run = new_run(3);
  run.checker().check();
  std::map<RowId, Verdict> verdicts;
  for (const RowReport& report : judged(measure_pairs(run, {})))
    verdicts[report.name] = report.verdict;
  ASSERT_EQ(verdicts.size(), run.rows().size());
  for (const auto& [row, verdict] : verdicts)
    EXPECT_EQ(verdict, row == "a/cpu/03" ? Verdict::slower : Verdict::same) << row;
  EXPECT_EQ(traffic_.most_rows, 3u);
}

/// What several threads ask of their programs at once, and on which device.
struct Traffic {
  std::mutex mutex;
  std::map<std::string, int> now;  ///< processes, by device
  int most_on_one = 0, most_in_all = 0;
  std::map<RowId, std::vector<std::string>> of_row;  ///< its devices, in order
  std::set<std::string> scratch;

  void begins(const LaunchRequest& request, const std::vector<RowId>& rows) {
    const std::lock_guard lock(mutex);
    most_on_one = std::max(most_on_one, ++now[request.gpu]);
    int all = 0;
    for (const auto& [gpu, count] : now) all += count;
    most_in_all = std::max(most_in_all, all);
    for (const RowId& row : rows) of_row[row].push_back(request.gpu);
    scratch.insert(request.scratch.string());
  }
  void ends(const LaunchRequest& request) {
    const std::lock_guard lock(mutex);
    --now[request.gpu];
  }
};

class OnGpus final : public FakeProgram {
 public:
  OnGpus(std::uint64_t seed, Traffic& traffic) : FakeProgram(seed), traffic_(traffic) {}
  std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& names,
                                                  const LaunchRequest& request) const override {
    traffic_.begins(request, names);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    traffic_.ends(request);
    const std::lock_guard lock(traffic_.mutex);
    auto outcomes = FakeProgram::measure_together(names, request);
    for (auto& [name, outcome] : outcomes)
      if (const auto model = models.find(request.gpu); model != models.end())
        outcome.context["gpu.model"] = model->second;
    return outcomes;
  }

  std::map<std::string, std::string> models;  ///< by device

 private:
  Traffic& traffic_;
};

class Gpus : public testing::Test {
 protected:
  Gpus() : before_(1, traffic_), now_(2, traffic_) {
    for (const char* name :
         {"a/cuda/01", "a/cuda/02", "a/cuda/03", "b/cuda/01", "b/cuda/02", "b/cuda/03"})
      before_.rows[name] = now_.rows[name] = {};
  }
  gate::Run new_run(bool pairs, const std::vector<std::string>& gpus = {"0", "3"},
                    const std::string& filter = "") {
    RunOptions options;
    options.gpus = gpus;
    options.selection.filter = filter;
    std::vector<Side> sides = {{"base", &before_}};
    if (pairs) sides.push_back({"new", &now_});
    return gate::Run(sides, options, [](const std::string&) {});
  }
  Traffic traffic_;
  OnGpus before_, now_;
};

TEST_F(Gpus, S43EachHasOneProcessAtATimeAndAllAreUsedAtOnce) {
  gate::Run run = new_run(false);
  run.scheduler().measure(run.ledger().alive(), 4);
  EXPECT_EQ(traffic_.most_on_one, 1);
  EXPECT_EQ(traffic_.most_in_all, 2);
  EXPECT_EQ(traffic_.now.count(""), 0u);        // none where this process would
  EXPECT_EQ(traffic_.scratch.size(), 2u);       // and each writes into a file of its own
  EXPECT_EQ(before_.processes.size(), 2u * 4);  // a process a device and round
  for (const auto& [row, devices] : traffic_.of_row) {
    ASSERT_EQ(devices.size(), 4u) << row;
    for (std::size_t i = 1; i < devices.size(); ++i) EXPECT_NE(devices[i], devices[i - 1]) << row;
    EXPECT_EQ(run.ledger().measured().rows.at(row).launches.size(), 4u);
  }
}

TEST_F(Gpus, S43BothSidesOfAPairAreOnOne) {
  gate::Run run = new_run(true, {"0", "1", "2"});
  run.scheduler().measure(run.ledger().alive(), 5);
  EXPECT_EQ(traffic_.most_on_one, 1);
  EXPECT_EQ(traffic_.most_in_all, 3);
  for (const auto& [row, devices] : traffic_.of_row) {
    ASSERT_EQ(devices.size(), 10u);
    for (std::size_t i = 0; i < devices.size(); i += 2)
      EXPECT_EQ(devices[i], devices[i + 1]) << row;
    EXPECT_EQ(std::set<std::string>(devices.begin(), devices.end()).size(), 3u);
  }
}

TEST_F(Gpus, S43WhatFailsConcurrentlyIsLaunchedAloneAndStillSpread) {
  before_.rows["b/cuda/02"].fails_concurrently = "killed by signal 11";
  gate::Run run = new_run(false);
  run.scheduler().measure(run.ledger().alive(), 3);
  EXPECT_TRUE(run.ledger().failures().empty());
  for (const std::string& row : run.rows())
    EXPECT_EQ(run.ledger().measured().rows.at(row).launches.size(), 3u) << row;
  EXPECT_EQ(before_.processes.size(), 2u + 3 * 6);  // two that were given up, then one a row
  EXPECT_EQ(traffic_.most_on_one, 1);
  EXPECT_EQ(traffic_.most_in_all, 2);
}

TEST_F(Gpus, S43ARowThatFailsAlwaysCostsItselfAlone) {
  before_.rows["b/cuda/02"].fails = "no memory";
  gate::Run run = new_run(false);
  run.scheduler().measure(run.ledger().alive(), 2);
  EXPECT_EQ(run.ledger().failures().count("b/cuda/02"), 1u);
  EXPECT_EQ(run.ledger().measured().rows.size(), 5u);
}

TEST_F(Gpus, S43WhatIsNoGpusRowIsLaunchedAsEver) {
  before_.rows["a/cpu/01"] = {};
  gate::Run run = new_run(false);
  run.scheduler().measure(run.ledger().alive(), 2);
  EXPECT_EQ(traffic_.of_row.at("a/cpu/01"), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(traffic_.most_in_all, 2);  // and never beside a GPU's
}

/// Ranks take one each of all of them, so nothing else runs meanwhile.
TEST_F(Gpus, S43RowsOfRanksHaveAllOfThem) {
  before_.rows["a/mpi/01/ranks:2"] = {};
  gate::Run run = new_run(false, {"0", "3"}, "^a/(cuda|mpi)");  // asked for by name
  run.scheduler().measure(run.ledger().alive(), 2);
  EXPECT_EQ(traffic_.of_row.at("a/mpi/01/ranks:2"), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(traffic_.most_in_all, 2);
  for (const auto& rows : before_.processes)
    if (std::count(rows.begin(), rows.end(), "a/mpi/01/ranks:2") > 0) {
      EXPECT_EQ(rows.size(), 1u);
    }
}

TEST_F(Gpus, S43MoreThanThereAreRowsStayIdle) {
  before_.rows = {{"a/cuda/01", {}}};
  gate::Run run = new_run(false, {"0", "1", "2"});
  run.scheduler().measure(run.ledger().alive(), 6);
  EXPECT_EQ(traffic_.most_in_all, 1);
  const auto& devices = traffic_.of_row.at("a/cuda/01");
  EXPECT_EQ(devices.size(), 6u);
  EXPECT_EQ(std::set<std::string>(devices.begin(), devices.end()).size(), 3u);
}

TEST_F(Gpus, S43GpusOfTwoKindsAreRefused) {
  before_.models = {{"0", "H200"}, {"3", "H200"}};
  gate::Run alike = new_run(false);
  alike.scheduler().measure(alike.ledger().alive(), 2);
  before_.models["3"] = "H100";
  gate::Run run = new_run(false);
  const std::string said = error_of([&] { run.scheduler().measure(run.ledger().alive(), 2); });
  EXPECT_NE(said.find("the GPUs of --gpus differ: gpu.model is H"), said.npos) << said;
}

TEST(LaunchEnvironment, NamesTheDevice) {
  LaunchRequest request;
  EXPECT_TRUE(request.environment().empty());
  request.gpu = "GPU-1234";
  EXPECT_EQ(request.environment().at("CUDA_VISIBLE_DEVICES"), "GPU-1234");
}

/// Rows that share a process have the time of as many launches.
TEST(LaunchLimit, GrowsWithTheRowsOfAProcess) {
  const ScratchFolder scratch;
  const std::filesystem::path script = scratch.path() / "bench";
  std::ofstream(script) << R"(#!/bin/sh
for a; do case $a in --benchmark_out=*) out=${a#*=} ;; esac; done
sleep 1.5
row() { printf '{"name": "%s", "run_type": "iteration", "iterations": 1, "real_time": 1,
  "cpu_time": 1, "time_unit": "ms", "units": 1000, "units_per_second": 1e6, "verified": 1}' $1; }
echo "{\"context\": {}, \"benchmarks\": [$(row a/cuda/01), $(row a/cuda/02), $(row a/cuda/03)]}" >"$out"
)";
  std::filesystem::permissions(script, std::filesystem::perms(0755));
  ProgramOptions options;
  options.program = script;
  options.launch_limit_s = 1;
  LaunchRequest request;
  request.scratch = scratch.path() / "launch.json";
  for (const auto& [row, outcome] :
       RatchetProgram(options).measure_together({"a/cuda/01", "a/cuda/02", "a/cuda/03"}, request))
    EXPECT_TRUE(outcome.launch) << row << ": " << outcome.failure;
}

class GpusOption : public GateFixture {};

TEST(GpusThatAreNamed, HaveToBeThere) {
  const std::vector<std::string> two = {"GPU-aa11", "GPU-bb22"};
  EXPECT_NO_THROW(timing::require_gpus({"1", "0"}, two));
  EXPECT_NO_THROW(timing::require_gpus({"GPU-bb"}, two));
  EXPECT_NO_THROW(timing::require_gpus({"GPU-cc"}, {""}));  // unknown
  EXPECT_NO_THROW(timing::require_gpus({"MIG-cc"}, two));
  for (const char* missing : {"2", "7", "GPU-cc", "GPU-aa111"})
    EXPECT_EQ(error_of([&] {
                timing::require_gpus({"0", missing}, two);
              }),
              std::string("--gpus names GPU ") + missing +
                  ", and this machine has GPUs 0 to 1; `nvidia-smi -L` lists them");
  EXPECT_EQ(error_of([&] { timing::require_gpus({"1"}, {"GPU-aa11"}); }),
            "--gpus names GPU 1, and this machine has GPU 0 alone; `nvidia-smi -L` lists it");
}

TEST_F(GpusOption, S43IsCheckedAndHandedOn) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  for (const char* bad : {"x", "-1", "0 1", "0,1.5"}) {
    const ProcessResult refused = gate({"--gpus", bad});
    EXPECT_EQ(refused.exit_code, 2) << bad;
    EXPECT_NE(refused.errors.find("--gpus"), std::string::npos) << refused.errors;
  }
  EXPECT_NE(gate({"--gpus", "1,1"}).errors.find("--gpus names a device twice"), std::string::npos);
  // A program sees those alone.
  const std::filesystem::path script = folder() / "worker";
  write(script, "#!/bin/sh\necho \"$CUDA_VISIBLE_DEVICES\" >>" + (folder() / "seen").string() +
                    "\nexec " + worker() + " \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms(0755));
  const ProcessResult one = gate_of(script, {"--gpus", "0"});
  if (timing::Nvml().devices().empty()) {
    EXPECT_EQ(one.exit_code, 77) << one.output;
    EXPECT_EQ(one.errors,
              "ratchet: --gpus names GPU 0, and the driver reports no GPU; leave --gpus out\n");
    return;
  }
  EXPECT_EQ(one.exit_code, 0) << one.output;
  std::istringstream seen(read(folder() / "seen"));
  int processes = 0;
  for (std::string line; std::getline(seen, line); ++processes) EXPECT_EQ(line, "0");
  EXPECT_GT(processes, 9);
}

/// Each launch has the next of these throughputs.
class InOrder final : public FakeProgram {
 public:
  InOrder(std::vector<double> speeds) : FakeProgram(1), speeds_(std::move(speeds)) {
    rows["demo/cpu/01_a"] = {};
  }
  std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& names,
                                                  const LaunchRequest& request) const override {
    auto outcomes = FakeProgram::measure_together(names, request);
    for (auto& [name, outcome] : outcomes)
      outcome.launch->counters["units_per_second"] = speeds_.at(launched_++);
    return outcomes;
  }

 private:
  std::vector<double> speeds_;
  mutable std::size_t launched_ = 0;
};

/// A build while its program is measured, say.
TEST(ProgramsFile, MustStayTheOneThatWasMeasured) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "bench";
  write_atomically(file, "one");
  FakeProgram before(1), now(2);
  before.rows["demo/cpu/01_a"] = now.rows["demo/cpu/01_a"] = {};
  now.file = file;
  gate::Run run({{"base", &before}, {"new", &now}}, {}, [](const std::string&) {});
  run.launcher().launch({RowId("demo/cpu/01_a")}, 0);
  write_atomically(file, "another");
  EXPECT_HAS(error_of([&] { run.launcher().launch({RowId("demo/cpu/01_a")}, 1); }),
             "bench changed while it was measured");
}

TEST(LaunchesOfAPair, TakeTurnsAndTheirMedianCounts) {
  InOrder before({3, 900, 5}), now({70, 60, 1});
  std::vector<std::string> log;
  before.label = "before", now.label = "now";
  before.log = now.log = &log;
  RunOptions options;
  options.launches_a_pair = 3;
  options.slices = false;
  gate::Run run({{"base", &before}, {"new", &now}}, options, [](const std::string&) {});
  run.launcher().launch({RowId("demo/cpu/01_a")}, 0);
  ASSERT_EQ(log.size(), 6u);
  for (std::size_t i = 2; i < log.size(); ++i) EXPECT_EQ(log[i], log[i - 2]);
  EXPECT_NE(log[0], log[1]);
  const auto speeds = [&](std::size_t side) {
    std::vector<double> all;
    for (const Launch& launch : run.ledger().measured(side).rows.at("demo/cpu/01_a").launches)
      all.push_back(*launch.counter("units_per_second"));
    return all;
  };
  EXPECT_EQ(speeds(0), std::vector<double>{5});
  EXPECT_EQ(speeds(1), std::vector<double>{60});
}

}  // namespace
}  // namespace ratchet::gate
