// ratchet doctor on copies of /proc and /sys: a machine where everything hurts, one where nothing
// does, and one that tells nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "correctness/perf/measure/fixture.h"
#include "correctness/support/data_file.h"
#include "correctness/support/programs.h"
#include "correctness/support/seeds.h"
#include "perf/measure/doctor/checks.h"
#include "perf/measure/doctor/noise.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet::doctor {
namespace {

/// The folder of a machine in machines.tsv, in which the files of all of them are unpacked once.
std::filesystem::path root_of(const std::string& name) {
  static const ScratchFolder scratch;
  static const bool unpacked = [] {
    std::istringstream lines(read_text(correctness::data_file("perf/measure/doctor/machines.tsv")));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      std::istringstream fields(line);
      std::string machine, path, content;
      std::getline(fields, machine, '\t');
      std::getline(fields, path, '\t');
      std::getline(fields, content, '\t');
      write_atomically(scratch.path() / machine / path, correctness::unescaped(content));
    }
    return std::filesystem::is_directory(scratch.path() / "bad");
  }();
  EXPECT_TRUE(unpacked);
  return scratch.path() / name;
}

SystemFiles machine(const std::string& name) { return SystemFiles(root_of(name)); }

Diagnosis find(const std::vector<Diagnosis>& diagnoses, const std::string& check) {
  for (const Diagnosis& each : diagnoses)
    if (each.check == check) return each;
  ADD_FAILURE() << "no check " << check;
  return {};
}

std::vector<Diagnosis> checks(const SystemFiles& files) {
  std::vector<Diagnosis> all = check_cpus(files);
  for (Diagnosis& each : check_system(files)) all.push_back(each);
  return all;
}

void expect(const std::vector<Diagnosis>& diagnoses, const std::string& check, State state,
            const std::string& found) {
  const Diagnosis diagnosis = find(diagnoses, check);
  EXPECT_EQ(to_string(diagnosis.state), to_string(state)) << check;
  EXPECT_EQ(diagnosis.found, found) << check;
  EXPECT_FALSE(state == State::hurts && diagnosis.fix.empty()) << check;
}

TEST(Doctor, ABadMachineHurtsEverywhere) {
  const std::vector<Diagnosis> bad = checks(machine("bad"));
  const State hurts = State::hurts;
  expect(bad, "frequency governor", hurts, "performance on 1 of 4, powersave on 3 of 4");
  expect(bad, "turbo", hurts, "on");
  expect(bad, "SMT siblings", hurts, "4 of 4 CPUs share a core");
  expect(bad, "CPU quota", hurts, "1.5 CPUs");  // of the folder above its own
  expect(bad, "thermal throttling", hurts, "60 events since boot");
  expect(bad, "isolated CPUs", State::ok, "none");
  expect(bad, "virtual machine", hurts, "KVM");
  expect(bad, "load", hurts, "3.10 over a minute, 4 others now");
  expect(bad, "swap", hurts, "1024 MiB in use");
  expect(bad, "transparent huge pages", hurts, "always");
  expect(bad, "NUMA balancing", hurts, "on, 2 nodes");
  expect(bad, "address randomisation", State::ok, "on");
  expect(bad, "perf events", hurts, "paranoid 4");
}

TEST(Doctor, AGoodMachineDoesNot) {
  const std::vector<Diagnosis> good = checks(machine("good"));
  for (const Diagnosis& each : good) EXPECT_EQ(to_string(each.state), "ok") << each.check;
  expect(good, "frequency governor", State::ok, "performance on 4 of 4");
  expect(good, "turbo", State::ok, "off");
  expect(good, "CPU quota", State::ok, "none");
  expect(good, "isolated CPUs", State::ok, "2-3");
  expect(good, "NUMA balancing", State::ok, "on, 1 node");
}

TEST(Doctor, AMachineThatTellsNothingIsUnknownAndNoError) {
  const std::vector<Diagnosis> silent = checks(machine("no_such_machine"));
  EXPECT_EQ(silent.size(), checks(machine("bad")).size());
  for (const Diagnosis& each : silent) {
    if (each.check == "CPU quota") continue;  // no file is how no limit looks
    EXPECT_EQ(to_string(each.state), "unknown") << each.check;
  }
  const Snapshot nothing = snapshot(machine("no_such_machine"), 100, 1);
  for (const Diagnosis& each : check_neighbours(nothing, nothing))
    EXPECT_EQ(to_string(each.state), "unknown") << each.check;
}

TEST(Doctor, DoesNotTakeAProcessorThatHidesItsHypervisorForBareMetal) {
  expect(checks(machine("arm")), "virtual machine", State::unknown, "not visible");
}

