// Counters of energy, on machines that have none: a made-up powercap tree, and a library in place
// of libnvidia-ml.so.1 (stand_in/nvml.cpp).
#include "perf/support/machine/energy.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/support/files.h"

namespace ratchet::timing {
namespace {

namespace fs = std::filesystem;

class Powercap : public testing::Test {
 protected:
  fs::path root() const { return scratch_.path(); }
  /// As the kernel shows a zone; all zones lie side by side.
  void zone(const std::string& directory, const std::string& name, const std::string& microjoules,
            const std::string& range = "262143328850") {
    fs::create_directories(root() / directory);
    std::ofstream(root() / directory / "name") << name << "\n";
    std::ofstream(root() / directory / "max_energy_range_uj") << range << "\n";
    count(directory, microjoules);
  }
  void count(const std::string& directory, const std::string& microjoules) {
    std::ofstream(root() / directory / "energy_uj") << microjoules << "\n";
  }
  std::string refusal() const {
    return error_of([&] { const PackageEnergy energy(root()); });
  }

 private:
  ScratchFolder scratch_;
};

TEST_F(Powercap, PackagesAreSummedAndNothingInThemCountsTwice) {
  zone("intel-rapl:0", "package-0", "1000000");
  zone("intel-rapl:0:0", "core", "10000000");
  zone("intel-rapl:0:1", "dram", "20000000");
  zone("intel-rapl:1", "package-1-die-0", "5000000");
  zone("intel-rapl:2", "psys", "30000000");
  zone("intel-rapl-mmio:0", "package-0", "1000000");
  fs::create_directories(root() / "intel-rapl");
  PackageEnergy energy(root());
  EXPECT_EQ(energy.joules(), 0);
  const double spent = energy.joules_of([&] {
    for (const char* all :
         {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:2", "intel-rapl-mmio:0"})
      count(all, "31000000");
    count("intel-rapl:1", "7500000");
  });
  EXPECT_DOUBLE_EQ(spent, 30 + 2.5);
}

TEST_F(Powercap, ACounterThatWrapsGoesOnFromZero) {
  zone("intel-rapl:0", "package-0", "90000000", "100000000");
  PackageEnergy energy(root());
  EXPECT_DOUBLE_EQ(energy.joules_of([&] { count("intel-rapl:0", "4000000"); }), 14);
}

/// Read every 10 ms here, while a counter of 100 J takes 240 J.
class WrapsTwice : public PackageEnergy {
 public:
  explicit WrapsTwice(const fs::path& powercap) : PackageEnergy(powercap) { read_every_s_ = 0.01; }
  double joules() override {
    ++reads;
    return PackageEnergy::joules();
  }
  std::atomic<int> reads = 0;
};

TEST_F(Powercap, ALongLaunchIsReadMeanwhile) {
  zone("intel-rapl:0", "package-0", "0", "100000000");
  WrapsTwice energy(root());
  const auto set = [&](const std::string& now) {
    const int before = energy.reads;
    // At once, as the kernel does: a reader sees no half of it.
    const fs::path counter = root() / "intel-rapl:0/energy_uj";
    std::ofstream(counter.string() + ".new") << now << "\n";
    fs::rename(counter.string() + ".new", counter);
    constexpr int patience_ms = 10'000;  // then the sum tells
    for (int ms = 0; energy.reads < before + 2 && ms < patience_ms; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_DOUBLE_EQ(energy.joules_of([&] {
    for (const char* now : {"80000000", "60000000", "40000000"}) set(now);
  }),
                   240);
  EXPECT_THROW(energy.joules_of([] { throw Error("the launch failed"); }), Error);
}

TEST_F(Powercap, SaysWhatCannotBeRead) {
  EXPECT_HAS(refusal(), "the kernel tells no energy of the CPU here: ");
  zone("intel-rapl:0", "psys", "1");
  EXPECT_HAS(refusal(), " has no package intel-rapl:N");
  zone("intel-rapl:1", "package-0", "many");
  EXPECT_HAS(refusal(), "intel-rapl:1/energy_uj holds \"many\", not a number of uJ");
  count("intel-rapl:1", "-5");
  EXPECT_HAS(refusal(), "holds \"-5\", not a number of uJ");
  zone("intel-rapl:1", "package-0", "101", "100");
  EXPECT_HAS(refusal(), "holds 101, more than its max_energy_range_uj, 100");
  std::ofstream(root() / "intel-rapl:1/energy_uj").flush();
  EXPECT_HAS(refusal(), "energy_uj cannot be read: it is empty");
  fs::remove(root() / "intel-rapl:1/energy_uj");
  EXPECT_HAS(refusal(), "energy_uj cannot be read: No such file or directory");
}

TEST_F(Powercap, SaysWhoMayReadIt) {
  zone("intel-rapl:0", "package-0", "1");
  fs::permissions(root(), fs::perms::all);
  fs::permissions(root() / "intel-rapl:0/energy_uj", fs::perms::owner_write);
  constexpr uid_t anybody = 65534;
  const uid_t own = geteuid();
  ASSERT_TRUE(own != 0 || seteuid(anybody) == 0);
  const std::string said = refusal();
  ASSERT_EQ(seteuid(own), 0);
  EXPECT_HAS(said, "energy_uj cannot be read: Permission denied; many systems let root alone read");
  EXPECT_HAS(said, "chmod a+r " + (root() / "intel-rapl:0/energy_uj").string());
}

/// The stand-in is found under the name of the library while it is open.
class GpuEnergyTest : public testing::Test {
 protected:
  void SetUp() override {
    library_ =
        dlopen(built_program("correctness/stand_in_nvml/libnvidia-ml.so.1").c_str(), RTLD_NOW);
    ASSERT_TRUE(library_) << dlerror();
    setenv("STAND_IN_NVML", file_.c_str(), 1);
    unsetenv("CUDA_DEVICE_ORDER");
    see(nullptr);
  }
  void TearDown() override {
    unsetenv("STAND_IN_NVML");
    see(nullptr);
    dlclose(library_);
  }
  void gpus(const std::string& lines) const { std::ofstream(file_) << lines; }
  static void see(const char* gpus) {
    if (gpus)
      setenv("CUDA_VISIBLE_DEVICES", gpus, 1);
    else
      unsetenv("CUDA_VISIBLE_DEVICES");
  }
  /// While GPU 0 takes 1 J, GPU 1 takes 10 J and GPU 2 takes 100 J.
  double seen(const char* visible) const {
    see(visible);
    gpus("5000 GPU-aa H100\n5000 GPU-bb H100\n5000 GPU-cc H100\n");
    GpuEnergy energy;
    return energy.joules_of(
        [&] { gpus("6000 GPU-aa H100\n15000 GPU-bb H100\n105000 GPU-cc H100\n"); });
  }
  std::string refusal(const char* visible = nullptr) const {
    see(visible);
    return error_of([] { const GpuEnergy energy; });
  }

 private:
  ScratchFolder scratch_;
  fs::path file_ = scratch_.path() / "gpus";
  void* library_ = nullptr;
};

TEST_F(GpuEnergyTest, GpusThatAProgramSeesAreSummed) {
  EXPECT_DOUBLE_EQ(seen(nullptr), 111);
  EXPECT_DOUBLE_EQ(seen("1"), 10);
  EXPECT_DOUBLE_EQ(seen("2,0"), 101);
  EXPECT_DOUBLE_EQ(seen("GPU-c,GPU-cc"), 100);
  EXPECT_DOUBLE_EQ(seen("0,-1,2"), 1) << "CUDA ignores those after one that is not there";
}

TEST_F(GpuEnergyTest, SaysWhyItCountsNothing) {
  gpus("");
  EXPECT_HAS(refusal(), "the NVIDIA driver reports no GPU");
  gpus("1 GPU-aa V100\n-1 GPU-bb P100\n");
  EXPECT_HAS(refusal(), "P100 does not count its energy, as GPUs since Volta do");
  EXPECT_EQ(refusal("GPU-aa"), "no error");
  EXPECT_HAS(refusal("0"), "counts GPUs of several models, in another order than their counters");
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  EXPECT_EQ(refusal("0"), "no error");
  EXPECT_HAS(refusal("2"), "CUDA_VISIBLE_DEVICES=2 names no GPU of this machine");
  EXPECT_HAS(refusal(""), "CUDA_VISIBLE_DEVICES= names no GPU of this machine");
  EXPECT_HAS(refusal("MIG-aa"),
             "names a part of a GPU, MIG-aa, and energy is counted of whole GPUs");
}

}  // namespace
}  // namespace ratchet::timing
