// perf/baseline: the fingerprint, and reading what nobody vouches for.
#include <algorithm>
#include <array>
#include <vector>

#include "correctness/perf/gate/baseline/baseline_fixture.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

TEST_F(Baseline, ReadsBackWhatItWrote) {
  write(file(), document(launch("demo/cpu/01_a", 1, ",\"tolerance\":0.05") + "," +
                         launch("demo/cpu/01_a", 0, ",\"limit_percent\":61.23456789")));
  const Measurements first = read_measurements(file());
  ASSERT_EQ(first.rows.at("demo/cpu/01_a").launches.size(), 2u);
  EXPECT_EQ(first.rows.at("demo/cpu/01_a").launches[0].counter("limit_percent"), 61.23456789);
  EXPECT_EQ(first.rows.at("demo/cpu/01_a").tolerance, 0.05);
  const std::string text = to_text(first);
  EXPECT_SAYS(text, "\"limit_percent\":61.23457");  // seven digits
  EXPECT_SAYS(text, "\"caches\": []");              // Bencher insists on it
  write(file(), text);
  EXPECT_EQ(to_text(read_measurements(file())), text);  // stable: no diff without a change
  // One line a launch.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 12) << text;
}

TEST_F(Baseline, MalformedFilesAreNamed) {
  EXPECT_SAYS(complaint_about(""), "not valid JSON");
  EXPECT_SAYS(complaint_about(document(launch("demo/cpu/01_a", 0)).substr(0, 150)),
              "not valid JSON");
  EXPECT_SAYS(complaint_about("{\"context\": \"\xff\xfe\"}"), "not valid JSON");
  EXPECT_SAYS(complaint_about(document("{\"name\": NaN}")), "not valid JSON");
  EXPECT_SAYS(complaint_about(document(launch("demo/cpu/01_a", 0, ",\"x\":1e999"))),
              "not valid JSON");
  EXPECT_SAYS(complaint_about(std::string(1'000'000, '[')), "deeper than 16");
  EXPECT_SAYS(complaint_about(document(launch("demo/cpu/01_a", 0, ",\"real_time\":9"))),
              "\"real_time\" appears twice");
  write(file(), "{}");
  fs::resize_file(file(), std::uintmax_t{513} << 20);
  EXPECT_SAYS(error_of([&] { read_measurements(file()); }), "larger than 512 MiB");
  EXPECT_SAYS(error_of([&] { read_measurements(folder()); }), "not a regular file");
  EXPECT_SAYS(error_of([&] { read_measurements(folder() / "none.json"); }), "does not exist");
}

TEST_F(Baseline, ThirdPartyFilesAreRefused) {
  EXPECT_SAYS(complaint_about("[]"), "is not a file of ratchet");
  EXPECT_SAYS(complaint_about("{\"context\":{},\"benchmarks\":[]}"), "is not a file of ratchet");
  EXPECT_SAYS(complaint_about("{\"context\":{\"ratchet\":{\"format\":1}}}"), "benchmarks");
  EXPECT_SAYS(complaint_about("{\"context\":{\"ratchet\":{\"format\":7}},\"benchmarks\":[]}"),
              "format is 7");
}