TEST(Doctor, NamesTheThreeBusiestProcessesButItself) {
  const Snapshot before = snapshot(machine("bad"), 100, 106),
                 after = snapshot(machine("bad_later"), 100, 106);
  const std::vector<BusyProcess> busy = busiest(before, after, 10);
  ASSERT_EQ(busy.size(), 3u);
  EXPECT_EQ(busy[0].id, 101);
  EXPECT_EQ(busy[0].name, "a (b) c");
  EXPECT_NEAR(busy[0].cpu_percent, 70, 1e-9);
  EXPECT_EQ(busy[1].name, "make");
  EXPECT_NEAR(busy[2].cpu_percent, 5, 1e-9);            // began between the looks
  EXPECT_EQ(busiest(before, after, 10, 9).size(), 4u);  // one used less than 1 %
  const std::vector<Diagnosis> diagnoses = check_neighbours(before, after);
  expect(diagnoses, "other processes", State::hurts,
         "a (b) c (101) 70 %, make (102) 20 %, young (103) 5 %");
  expect(diagnoses, "stolen time", State::hurts, "5.0 %");
}

TEST(Doctor, AQuietMachineHasNoNeighbours) {
  const std::vector<Diagnosis> diagnoses =
      check_neighbours(snapshot(machine("good"), 100, 1), snapshot(machine("good_later"), 100, 1));
  expect(diagnoses, "other processes", State::ok, "none above 1 % of a CPU");
  expect(diagnoses, "stolen time", State::ok, "0.0 %");
}

GpuMachine one_gpu(const GpuState& state) {
  GpuMachine machine;
  machine.gpus = {state};
  machine.driver = "580.1";
  machine.driver_cuda = 13000;
  machine.toolkit_cuda = 13000;
  return machine;
}

TEST(Doctor, ABadGpu) {
  GpuState state;
  state.processes = 2;
  state.persistence = false;
  state.ecc = state.mig = true;
  state.power = timing::Nvml::Power{500, 700};
  state.clock = timing::Nvml::Clock{1200, 1980};
  state.throttle_reasons = timing::kReasonPowerCap | timing::kReasonThermalHardware;
  state.temperature_c = 88;
  GpuMachine bad = one_gpu(state);
  bad.driver_cuda = 12080;
  const std::vector<Diagnosis> diagnoses = check_gpus(bad, machine("bad"));
  expect(diagnoses, "GPU processes", State::hurts, "2");
  expect(diagnoses, "GPU persistence mode", State::hurts, "off");
  expect(diagnoses, "GPU clocks", State::unknown, "1200 now, at most 1980 MHz");
  expect(diagnoses, "GPU throttling", State::hurts, "power cap, heat (hardware), 88 C");
  expect(diagnoses, "GPU power cap", State::hurts, "500 of 700 W");
  expect(diagnoses, "GPU ECC", State::ok, "on");
  expect(diagnoses, "GPU MIG", State::hurts, "on");
  expect(diagnoses, "GPU driver", State::hurts, "580.1, for CUDA 12.8; built with 13.0");
  expect(diagnoses, "GPU counters", State::hurts, "for administrators");
  bad.root = true;
  expect(check_gpus(bad, machine("bad")), "GPU counters", State::ok, "for administrators");
}

TEST(Doctor, AGoodGpuAndTwoAndNone) {
  GpuState state;
  state.name = "NVIDIA H200";
  state.processes = 0;
  state.persistence = true;
  state.ecc = true;
  state.mig = false;
  state.power = timing::Nvml::Power{700, 700};
  state.clock = timing::Nvml::Clock{1980, 1980};
  state.throttle_reasons = timing::kReasonIdle | timing::kReasonApplicationClocks;
  GpuMachine good = one_gpu(state);
  for (const Diagnosis& each : check_gpus(good, machine("good")))
    EXPECT_EQ(to_string(each.state), "ok") << each.check;
  good.gpus.push_back(state);
  EXPECT_EQ(find(check_gpus(good, machine("good")), "GPU 1 throttling").found, "no");
  const std::vector<Diagnosis> none = check_gpus({}, machine("good"));
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(to_string(none[0].state), "unknown");
  for (const Diagnosis& each : check_gpus(one_gpu({}), machine("no_such_machine")))
    EXPECT_NE(to_string(each.state), "hurts") << each.check;
}

/// Noise of a machine whose passes take what `seconds_of` says, counted from 0.
Noise noise_of(const std::function<timing::Sample(int)>& pass_of) {
  timing::FakeTime time;
  int count = 0;
  return measure_noise(
      [&] {
        const timing::Sample pass = pass_of(count++);
        time.now_s += pass.seconds;
        return pass;
      },
      time.clock());
}

TEST(Doctor, AQuietMachineSeesTheToleranceAndLittleMore) {
  const Noise noise =
      noise_of([](int i) { return timing::sample(0.001 * timing::jitter(i, 0.001)); });
  EXPECT_NEAR(static_cast<double>(noise.passes), 3000, 10);
  EXPECT_LT(noise.spread, 0.002);
  EXPECT_NEAR(noise.drift, 0, 5e-4);
  EXPECT_EQ(noise.disturbed, 0);
  EXPECT_GE(noise.stretches, 29u);
  EXPECT_GT(noise.detectable, 0.0299);
  EXPECT_LT(noise.detectable, 0.032);
  for (const Diagnosis& each : check_noise(noise))
    EXPECT_EQ(to_string(each.state), "ok") << each.found;
}

