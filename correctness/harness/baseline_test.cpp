// perf/baseline: the fingerprint, reading what nobody vouches for, writing, finding and moving
// baselines.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "kernels/support/error.h"
#include "perf/baseline/accept.h"
#include "perf/baseline/json_file.h"
#include "perf/baseline/store.h"
#include "perf/gate/session.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The message of the Error that `act` throws; "" when it throws none.
std::string message(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failed);
    return error.what();
  }
  return "";
}

class Baseline : public testing::Test {
 protected:
  fs::path folder() const { return scratch_.path(); }
  fs::path file() const { return folder() / "box-2c" / "demo.json"; }

  /// One launch of a row as a file holds it.
  static std::string launch(const std::string& name, int index, const std::string& extra = "") {
    return "{\"name\":\"" + name +
           "\",\"run_type\":\"iteration\",\"repetition_index\":" + std::to_string(index) +
           ",\"iterations\":1,\"real_time\":2.0,\"cpu_time\":0,\"time_unit\":\"ms\",\"units\":1000,"
           "\"units_per_second\":500000,\"verified\":1" +
           extra + "}";
  }
  static std::string document(const std::string& rows, const std::string& cpu = "Box") {
    return "{\"context\":{\"cpu.model\":\"" + cpu +
           "\",\"cpu.cores\":\"2\",\"ratchet\":{\"format\":1}},\"benchmarks\":[" + rows + "]}";
  }
  /// What reading this document complains about; it must begin with the file's name.
  std::string complaint_about(const std::string& text) {
    write(file(), text);
    const std::string what = message([&] { read_measurements(file()); });
    EXPECT_TRUE(what.starts_with(file().string())) << what;
    return what;
  }

  gate::ScratchFolder scratch_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

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
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 14) << text;
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
  fs::resize_file(file(), std::uintmax_t{65} << 20);
  EXPECT_SAYS(message([&] { read_measurements(file()); }), "larger than 64 MiB");
  EXPECT_SAYS(message([&] { read_measurements(folder()); }), "not a regular file");
  EXPECT_SAYS(message([&] { read_measurements(folder() / "none.json"); }), "does not exist");
}

TEST_F(Baseline, ForeignFilesAreRefused) {
  EXPECT_SAYS(complaint_about("[]"), "no file of ratchet's");
  EXPECT_SAYS(complaint_about("{\"context\":{},\"benchmarks\":[]}"), "no file of ratchet's");
  EXPECT_SAYS(complaint_about("{\"context\":{\"ratchet\":{\"format\":1}}}"), "benchmarks");
  EXPECT_SAYS(complaint_about("{\"context\":{\"ratchet\":{\"format\":7}},\"benchmarks\":[]}"),
              "format is 7");
}

/// A document of one row in which `from` is replaced by `to`.
std::string swapped(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
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
      {"\"units_per_second\":500000", "\"units_per_second\":500", "some unit is wrong"},
      {"\"verified\":1", "\"verified\":0", "unverified"},
      {"\"verified\":1", "\"tolerance\":0,\"verified\":1", "tolerance"},
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
  EXPECT_EQ(stage_of("f/cpu/01_a/threads:4"), "f/cpu/01_a");
  EXPECT_EQ(stage_of("BM_copy/512"), "BM_copy/512");
}

TEST_F(Baseline, WritingReplacesWholeFilesOrNothing) {
  write(file(), "old");
  write_atomically(file(), "new");
  EXPECT_EQ(read(file()), "new");
  // The target is a folder, so the last step fails: nothing is left behind.
  fs::create_directories(folder() / "taken" / "x");
  EXPECT_SAYS(message([&] { write_atomically(folder() / "taken", "text"); }), "left as it was");
  // The folder cannot be made below a file.
  EXPECT_SAYS(message([&] { write_atomically(file() / "below.json", "text"); }), "cannot be made");
  EXPECT_EQ(read(file()), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), fs::directory_iterator()),
            1);
}

TEST_F(Baseline, FullDiskLeavesTheOldFile) {
  // A limit on the size of files fails a write as a full disk does.
  write(file(), "old");
  const auto write_with_a_limit = [this] {
    const rlimit limit = {16, 16};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string text(100'000, 'x');
    const std::string what = message([&] { write_atomically(file(), text); });
    std::exit(what.find("cannot be written") != std::string::npos && read(file()) == "old" ? 0 : 1);
  };
  EXPECT_EXIT(write_with_a_limit(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), fs::directory_iterator()),
            1);
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
}