TEST_F(Baseline, BadRowsAreNamedWithTheirComplaint) {
  const std::string good = document(launch("demo/cpu/01_a", 0));
  const std::vector<std::array<std::string, 3>> cases = {
      {"\"real_time\":2.0", "\"real_time\":-2.0", "not positive"},
      {"\"real_time\":2.0", "\"real_time\":0", "not positive"},
      {"\"real_time\":2.0", "\"real_time\":\"2\"", "not a number"},
      {"\"real_time\":2.0,", "", "\"real_time\" is missing"},
      {"\"cpu_time\":0", "\"cpu_time\":-1", "cpu_time is negative"},
      {"\"time_unit\":\"ms\"", "\"time_unit\":\"us\"", "not \"ms\""},
      {"\"iterations\":1", "\"iterations\":0", "iterations"},
      {"\"repetition_index\":0", "\"repetition_index\":-1", "repetition_index"},
      {"\"run_type\":\"iteration\"", "\"run_type\":\"aggregate\"", "run_type"},
      {"\"units\":1000,", "", "\"units\" is missing"},
      {"\"units\":1000", "\"units\":0", "\"units\" is not positive"},
      {"\"units_per_second\":500000,", "", "\"units_per_second\" is missing"},
      {"\"units_per_second\":500000", "\"units_per_second\":500", "check the time unit"},
      {"\"verified\":1", "\"verified\":0", "unverified"},
      {"\"verified\":1", "\"tolerance\":0,\"verified\":1", "tolerance"},
      {"\"verified\":1", "\"tolerance\":1,\"verified\":1", "tolerance"},
      {"\"verified\":1", "\"tolerance\":0.99999999,\"verified\":1", "tolerance"},
      {"\"verified\":1", "\"verified\":1,\"error_occurred\":true,\"error_message\":\"boom\"",
       "boom"}};
  for (const auto& [from, to, part] : cases) {
    const std::string what = complaint_about(swapped(good, from, to));
    EXPECT_SAYS(what, "demo/cpu/01_a");
    EXPECT_SAYS(what, part);
  }
  EXPECT_SAYS(complaint_about(swapped(good, "\"name\":\"demo/cpu/01_a\",", "")), "benchmarks[0]");
}

TEST_F(Baseline, DuplicateAndInconsistentLaunches) {
  EXPECT_SAYS(
      complaint_about(document(launch("demo/cpu/01_a", 3) + "," + launch("demo/cpu/01_a", 3))),
      "row demo/cpu/01_a: launch 3 appears twice");
  const std::string other =
      swapped(swapped(launch("demo/cpu/01_a", 1), "1000", "1100"), "2.0", "2.2");
  EXPECT_SAYS(complaint_about(document(launch("demo/cpu/01_a", 0) + "," + other)),
              "differ in units");
}

TEST_F(Baseline, NamesOfOtherBenchmarksLoseTheirTimingSuffixes) {
  EXPECT_EQ(plain_name("BM_copy/512/iterations:1/manual_time"), "BM_copy/512");
  EXPECT_EQ(plain_name("f/cpu/01_a/threads:4/real_time"), "f/cpu/01_a/threads:4");
  EXPECT_EQ(plain_name("f/manual_timer"), "f/manual_timer");
  // Too long to be one, and for a regular expression that recurses.
  const std::string endless = "f/iterations:" + std::string(1'000'000, '1');
  EXPECT_EQ(plain_name(endless), endless);
}

TEST(Fingerprint, ProcessorsOfAarch64AreToldApartByTheirNumbers) {
  const auto core = [](const char* part, const char* revision) {
    return std::string("processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd aes\n") +
           "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: " + part +
           "\nCPU revision\t: " + revision + "\n\n";
  };
  const auto fields = processor_fields(core("0xd0c", "1") + core("0xd0c", "1"));
  EXPECT_EQ(fields.at("cpu.model"), "ARM 0x41 part 0xd0c");
  EXPECT_EQ(fields.at("cpu.id"), "0x41 0x3/0xd0c/1");
  EXPECT_NE(processor_fields(core("0xd40", "1")), fields) << "another core";
  EXPECT_NE(processor_fields(core("0xd0c", "2")), fields) << "another revision";
  EXPECT_EQ(processor_fields(core("0xd05", "0") + core("0xd0b", "0")).at("cpu.model"),
            "ARM 0x41 part 0xd05+0xd0b");
  EXPECT_EQ(processor_fields("model name\t: a board\n" + core("0xd0c", "1")), fields);
  EXPECT_EQ(processor_fields(
                "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
                "model name\t: AMD EPYC\nstepping\t: 1\n"),
            (std::map<std::string, std::string>{{"cpu.model", "AMD EPYC"},
                                                {"cpu.id", "AuthenticAMD 25/17/1"}}));
  EXPECT_EQ(processor_fields("").at("cpu.model"), "unknown");
}