/// Passes of 1 ms: a hundred a stretch. Most of every other stretch is 5 % slower, but not its
/// lower quartile.
TEST(Doctor, AStretchIsItsLowerQuartile) {
  const Noise noise = noise_of(
      [](int i) { return timing::sample(i / 100 % 2 == 1 && i % 5 < 3 ? 0.00105 : 0.001); });
  EXPECT_GT(noise.spread, 0.03);
  EXPECT_NEAR(noise.launches, 0, 1e-6);
}

TEST(Doctor, AForecastSaysHowLittleItIsFromAndWhatItLeavesOut) {
  Noise noise;
  noise.stretches = 19;
  const auto forecast = [&] { return check_noise(noise).back(); };
  EXPECT_TRUE(forecast().found.ends_with(", a guess from 19 stretches of 0.1 s"));
  EXPECT_TRUE(forecast().effect.ends_with("; --seconds 10 tells it better"));
  noise.stretches = 20;
  EXPECT_TRUE(forecast().found.ends_with(" %"));
  EXPECT_TRUE(forecast().effect.ends_with("in 9 of 10 runs"));
  noise.disturbed = 0.06;
  EXPECT_TRUE(forecast().effect.ends_with("; more while other processes contend"));
}

TEST(Doctor, TwoStretchesAreCompared) {
  timing::FakeTime time;
  int count = 0;
  const auto pass = [&] {
    const timing::Sample slower_later = timing::sample(count++ < 100 ? 0.001 : 0.0012);
    time.now_s += slower_later.seconds;
    return slower_later;
  };
  EXPECT_NEAR(measure_noise(pass, time.clock(), 0.22, 0.0995).launches, 1.4826 * 0.0001 / 0.0011,
              1e-4);
}

TEST(Doctor, AMachineThatDriftsAndIsDisturbedSaysSo) {
  const Noise noise = noise_of([](int i) {
    // Three levels, 100 passes each, interleaved; slower all the time; every eighth contended.
    timing::Sample pass = timing::sample(0.001 * (1 + 0.05 * (i / 100 % 3)) * (1 + 2e-5 * i));
    pass.preemptions = i % 8 == 0;
    return pass;
  });
  EXPECT_GT(noise.spread, 0.03);
  EXPECT_NEAR(noise.drift, 0.04, 0.015);
  EXPECT_NEAR(noise.disturbed, 0.125, 0.001);
  EXPECT_GT(noise.launches, 0.02);
  EXPECT_GT(noise.detectable, 0.05);
  EXPECT_TRUE(std::isfinite(noise.detectable));
  for (const Diagnosis& each : check_noise(noise))
    EXPECT_EQ(to_string(each.state), "hurts") << each.check << ": " << each.found;
  Noise faster;  // all the time, as when others end
  faster.drift = -0.04;
  for (const Diagnosis& each : check_noise(faster))
    EXPECT_EQ(to_string(each.state), each.check == "measured: drift" ? "hurts" : "ok")
        << each.check;
}

TEST(Doctor, TheTableSaysWhatHurtsFirstAndHowToFixIt) {
  const std::vector<Diagnosis> diagnoses = {{"a", State::ok, "fine", "", "nothing to do"},
                                            {"b", State::unknown, "not shown", "", "look there"},
                                            {"c", State::hurts, "bad", "moves times", "stop it"}};
  const std::string table = to_table(diagnoses);
  EXPECT_LT(table.find("\nc "), table.find("\nb "));
  EXPECT_LT(table.find("\nb "), table.find("\na "));
  EXPECT_NE(table.find("\nTo fix:\n  c: stop it\n"), table.npos) << table;
  EXPECT_EQ(table.find("look there"), table.npos);
  EXPECT_EQ(to_table({diagnoses[0]}).find("To fix"), std::string::npos);
}

TEST(Doctor, AsAProgram) {
  const ProcessResult result = run_process({built_program("perf/ratchet"), "doctor", "--json",
                                            "--seconds=0.1", "--root=" + root_of("bad").string()},
                                           60);
  ASSERT_TRUE(result.ok()) << result.describe();
  const auto report = nlohmann::json::parse(result.output);
  ASSERT_TRUE(report.is_array());
  bool turbo = false, measured = false;
  for (const auto& each : report) {
    for (const char* key : {"check", "state", "found", "effect", "fix"})
      EXPECT_TRUE(each.at(key).is_string()) << each;
    turbo = turbo || (each["check"] == "turbo" && each["state"] == "hurts");
    measured = measured || each["check"] == "measured: detectable";
  }
  EXPECT_TRUE(turbo);
  EXPECT_TRUE(measured);
  for (const char* bad : {"--seconds=0", "--seconds=x", "--no-such", "--root=/nowhere"})
    EXPECT_EQ(run_process({built_program("perf/ratchet"), "doctor", bad}, 60).exit_code, 2) << bad;
}

}  // namespace
}  // namespace ratchet::doctor