TEST(FingerprintTest, DeviceByName) {
  EXPECT_EQ(device_of("life/cuda/01_x/width:4"), Device::gpu);
  EXPECT_EQ(device_of("life/cpu/01_x"), Device::cpu);
  EXPECT_EQ(device_of("life/hybrid/01_x"), Device::both);
  EXPECT_EQ(device_of("BM_copy"), Device::cpu);
}

TEST(FingerprintTest, ThisMachineHasOne) {
  const auto fields = fingerprint_fields();
  EXPECT_NE(fields.at("cpu.model"), "unknown");
  EXPECT_GE(std::stoi(fields.at("cpu.cores")), 1);
  EXPECT_GE(std::stoi(fields.at("cpu.memory_gib")), 4);
  EXPECT_FALSE(fields.at("build.compiler").empty());
  EXPECT_FALSE(fields.at("build.type").empty());
}

TEST_F(Baseline, StoreFindsByFingerprintNotByFolder) {
  write(folder() / "some-name" / "demo.json", document(launch("demo/cpu/01_a", 0)));
  write(folder() / "other" / "demo.json", document(launch("demo/cpu/01_a", 0), "Other"));
  write(folder() / "other" / "demo_timesink.json", "not a baseline");
  write(folder() / "published" / "demo.json", "not a baseline");
  const Store store(folder());
  EXPECT_EQ(store.files().size(), 2u);
  const Fingerprint here{{{"cpu.model", "Box"}, {"cpu.cores", "2"}, {"gpu.model", "G"}}};
  ASSERT_TRUE(store.find("demo", Device::cpu, here));
  EXPECT_EQ(store.find("demo", Device::cpu, here)->machine, "some-name");
  EXPECT_FALSE(store.find("demo", Device::gpu, here));  // holds no GPU rows
  EXPECT_FALSE(store.find("life", Device::cpu, here));
  EXPECT_FALSE(store.find("demo", Device::cpu, Fingerprint{{{"cpu.model", "Third"}}}));
  EXPECT_TRUE(Store(folder() / "absent").files().empty());
}

TEST_F(Baseline, StoreRefusesTwinsAndStrangers) {
  write(folder() / "a" / "demo.json", document(launch("demo/cpu/01_a", 0)));
  write(folder() / "b" / "demo.json", document(launch("demo/cpu/01_a", 0)));
  const Store twins(folder());
  const Fingerprint here{{{"cpu.model", "Box"}, {"cpu.cores", "2"}}};
  const std::string what = message([&] { twins.find("demo", Device::cpu, here); });
  EXPECT_SAYS(what, (folder() / "a" / "demo.json").string());
  EXPECT_SAYS(what, (folder() / "b" / "demo.json").string());
  write(folder() / "b" / "demo.json", document(launch("life/cpu/01_a", 0)));
  EXPECT_SAYS(message([&] { Store store(folder()); }), "life/cpu/01_a");
}

/// Results of a gate run over these rows, all of one verdict.
Measurements results(const std::string& text, const std::string& verdict, const fs::path& file) {
  write(file, text);
  Measurements measured = read_measurements(file);
  for (const auto& [name, row] : measured.rows)
    measured.context["ratchet"]["rows"][name] = {{"verdict", verdict}};
  return measured;
}

AcceptRequest request(std::vector<std::string> rows = {}) {
  return {std::move(rows), "because", "", "2026-01-01T00:00:00Z"};
}

TEST_F(Baseline, AcceptRefusesUnfitRows) {
  const fs::path scratch = folder() / "r" / "results.json";
  const Store store(folder() / "baselines");
  for (const char* verdict : {"failed", "unverified", "undecided", "missing", "nonsense"}) {
    const Measurements measured = results(document(launch("demo/cpu/01_a", 0)), verdict, scratch);
    const std::string what = message([&] { plan_accept(measured, request(), store); });
    EXPECT_SAYS(what, "demo/cpu/01_a (" + std::string(verdict) + ")");
  }
  for (const char* verdict : {"same", "faster", "slower", "new", "changed", "uncompared"}) {
    const Measurements measured = results(document(launch("demo/cpu/01_a", 0)), verdict, scratch);
    EXPECT_EQ(plan_accept(measured, request(), store).size(), 1u) << verdict;
  }
}