TEST(FingerprintTest, SlugsAreFolderNames) {
  EXPECT_EQ(slug("NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(slug("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz"), "intel-xeon-e5-2680-v4");
  EXPECT_EQ(slug("AMD Ryzen 9 7950X3D 16-Core Processor"), "amd-ryzen-9-7950x3d");
  EXPECT_EQ(slug("../../etc"), "etc");
  const Fingerprint both{
      {{"cpu.model", "AMD EPYC"}, {"cpu.cores", "2"}, {"gpu.model", "NVIDIA H200"}}};
  EXPECT_EQ(both.machine_slug(Device::cpu), "amd-epyc-2c");
  EXPECT_EQ(both.machine_slug(Device::gpu), "nvidia-h200");
  EXPECT_EQ(both.machine_slug(Device::both), "nvidia-h200");
  EXPECT_EQ(Fingerprint{}.machine_slug(Device::gpu), "unknown-gpu");
}

TEST(FingerprintTest, EachDeviceComparesItsOwnFields) {
  const Fingerprint stored{
      {{"cpu.model", "A"}, {"build.flags", "-O3"}, {"gpu.driver", "1"}, {"os.kernel", "5"}}};
  Fingerprint here = stored;
  here.fields["os.kernel"] = "6";
  EXPECT_TRUE(stored.matches(here, Device::both));
  here.fields["gpu.driver"] = "2";
  EXPECT_TRUE(stored.matches(here, Device::cpu));
  EXPECT_FALSE(stored.matches(here, Device::gpu));
  EXPECT_FALSE(stored.matches(here, Device::both));
  here = stored;
  here.fields.erase("build.flags");
  EXPECT_TRUE(stored.matches(here, Device::gpu));
  const auto differences = stored.differences(here, Device::cpu);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].field, "build.flags");
  EXPECT_EQ(differences[0].stored, "-O3");
  EXPECT_EQ(differences[0].here, "absent");
  // And the other way: what the stored file does not say is a difference, too.
  here = stored;
  here.fields["cpu.cores"] = "4";
  EXPECT_FALSE(stored.matches(here, Device::cpu));
  EXPECT_FALSE(here.matches(stored, Device::cpu));
  EXPECT_EQ(stored.differences(here, Device::cpu).at(0).stored, "absent");
}

TEST(FingerprintTest, RowsOfSeveralGpusBelongToAMachineWithSoMany) {
  EXPECT_EQ(RowId("graveler/mpi/02_gpus/ranks:2").device(), Device::gpus);
  EXPECT_EQ(RowId("tiny_mc/mpi/02_radial_gpus").device(), Device::gpus);
  EXPECT_EQ(RowId("graveler/mpi/01_shards/ranks:2").device(), Device::cpu);
  EXPECT_EQ(RowId("life/cuda/09_gpus").device(), Device::gpu);
  const Fingerprint two{{{"cpu.model", "A"}, {"gpu.model", "NVIDIA H200"}, {"gpus.count", "2"}}};
  EXPECT_EQ(two.machine_slug(Device::gpus), "nvidia-h200-x2");
  EXPECT_EQ(two.machine_slug(Device::gpu), "nvidia-h200");
  Fingerprint four = two;
  four.fields["gpus.count"] = "4";
  EXPECT_FALSE(two.matches(four, Device::gpus));
  EXPECT_TRUE(two.matches(four, Device::gpu));
  EXPECT_TRUE(two.matches(four, Device::both));
  Fingerprint other_cpu = two;
  other_cpu.fields["cpu.model"] = "B";
  EXPECT_TRUE(two.matches(other_cpu, Device::gpus));
}

