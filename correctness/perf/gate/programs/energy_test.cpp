// `--metric energy` and `device_energy`, by counters that are files of the test: a powercap tree,
// and a library in place of libnvidia-ml.so.1 (correctness/perf/support/machine/stand_in/nvml.cpp).
#include "perf/gate/programs/energy.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

double joules(const LaunchOutcome& outcome) {
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.basis, "J (smaller is better)");
  return outcome.launch ? 1 / outcome.launch->counter("units_per_second").value_or(NAN) : NAN;
}

TEST(EnergyOfACall, IsWhatMoreCallsAddWhateverTheStartTakes) {
  std::vector<std::int64_t> asked;
  const auto program = [&](std::int64_t calls) {
    asked.push_back(calls);
    const auto made = static_cast<double>(calls);
    return EnergyOfLaunch{made, 700 + 0.003 * made, 2 + 0.001 * made};
  };
  std::int64_t calls = 16;
  EXPECT_NEAR(energy_of_a_call(program, calls, 0.05), 0.003, 1e-12);
  EXPECT_EQ(asked, (std::vector<std::int64_t>{16, 32, 64, 128}));
  EXPECT_EQ(calls, 64) << "which the next launches begin with";
}

TEST(EnergyOfACall, SaysWhyItIsNotKnown) {
  const auto of = [](double made, double joules_a_call, double s_a_call) {
    return error_of([&] {
      std::int64_t calls = 16;
      energy_of_a_call(
          [&](std::int64_t asked) {
            const double count = made > 0 ? made : static_cast<double>(asked);
            return EnergyOfLaunch{count, 100 + joules_a_call * count, 1 + s_a_call * count};
          },
          calls, 0.05);
    });
  };
  EXPECT_HAS(of(3, 1, 1), "asked for 16 calls, and for 32, it made 3 and 3");
  EXPECT_HAS(of(0, -0.5, 1), "16 calls took 92 J, and 32 took 84 J: something else took more");
  EXPECT_HAS(of(0, 0, 1), "something else took more");
  EXPECT_HAS(of(0, 1, 0), " calls more take 0 s: nothing to count energy of");
}

