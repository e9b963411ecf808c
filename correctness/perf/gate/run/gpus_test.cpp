// Rows of a GPU, spread over several: one process on each at a time, and both sides of a pair on
// one.
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
#include "perf/gate/run/session.h"

namespace ratchet::gate {
namespace {

/// What several threads ask of their programs at once, and on which device.
struct Traffic {
  std::mutex mutex;
  std::map<std::string, int> now;  ///< processes, by device
  int most_on_one = 0, most_in_all = 0;
  std::map<std::string, std::vector<std::string>> of_row;  ///< its devices, in order
  std::set<std::string> scratch;

  void begins(const LaunchRequest& request, const std::vector<std::string>& rows) {
    const std::lock_guard lock(mutex);
    most_on_one = std::max(most_on_one, ++now[request.gpu]);
    int all = 0;
    for (const auto& [gpu, count] : now) all += count;
    most_in_all = std::max(most_in_all, all);
    for (const std::string& row : rows) of_row[row].push_back(request.gpu);
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
  std::map<std::string, LaunchOutcome> measure_together(
      const std::vector<std::string>& names, const LaunchRequest& request) const override {
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
  Session session(bool pairs, const std::vector<std::string>& gpus = {"0", "3"},
                  const std::string& filter = "") {
    SessionOptions options;
    options.gpus = gpus;
    options.selection.filter = filter;
    std::vector<Side> sides = {{"base", &before_}};
    if (pairs) sides.push_back({"new", &now_});
    return Session(sides, options, [](const std::string&) {});
  }
  Traffic traffic_;
  OnGpus before_, now_;
};

TEST_F(Gpus, S43EachHasOneProcessAtATimeAndAllAreUsedAtOnce) {
  Session session = this->session(false);
  session.measure(session.alive(), 4);
  EXPECT_EQ(traffic_.most_on_one, 1);
  EXPECT_EQ(traffic_.most_in_all, 2);
  EXPECT_EQ(traffic_.now.count(""), 0u);        // none where this process would
  EXPECT_EQ(traffic_.scratch.size(), 2u);       // and each writes into a file of its own
  EXPECT_EQ(before_.processes.size(), 2u * 4);  // a process a device and round
  for (const auto& [row, devices] : traffic_.of_row) {
    ASSERT_EQ(devices.size(), 4u) << row;
    for (std::size_t i = 1; i < devices.size(); ++i) EXPECT_NE(devices[i], devices[i - 1]) << row;
    EXPECT_EQ(session.measured().rows.at(row).launches.size(), 4u);
  }
}

TEST_F(Gpus, S43BothSidesOfAPairAreOnOne) {
  Session session = this->session(true, {"0", "1", "2"});
  session.measure(session.alive(), 5);
  EXPECT_EQ(traffic_.most_on_one, 1);
  EXPECT_EQ(traffic_.most_in_all, 3);
  for (const auto& [row, devices] : traffic_.of_row) {
    ASSERT_EQ(devices.size(), 10u);
    for (std::size_t i = 0; i < devices.size(); i += 2)
      EXPECT_EQ(devices[i], devices[i + 1]) << row;
    EXPECT_EQ(std::set<std::string>(devices.begin(), devices.end()).size(), 3u);
  }
}

TEST_F(Gpus, S43WhatFailsBesideOthersIsLaunchedAloneAndStillSpread) {
  before_.rows["b/cuda/02"].fails_beside = "killed by signal 11";
  Session session = this->session(false);
  session.measure(session.alive(), 3);
  EXPECT_TRUE(session.failures().empty());
  for (const std::string& row : session.rows())
    EXPECT_EQ(session.measured().rows.at(row).launches.size(), 3u) << row;
  EXPECT_EQ(before_.processes.size(), 2u + 3 * 6);  // two that were given up, then one a row
  EXPECT_EQ(traffic_.most_on_one, 1);
  EXPECT_EQ(traffic_.most_in_all, 2);
}

TEST_F(Gpus, S43ARowThatFailsAlwaysCostsItselfAlone) {
  before_.rows["b/cuda/02"].fails = "no memory";
  Session session = this->session(false);
  session.measure(session.alive(), 2);
  EXPECT_EQ(session.failures().count("b/cuda/02"), 1u);
  EXPECT_EQ(session.measured().rows.size(), 5u);
}

TEST_F(Gpus, S43WhatIsNoGpusRowIsLaunchedAsEver) {
  before_.rows["a/cpu/01"] = {};
  Session session = this->session(false);
  session.measure(session.alive(), 2);
  EXPECT_EQ(traffic_.of_row.at("a/cpu/01"), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(traffic_.most_in_all, 2);  // and never beside a GPU's
}

/// Ranks take one each of all of them, so nothing else runs meanwhile.
TEST_F(Gpus, S43RowsOfRanksHaveAllOfThem) {
  before_.rows["a/mpi/01/ranks:2"] = {};
  Session session = this->session(false, {"0", "3"}, "^a/(cuda|mpi)");  // asked for by name
  session.measure(session.alive(), 2);
  EXPECT_EQ(traffic_.of_row.at("a/mpi/01/ranks:2"), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(traffic_.most_in_all, 2);
  for (const auto& rows : before_.processes)
    if (std::count(rows.begin(), rows.end(), "a/mpi/01/ranks:2") > 0) {
      EXPECT_EQ(rows.size(), 1u);
    }
}

TEST_F(Gpus, S43MoreThanThereAreRowsStayIdle) {
  before_.rows = {{"a/cuda/01", {}}};
  Session session = this->session(false, {"0", "1", "2"});
  session.measure(session.alive(), 6);
  EXPECT_EQ(traffic_.most_in_all, 1);
  const auto& devices = traffic_.of_row.at("a/cuda/01");
  EXPECT_EQ(devices.size(), 6u);
  EXPECT_EQ(std::set<std::string>(devices.begin(), devices.end()).size(), 3u);
}

TEST_F(Gpus, S43GpusOfTwoKindsAreRefused) {
  before_.models = {{"0", "H200"}, {"3", "H200"}};
  Session alike = this->session(false);
  alike.measure(alike.alive(), 2);
  before_.models["3"] = "H100";
  Session session = this->session(false);
  const std::string said = error_of([&] { session.measure(session.alive(), 2); });
  EXPECT_NE(said.find("the GPUs of --gpus are not alike: gpu.model is H"), said.npos) << said;
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
  EXPECT_EQ(gate_of(script, {"--gpus", "2,5"}).exit_code, 0);
  std::istringstream seen(read(folder() / "seen"));
  int processes = 0;
  for (std::string line; std::getline(seen, line); ++processes) EXPECT_EQ(line, "2,5");
  EXPECT_GT(processes, 9);
}

}  // namespace
}  // namespace ratchet::gate