TEST(FingerprintTest, OpenclRowsBelongToTheMachineOfTheirDevice) {
  Fingerprint here{{{"cpu.model", "AMD EPYC"},
                    {"cpu.cores", "2"},
                    {"gpu.model", "NVIDIA H200"},
                    {"gpu.driver", "1"},
                    {"opencl.device", "cpu-epyc"},
                    {"opencl.type", "cpu"},
                    {"opencl.driver", "3.1"}}};
  EXPECT_EQ(here.machine_slug(Device::opencl), "amd-epyc-2c");  // though there is a GPU
  const auto with = [&](const std::string& field, const std::string& value) {
    Fingerprint other = here;
    other.fields[field] = value;
    return other;
  };
  EXPECT_TRUE(here.matches(with("gpu.driver", "2"), Device::opencl));
  EXPECT_FALSE(here.matches(with("cpu.model", "B"), Device::opencl));
  EXPECT_FALSE(here.matches(with("opencl.driver", "4.0"), Device::opencl));
  EXPECT_TRUE(here.matches(with("opencl.driver", "4.0"), Device::cpu));
  here.fields["opencl.type"] = "gpu";
  here.fields["opencl.device"] = "NVIDIA H200";
  EXPECT_EQ(here.machine_slug(Device::opencl), here.machine_slug(Device::gpu));
  EXPECT_FALSE(here.matches(with("gpu.driver", "2"), Device::opencl));
  EXPECT_TRUE(here.matches(with("cpu.model", "B"), Device::opencl));
  EXPECT_FALSE(here.matches(with("opencl.type", "cpu"), Device::opencl));
}

TEST(FingerprintTest, DeviceByName) {
  EXPECT_EQ(RowId("life/cuda/01_x/width:4").device(), Device::gpu);
  EXPECT_EQ(RowId("life/cpu/01_x").device(), Device::cpu);
  EXPECT_EQ(RowId("life/hybrid/01_x").device(), Device::both);
  EXPECT_EQ(RowId("life/opencl/01_x").device(), Device::opencl);
  EXPECT_EQ(RowId("BM_copy").device(), Device::cpu);
}

TEST(FingerprintTest, ThisMachineHasOne) {
  const auto fields = fingerprint_fields();
  EXPECT_NE(fields.at("cpu.model"), "unknown");
  EXPECT_GE(std::stoi(fields.at("cpu.cores")), 1);
  EXPECT_GE(std::stoi(fields.at("cpu.memory_gib")), 4);
  EXPECT_FALSE(fields.at("build.compiler").empty());
  EXPECT_FALSE(fields.at("build.type").empty());
}

TEST(Launches, OneThatNobodyCheckedLeavesItsRowUnverified) {
  const auto row = [](std::vector<std::map<std::string, double>> launches) {
    Row made;
    for (auto& counters : launches) made.launches.push_back({0, 1, 1, 1, std::move(counters)});
    return made;
  };
  EXPECT_TRUE(is_verified(row({{{"verified", 1}}, {{"verified", 1}}})));
  EXPECT_FALSE(is_verified(row({{{"verified", 1}}, {}})));
  EXPECT_FALSE(is_verified(row({{{"verified", 0}}, {{"verified", 1}}})));
}

TEST(Launches, S30ContendedIsWhatHadLessOfTheCpuThanItsTime) {
  const auto contended = [](double cpu_ms, std::map<std::string, double> counters) {
    return Launch{0, 100, cpu_ms, 1, std::move(counters)}.contended();
  };
  EXPECT_TRUE(contended(50, {{"one_cpu", 1}}));
  EXPECT_TRUE(contended(94, {{"one_cpu", 1}}));
  EXPECT_FALSE(contended(96, {{"one_cpu", 1}}));
  EXPECT_TRUE(contended(98, {{"one_cpu", 1}, {"preempted_kept", 1}}));
  EXPECT_FALSE(contended(99.5, {{"one_cpu", 1}, {"preempted_kept", 1}}));  // a moment of seconds
  EXPECT_FALSE(contended(50, {{"preempted_kept", 1}}));          // of threads nothing is known
  EXPECT_FALSE(contended(50, {{"one_cpu", 1}, {"slices", 7}}));  // timed on the CPU alone
}

}  // namespace
}  // namespace ratchet