class EnergyGate : public GateFixture {
 protected:
  void SetUp() override {
    GateFixture::SetUp();
    write(package() / "name", "package-0\n");
    write(package() / "max_energy_range_uj", "262143328850\n");
    write(package() / "energy_uj", "1000000\n");
    write(gpus(), "1000 GPU-aa H100\n");
    setenv("LD_LIBRARY_PATH", built_program("correctness/stand_in_nvml").c_str(), 1);
    setenv("STAND_IN_NVML", gpus().c_str(), 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
  }
  void TearDown() override {
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("STAND_IN_NVML");
  }
  fs::path powercap() const { return folder() / "powercap"; }
  fs::path package() const { return powercap() / "intel-rapl:0"; }
  fs::path gpus() const { return folder() / "gpus"; }

  ThirdPartyProgram program(const std::string& microjoules) const {
    return ThirdPartyProgram(
        {.program = built_program("correctness/third_party_bench"),
         .say = [this](const std::string& line) { said_ += line + "\n"; },
         .arguments = {"--takes-calls",
                       "--spend=" + (package() / "energy_uj").string() + ":" + microjoules},
         .metrics = {"energy"},
         .rows = "^faults$",
         .powercap = powercap()});
  }
  /// Runs for `s` seconds, while the GPU takes so many mJ.
  std::string launch(const std::string& millijoules, const std::string& s) const {
    write(folder() / "launch.sh", "sleep " + s + "\nread old rest <" + gpus().string() +
                                      "\necho $((old + " + millijoules + ")) $rest >" +
                                      gpus().string() + "\n");
    return "sh " + (folder() / "launch.sh").string();
  }
  ProcessResult exec(const std::string& command, std::vector<std::string> more) {
    const std::vector<std::string> words = {"gate",
                                            "--exec",
                                            command,
                                            "--baseline-dir",
                                            baselines(),
                                            "--results",
                                            folder() / "results"};
    more.insert(more.begin(), words.begin(), words.end());
    return ratchet(more);
  }
  std::string refused(const std::string& command, const std::vector<std::string>& more) {
    const ProcessResult result = exec(command, more);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    const std::size_t line = result.output.rfind("ratchet: ");
    return line == std::string::npos ? result.output : result.output.substr(line);
  }
  mutable std::string said_;
};

TEST_F(EnergyGate, S49ARowHasTheEnergyOfACall) {
  const ThirdPartyProgram three = program("3000");
  EXPECT_EQ(said_,
            "energy is that of whole CPU packages: other processes on any of their cores, and "
            "idling, are in it\n");
  const LaunchRequest request{0.01, "", folder() / "launch.json", {}};
  EXPECT_NEAR(joules(three.measure("faults/energy", request)), 0.003, 1e-9);
  EXPECT_NEAR(joules(program("3240").measure("faults/energy", request)), 0.00324, 1e-9);
  EXPECT_EQ(three.process_of("faults/energy"), RowId("faults/energy"));
  // One that the baseline has is missing where it is not known; named, it is refused.
  const auto counted = [&](const std::vector<std::string>& metrics) {
    return ThirdPartyProgram({.program = built_program("correctness/third_party_bench"),
                              .say = [this](const std::string& line) { said_ += line + "\n"; },
                              .arguments = {"--metrics"},
                              .metrics = metrics,
                              .stored_metrics = {{"counted/energy", {"J", Better::smaller}}},
                              .rows = "^counted/",
                              .powercap = powercap()});
  };
  const std::vector<RowId> rows = counted({}).list().rows;
  EXPECT_EQ(std::count(rows.begin(), rows.end(), RowId("counted/energy")), 0);
  EXPECT_HAS(said_, "--metric energy: the number of calls of counted");
  EXPECT_HAS(error_of([&] { counted({"energy"}); }), " is not known; leave the metric out");
  fs::remove(package() / "energy_uj");
  EXPECT_HAS(three.measure("faults/energy", request).failure, "No such file or directory");
}

TEST_F(EnergyGate, ACommandHasTheEnergyOfALaunch) {
  const std::string counter = (package() / "energy_uj").string();
  const auto command = [&](const std::string& text, const std::vector<std::string>& metrics) {
    return CommandProgram({.program = folder(),
                           .say = [this](const std::string& line) { said_ += line + "\n"; },
                           .name = "bench",
                           .metrics = metrics,
                           .stored_metrics = {{"bench/energy", {"J", Better::smaller}}},
                           .powercap = powercap(),
                           .command = text});
  };
  const std::string spending =
      "sleep 0.1; echo $(($(cat " + counter + ") + 2500000)) >" + counter + "; ";
  const auto energy_of = [](const CommandProgram& program) {
    return joules(program.measure("bench/energy", {}));
  };
  EXPECT_NEAR(energy_of(command(spending, {"energy"})), 2.5, 1e-9);
  EXPECT_NEAR(energy_of(command(spending, {})), 2.5, 1e-9) << "as the baseline has it";
  EXPECT_EQ(command(spending, {"none"}).list().rows.size(), 3);
  said_.clear();
  const std::string printing = R"(echo '{"name": "energy", "unit": "J", "value": 7}')";
  const CommandProgram own = command(spending + printing, {"energy"});
  EXPECT_HAS(said_, "--metric energy: the command prints a figure of this name, which is gated");
  EXPECT_EQ(energy_of(own), 7);
  said_.clear();
  EXPECT_EQ(command("true", {}).list().rows.size(), 3) << "then it is missing";
  EXPECT_HAS(said_, "--metric energy: a launch took ");
  fs::remove_all(package());
  EXPECT_EQ(command("true", {}).list().rows.size(), 3);
  EXPECT_HAS(said_, "--metric energy: the kernel tells no energy of the CPU here: ");
}

TEST_F(EnergyGate, S49TheEnergyOfABaselineIsGatedWithoutTheOption) {
  std::vector<std::string> few = {"--name", "job", "--filter", "energy", "--launches", "2"};
  const ProcessResult measured = exec(launch("54000", "1.02"), few);
  EXPECT_EQ(measured.exit_code, 2) << "no row of this name: " << measured.output;
  few.insert(few.end(), {"--metric", "device_energy"});
  const ProcessResult first = exec(launch("50000", "1.02"), few);
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_HAS(first.output,
             "device_energy is that of whole GPUs: other processes on them, and idling");
  EXPECT_HAS(table_line(first.output, "job/device_energy"), " 50.0 J ");
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  few.resize(few.size() - 2);
  const ProcessResult more = exec(launch("54000", "1.02"), few);
  EXPECT_HAS(table_line(more.output, "job/device_energy"), "50.0 -> 54.0 J");
}

TEST_F(EnergyGate, S49ALaunchThatTakesMoreEnergyIsSlower) {
  const auto in_folder = [&](const std::string& command) {
    ProcessResult result = run_process({"env", "-C", folder().string(), "sh", "-c", command}, 60);
    result.output += result.errors;
    return result;
  };
  launch("50000", "1.02");
  ASSERT_TRUE(in_folder("git init -q && git add launch.sh && git -c user.name=a -c user.email=a@b "
                        "commit -qm first")
                  .ok());
  launch("54000", "1.02");
  const ProcessResult worse = in_folder(built_program("perf/ratchet") +
                                        " gate --exec 'sh launch.sh' --filter energy --base HEAD "
                                        "--metric device_energy --budget-s 40");
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(table_line(worse.output, "launch.sh/device_energy"), "50.0 -> 54.0 J");
  EXPECT_HAS(worse.output, "REGRESSION (exit 1): 1 slower");
}

TEST_F(EnergyGate, RefusesWhatNothingCounts) {
  const std::vector<std::string> device = {"--metric", "device_energy"};
  EXPECT_HAS(
      refused(launch("50000", "0.01"), device),
      " s, and the counter's steps allow 1 s or more; let the command do more work, or leave");
  EXPECT_HAS(refused(launch("0", "1.02"), device),
             "--metric device_energy: its counter did not move");
  EXPECT_HAS(refused("true", {"--metric", "device_energy=kJ"}),
             "device_energy is in J, smaller is better, not kJ (smaller is better); write ");
  EXPECT_HAS(refused("true", {"--metric", "energy,allocs"}),
             "except energy and device_energy; print this one, too: allocs");
  unsetenv("STAND_IN_NVML");
  EXPECT_HAS(refused("true", device),
             "--metric device_energy: the NVIDIA driver reports no GPU (by libnvidia-ml.so.1); "
             "leave the metric out");
  setenv("STAND_IN_NVML", gpus().c_str(), 1);
  const ProcessResult stated =  // Iterations(4), whatever the version of the library
      gate_of(built_program("correctness/third_party_bench"),
              {"counted", "--metric", "device_energy", "--", "--metrics"});
  EXPECT_EQ(stated.exit_code, 2) << stated.output;
  EXPECT_HAS(stated.output, "--metric device_energy: the number of calls of ");
}

}  // namespace
}  // namespace ratchet::gate