TEST_F(Baseline, AcceptSplitsRowsByDevice) {
  Measurements measured =
      results(document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cuda/01_b", 0)),
              "uncompared", folder() / "r" / "results.json");
  measured.context["gpu.model"] = "Big GPU";
  const auto changes = plan_accept(measured, request(), Store(folder() / "baselines"));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].path, folder() / "baselines" / "big-gpu" / "demo.json");
  EXPECT_EQ(changes[1].path, folder() / "baselines" / "box-2c" / "demo.json");
  EXPECT_EQ(changes[0].after.rows.count("demo/cpu/01_a"), 0u);
}

TEST_F(Baseline, AcceptKeepsTolerancesAndOtherRows) {
  write(folder() / "baselines" / "box-2c" / "demo.json",
        document(launch("demo/cpu/01_a", 0, ",\"tolerance\":0.1") + "," +
                 launch("demo/cpu/02_b", 0)));
  const Measurements measured =
      results(document(launch("demo/cpu/01_a", 0)), "slower", folder() / "r" / "results.json");
  const auto changes = plan_accept(measured, request(), Store(folder() / "baselines"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].after.rows.at("demo/cpu/01_a").tolerance, 0.1);
  EXPECT_EQ(changes[0].after.rows.count("demo/cpu/02_b"), 1u);
  EXPECT_EQ(changes[0].rows.size(), 1u);
}

TEST_F(Baseline, AcceptRemovesAMissingRowOnlyWhenNamed) {
  write(folder() / "baselines" / "box-2c" / "demo.json",
        document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cpu/02_b", 0)));
  Measurements measured =
      results(document(launch("demo/cpu/01_a", 0)), "same", folder() / "r" / "results.json");
  measured.context["ratchet"]["rows"]["demo/cpu/02_b"] = {{"verdict", "missing"}};
  const Store store(folder() / "baselines");
  EXPECT_SAYS(message([&] { plan_accept(measured, request(), store); }), "demo/cpu/02_b (missing)");
  const auto changes = plan_accept(measured, request({"demo/cpu/02_b"}), store);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].after.rows.count("demo/cpu/02_b"), 0u);
  EXPECT_SAYS(describe(changes), "removed");
}

TEST_F(Baseline, AcceptNeverMixesFingerprintsInOneFile) {
  // The same machine with another compiler: all rows move, or none.
  write(folder() / "baselines" / "box-2c" / "demo.json",
        swapped(document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cpu/02_b", 0)),
                "\"cpu.cores\"", "\"build.compiler\":\"old\",\"cpu.cores\""));
  const Store store(folder() / "baselines");
  const Measurements one =
      results(document(launch("demo/cpu/01_a", 0)), "uncompared", folder() / "r" / "results.json");
  const std::string what = message([&] { plan_accept(one, request(), store); });
  EXPECT_SAYS(what, "build.compiler: old there, absent here");
  EXPECT_SAYS(what, "demo/cpu/02_b");
  AcceptRequest elsewhere = request();
  elsewhere.machine = "box-new";
  EXPECT_EQ(plan_accept(one, elsewhere, store)[0].path,
            folder() / "baselines" / "box-new" / "demo.json");
  const Measurements all =
      results(document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cpu/02_b", 0)), "uncompared",
              folder() / "r" / "results.json");
  EXPECT_EQ(plan_accept(all, request(), store)[0].rows.size(), 2u);
}

TEST_F(Baseline, SelectionPrefersWholeNames) {
  const std::set<std::string> names = {"f/cpu/01_a", "f/cpu/01_a/threads:2", "f/cpu/01_ab"};
  EXPECT_EQ(select_rows(names, "f/cpu/01_a/threads:2").size(), 1u);
  EXPECT_EQ(select_rows(names, "f/cpu/01_a").size(), 2u);  // the stage, with its sweep
  EXPECT_EQ(select_rows(names, "01_a").size(), 3u);        // found anywhere
  EXPECT_TRUE(select_rows(names, "02").empty());
}

}  // namespace
}  // namespace ratchet
