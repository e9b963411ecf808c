// What becomes of activity records, of the environment, and of a file of peaks. No GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "correctness/support/programs.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/measure/timers/activity.h"
#include "perf/measure/timers/timer.h"
#include "perf/study/time_sink/time_sink.h"
#include "perf/support/error.h"
#include "perf/support/machine/cpu_affinity.h"
#include "perf/support/process.h"

namespace ratchet::timing {
namespace {

Activity activity(Activity::Kind kind, std::uint64_t begin, std::uint64_t end, std::uint64_t id,
                  const std::string& name) {
  Activity result;
  result.kind = kind;
  result.begin_ns = begin;
  result.end_ns = end;
  result.external = id;
  result.name = name;
  return result;
}

Activity gpu(std::uint64_t begin, std::uint64_t end, std::uint64_t id,
             Activity::Kind kind = Activity::Kind::kernel) {
  return activity(kind, begin, end, id, "kernel");
}

TEST(Attribution, IsTheTimeOfTheRunsKernelsAndTransfers) {
  const std::vector<Activity> activities = {
      gpu(100, 200, 1),                                         // a clock reading: the harness's
      gpu(1000, 1400, 7),                                       // ours
      gpu(1600, 1700, 7, Activity::Kind::transfer),             // ours, after a gap
      gpu(1650, 1950, 7),                                       // ours, overlapping
      gpu(5000, 6000, 8),                                       // another iteration's
      activity(Activity::Kind::runtime_call, 900, 950, 7, ""),  // not GPU time
  };
  const DeviceSample result = attribute(activities, {7, 50, 0.5, 1500});
  EXPECT_DOUBLE_EQ(result.cpu_seconds, 0.5);
  EXPECT_DOUBLE_EQ(result.sm_clock_mhz, 1500);
  EXPECT_DOUBLE_EQ(result.seconds, 750e-9);
  EXPECT_DOUBLE_EQ(result.span_seconds, 950e-9);
  EXPECT_DOUBLE_EQ(result.overlap_seconds, 50e-9);
  EXPECT_EQ(result.kernels, 2u);
}

TEST(Attribution, CountsConcurrentKernelsOnce) {
  // On three streams, as CUPTI's threads deliver them: one within another, one that ends later, and
  // one that begins as the last of them ends.
  const DeviceSample result =
      attribute({gpu(700, 900, 7), gpu(200, 300, 7), gpu(100, 500, 7), gpu(400, 700, 7)}, {7, 0});
  EXPECT_DOUBLE_EQ(result.seconds, 800e-9);
  EXPECT_DOUBLE_EQ(result.span_seconds, 800e-9);
  EXPECT_DOUBLE_EQ(result.overlap_seconds, 200e-9);
  EXPECT_EQ(result.kernels, 4u);
  // Of two alike one counts.
  EXPECT_DOUBLE_EQ(attribute({gpu(100, 500, 7), gpu(100, 500, 7)}, {7, 0}).seconds, 400e-9);
}

TEST(Attribution, GapsAreNotInTheTime) {
  const DeviceSample close = attribute({gpu(100, 200, 7), gpu(200, 300, 7)}, {7, 0}),
                     apart = attribute({gpu(100, 200, 7), gpu(900, 1000, 7)}, {7, 0});
  EXPECT_EQ(close.seconds, apart.seconds);
  EXPECT_EQ(close.span_seconds, close.seconds);
  EXPECT_DOUBLE_EQ(apart.span_seconds, 900e-9);
  EXPECT_EQ(apart.overlap_seconds, 0);
}

/// CUPTI gives the nodes of a graph the correlation id of its launch, and so its external id.
TEST(Attribution, TakesAllNodesOfAGraph) {
  std::vector<Activity> nodes = {gpu(100, 200, 7), gpu(150, 400, 7),
                                 gpu(500, 600, 7, Activity::Kind::transfer)};
  for (Activity& node : nodes) node.call = 12;
  const Sample result = attribute(nodes, {7, 0});
  EXPECT_EQ(result.kernels, 2u);
  EXPECT_DOUBLE_EQ(result.seconds, 400e-9);
  EXPECT_DOUBLE_EQ(result.span_seconds, 500e-9);
  // A node whose launch has no id is another thread's, and one without times is lost.
  nodes.front().external = 0;
  EXPECT_THROW(attribute(nodes, {7, 0}), Error);
  nodes.front().external = 7;
  nodes.back().begin_ns = nodes.back().end_ns = 0;
  EXPECT_THROW(attribute(nodes, {7, 0}), Error);
}

TEST(Summary, ReportsGapsFromAHundredthOfTheSpan) {
  Summary summary;
  summary.span_seconds = 1;
  summary.seconds = 0.96875;
  EXPECT_DOUBLE_EQ(summary.gap_seconds(), 0.03125);
  EXPECT_TRUE(summary.matters(summary.gap_seconds()));
  EXPECT_FALSE(summary.matters(0.005));
  // Of a queue of OpenCL the durations are summed.
  summary.seconds = 2;
  EXPECT_EQ(summary.gap_seconds(), 0);
  EXPECT_FALSE(Summary().matters(0));
}

KernelShape shape(std::uint32_t blocks, std::uint32_t threads) {
  KernelShape kernel;
  kernel.grid = {blocks, 1, 1};
  kernel.block = {threads, 1, 1};
  return kernel;
}

Activity launch(std::uint32_t call, const DeviceWork& work, std::uint64_t begin = 10) {
  Activity kernel = gpu(begin, begin + 10, 7);
  kernel.call = call;
  kernel.work = work;
  return kernel;
}

DeviceWork work_in(const std::vector<Activity>& activities) {
  return attribute(activities, {7, 0}).device_work;
}

TEST(DeviceWork, IsWhatWasLaunchedAndInWhatOrder) {
  const DeviceWork first = work_of(shape(528, 256)), second = work_of(shape(66, 1024));
  const DeviceWork both = work_in({launch(1, first), launch(2, second)});
  EXPECT_EQ(both.blocks, 594u);
  EXPECT_EQ(both.threads, 528u * 256 + 66 * 1024);
  EXPECT_EQ(work_in({launch(1, second), launch(2, first)}).threads, both.threads);
  EXPECT_NE(work_in({launch(1, second), launch(2, first)}).digest, both.digest);
  EXPECT_NE(work_in({launch(1, first)}).digest, both.digest);
  // Records come as they end, calls are numbered on from run to run: neither is the work's.
  EXPECT_EQ(work_in({launch(2, second), launch(1, first)}), both);
  EXPECT_EQ(work_in({launch(51, first, 99), launch(77, second, 80)}), both);
  // What one call launches, a graph, has no order.
  EXPECT_EQ(work_in({launch(1, first), launch(1, second)}),
            work_in({launch(1, second), launch(1, first)}));
}

TEST(DeviceWork, EveryPartOfALaunchCounts) {
  const KernelShape plain = shape(528, 256);
  std::vector<DeviceWork> all = {work_of(plain)};
  const auto changed = [&](auto change) {
    KernelShape other = plain;
    change(other);
    all.push_back(work_of(other));
  };
  changed([](KernelShape& s) { s.grid = {264, 2, 1}; });
  changed([](KernelShape& s) { s.block = {128, 2, 1}; });
  changed([](KernelShape& s) { s.cluster = {2, 1, 1}; });
  changed([](KernelShape& s) { s.registers = 64; });
  changed([](KernelShape& s) { s.static_shared_bytes = 64; });
  changed([](KernelShape& s) { s.dynamic_shared_bytes = 64; });
  changed([](KernelShape& s) { s.local_bytes = 64; });
  all.push_back(work_of_transfer(1, 4096));
  all.push_back(work_of_transfer(2, 4096));
  all.push_back(work_of_transfer(1, 8192));
  std::set<std::uint64_t> digests;
  for (const DeviceWork& work : all) digests.insert(work.digest);
  EXPECT_EQ(digests.size(), all.size());
  EXPECT_EQ(all.back().transfer_bytes, 8192u);
}

TEST(TimeSinkTest, CountsOuterCallsOnceAndFindsTheStartUp) {
  using Kind = Activity::Kind;
  const std::vector<Activity> activities = {
      activity(Kind::runtime_call, 0, 100, 0, "cudaDriverGetVersion_v3020"),
      activity(Kind::runtime_call, 1000, 61'000, 0, "cudaFree_v3020"),
      activity(Kind::driver_call, 2000, 50'000, 0, "cuDevicePrimaryCtxRetain"),  // inside cudaFree
      activity(Kind::runtime_call, 70'000, 71'000, 0, "cudaLaunchKernel_v7000"),
      activity(Kind::runtime_call, 72'000, 113'000, 0, "cudaDeviceSynchronize_v3020"),
      activity(Kind::kernel, 71'500, 112'500, 0, "rng(int*, int)"),
  };
  const TimeSink sink = account(activities);
  EXPECT_EQ(sink.start_up_call, "cudaFree");
  EXPECT_NEAR(sink.start_up_seconds, 60e-6, 1e-12);
  EXPECT_NEAR(sink.launch_seconds, 1e-6, 1e-12);
  EXPECT_NEAR(sink.synchronize_seconds, 41e-6, 1e-12);
  EXPECT_NEAR(sink.kernel_seconds, 41e-6, 1e-12);
  ASSERT_EQ(sink.rows.size(), 5u);
  EXPECT_EQ(sink.rows[0].name, "rng(int*, int)");
  EXPECT_NEAR(sink.rows[0].share, 1, 1e-12);
  EXPECT_EQ(sink.rows[1].name, "cudaFree (starts the runtime)");
  EXPECT_NEAR(sink.rows[1].share, 60.0 / 102.1, 1e-9);
}

/// Two phases: 1 of 62 us and 10 of 51 us lie outside of all calls, of which one crosses the
/// border.
TEST(TimeSinkTest, TellsWhatNoCallAccountsFor) {
  using Kind = Activity::Kind;
  const std::vector<Activity> activities = {
      activity(Kind::runtime_call, 1000, 61'000, 0, "cudaFree_v3020"),
      activity(Kind::driver_call, 2000, 50'000, 0, "cuDevicePrimaryCtxRetain"),  // inside cudaFree
      activity(Kind::runtime_call, 61'000, 73'000, 0, "cudaMalloc_v3020"),
      activity(Kind::runtime_call, 83'000, 113'000, 0, "cudaDeviceSynchronize_v3020"),
  };
  const TimeSink sink =
      account(activities, {{"preparing", 0, 62'000}, {"the run", 62'000, 113'000}});
  const auto line = [&](const std::string& name) {
    for (const TimeSinkRow& row : sink.rows)
      if (row.type == "Outside calls" && row.name == name) return row;
    return TimeSinkRow{};
  };
  EXPECT_NEAR(line("preparing").seconds, 1e-6, 1e-12);
  EXPECT_NEAR(line("the run").seconds, 10e-6, 1e-12);
  EXPECT_NEAR(line("the run").share, 10.0 / 11, 1e-9);
  EXPECT_NEAR(sink.outside_seconds, 11e-6, 1e-12);
  double calls = 0;
  for (const TimeSinkRow& row : sink.rows)
    if (row.type == "API calls") calls += row.seconds;
  EXPECT_NEAR(calls + sink.outside_seconds, 113e-6, 1e-12);  // the lines make up all of it
}

TEST(TimeSinkTest, AFileHoldsSeveral) {
  TimeSink sink = account({activity(Activity::Kind::runtime_call, 0, 100, 0, "cudaFree_v3020")});
  sink.stage = "graveler/cuda/04_warp_reduce";
  sink.first = "cudaFree";
  sink.measured_by = "ratchet 1.0.0";
  sink.program_seconds = 0.25;
  TimeSink other = sink;
  other.first = "cudaMalloc";
  const std::string text = to_json({sink, other});
  const auto read = time_sinks_from_json(text, "it");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].first, "cudaMalloc");
  EXPECT_EQ(read[0].program_seconds, 0.25);
  EXPECT_EQ(to_json(read), text);
  EXPECT_THROW(time_sinks_from_json("{}", "it"), Error);
  EXPECT_THROW(time_sinks_from_json("{\"time_sinks\": ", "it"), Error);
}

TEST(TimerChoice, RefusesAnUnknownTimerAndTimesCpuStagesByTheWall) {
  setenv("RATCHET_TIMER", "sundial", 1);
  EXPECT_THROW(make_timer(Backend::cuda), Error);
  EXPECT_THROW(make_timer(Backend::cpu), Error);
  unsetenv("RATCHET_TIMER");
  EXPECT_EQ(make_timer(Backend::cpu)->kind(), TimerKind::wall);
}

TEST(TimerChoice, SeesAProfilerInTheEnvironment) {
  ASSERT_EQ(attached_profiler(), "");
  for (const char* name : {"CUDA_INJECTION64_PATH", "NV_NSIGHT_INJECTION_PORT_BASE"}) {
    setenv(name, "something", 1);
    EXPECT_NE(attached_profiler(), "") << name;
    unsetenv(name);
  }
}

TEST(CpuPinTest, HoldsOneCpuAndGivesTheOthersBack) {
  const std::vector<int> before = allowed_cpus();
  {
    const CpuPin pin;
    ASSERT_TRUE(pin.cpu());
    EXPECT_EQ(allowed_cpus(), std::vector<int>{*pin.cpu()});
  }
  EXPECT_EQ(allowed_cpus(), before);
}

class PeaksFile : public testing::Test {
 protected:
  std::map<std::string, double> read(const std::string& text) {
    const std::string path = testing::TempDir() + "peaks.json";
    std::ofstream(path) << text;
    return peaks::read_peaks(path);
  }
};

TEST_F(PeaksFile, ReadsWhatWasWritten) {
  const std::string text = peaks::to_json(
      {{"cuda.lop3", "lane operations", "LOP3", 1.655e13, ""}, {"x", "", "", 0, "no device"}},
      "ratchet 1 (abc)");
  EXPECT_NE(text.find("\"measured_by\": \"ratchet 1 (abc)\""), std::string::npos) << text;
  const auto back = read(text);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_DOUBLE_EQ(back.at("cuda.lop3"), 1.655e13);
}

TEST_F(PeaksFile, RefusesWhatIsNotOne) {
  EXPECT_THROW(peaks::read_peaks("/nowhere/at/all"), Error);
  for (const char* text : {"", "{", "[]", "{\"peaks\": 3}", "{\"peaks\": [3]}",
                           "{\"peaks\": [{\"resource\": \"a\", \"per_second\": -1}]}",
                           "{\"peaks\": [{\"resource\": \"a\", \"per_second\": NaN}]}",
                           "{\"peaks\": [{\"resource\": \"a\", \"per_second\": 1},"
                           " {\"resource\": \"a\", \"per_second\": 2}]}"})
    EXPECT_THROW(read(text), Error) << text;
}

/// read_peaks() refuses a resource that is there twice, and with it a whole stored file.
TEST(Probes, HaveANameOfTheirOwnAndSayWhatIsCounted) {
  std::set<std::string> names;
  for (const peaks::Probe& probe : peaks::probes()) {
    EXPECT_TRUE(names.insert(probe.resource).second) << probe.resource << " is there twice";
    EXPECT_TRUE(probe.resource.starts_with("cuda.") || probe.resource.starts_with("cpu."))
        << probe.resource;
    EXPECT_FALSE(probe.unit.empty()) << probe.resource;
    EXPECT_FALSE(probe.what.empty()) << probe.resource;
  }
  EXPECT_GT(names.size(), 0u);
}

/// An optimizer that finds one chain of operations in another leaves it out: the peak would count
/// what is never made.
TEST(Probes, MakeAllVectorOperationsThatAreCounted) {
  const ProcessResult counted = run_process(
      {"sh", "-c",
       "objdump -d --no-show-raw-insn \"$0\" | awk '"
       "/^[0-9a-f]+ </ { of = /VectorOps/ ? $2 : \"\" } of != \"\" && /paddq/ { ++adds[of] } "
       "END { for (of in adds) print adds[of], of }'",
       built_program("perf/ratchet-bench")},
      120);
  std::istringstream lines(counted.output);
  int loops = 0;
  for (std::string line; std::getline(lines, line); ++loops) {
    const int each = std::stoi(line) / 12;  // eight, unless a build unrolls the loop less
    EXPECT_TRUE(std::stoi(line) % 12 == 0 && (each == 1 || each == 2 || each == 4 || each == 8))
        << "additions of twelve chains: " << line;
  }
  if (loops == 0) GTEST_SKIP() << "no objdump, or no loop of vectors on x86";
}

TEST(Shares, OneCoreResourcesGrowWithThreads) {
  const double cpus = static_cast<double>(allowed_cpus().size());
  // The parameter that the stage names counts, whatever it is called, and no other.
  const Parameters workers("a", {{"threads", 7, 0, 1024, ""}, {"workers", 0, 0, 1024, ""}});
  const auto shares = [&](const char* resource, const Parameters& at, const char* threads) {
    return peaks::shares({.limit = {resource, 1}, .threads = threads}, at);
  };
  EXPECT_EQ(shares("cpu.scalar_ops", workers, ""), 1);
  EXPECT_EQ(shares("cpu.scalar_ops", workers, "workers"), cpus);
  EXPECT_EQ(shares("cpu.scalar_ops", Parameters(workers).set("workers", 1), "workers"), 1);
  EXPECT_EQ(shares("cpu.scalar_ops", Parameters(workers).set("workers", 1024), "workers"), cpus);
  EXPECT_EQ(shares("cpu.dram_bytes", workers, "workers"), 1);
  EXPECT_EQ(shares("cuda.lop3", workers, "workers"), 1);
}

}  // namespace
}  // namespace ratchet::timing
