// Bad files, full disks, read-only folders, two gates at once: each a clear line and exit 2, and
// nothing lost of what was stored.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <map>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

class BadInput : public GateFixture {
 protected:
  static void expect_error(const ProcessResult& result, const std::vector<std::string>& words) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_TRUE(result.errors.starts_with("ratchet: ")) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    for (const std::string& word : words) EXPECT_HAS(result.errors, word);
  }
  /// Every regular file under the test's results and baselines, with its bytes.
  /// Without the two files that say of the last run that it failed.
  std::map<std::string, std::string> kept() const {
    std::map<std::string, std::string> files;
    for (const char* part : {"results", "baselines"}) {
      for (const auto& entry : fs::recursive_directory_iterator(folder() / part)) {
        if (entry.is_regular_file() && entry.file_size() < 1 << 20)
          files[entry.path()] = read(entry.path());
      }
    }
    for (const char* told : {"junit.xml", "summary.md"}) files.erase(folder() / "results" / told);
    return files;
  }
  bool launched() const { return fs::exists(plan().string() + ".order"); }
  /// A baseline of two rows and the results of a run like it; no launch counted yet.
  void prepare(std::size_t rows = 2) {
    std::vector<std::string> lines;
    for (std::size_t i = 1; i <= rows; ++i)
      lines.push_back("demo/cpu/0" + std::to_string(i) + "_a ok 1e6 1000");
    store(lines);
    plan(lines);
  }
  /// Runs a shell script with the gate's command as "$@", and with what else it asks for before it.
  ProcessResult script(const std::string& text, std::vector<std::string> before = {}) {
    std::vector<std::string> command = std::move(before);
    for (const std::string& part : std::vector<std::string>{
             "sh", "-c", text, "sh", built_program("perf/ratchet"), "gate", "--bench", worker(),
             "--baseline-dir", baselines(), "--results", folder() / "results"})
      command.push_back(part);
    ProcessResult result = run_process(command, 60);
    result.output += result.errors;
    return result;
  }
  /// A command that runs another with mounts of its own, as root or in a user namespace; empty
  /// where neither is allowed.
  static std::vector<std::string> private_mounts() {
    for (const char* how : {"-m", "-Urm"}) {
      if (run_process({"sh", "-c", "command -v unshare"}, 10).ok() &&
          run_process({"unshare", how, "mount", "-t", "tmpfs", "none", "/mnt"}, 10).ok())
        return {"unshare", how};
    }
    return {};
  }
};

using Edit = std::function<std::string(std::string)>;

Edit swap(const std::string& from, const std::string& to) {
  return [=](std::string text) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << "\n" << text;
    return text.replace(at, from.size(), to);
  };
}

/// The first row's figure of that key, whatever it is, replaced.
Edit figure(const std::string& key, const std::string& to) {
  return [=](std::string text) {
    const std::size_t start = text.find("\"" + key + "\":") + key.size() + 3;
    return text.replace(start, text.find_first_of(",}", start) - start, to);
  };
}

Edit always(const std::string& text) {
  return [=](const std::string&) { return text; };
}

struct BadFile {
  const char* what;
  Edit edit;
  std::vector<std::string> words;
};

const std::vector<BadFile>& bad_files() {
  static const std::vector<BadFile> files = {
      {"malformed", swap("{", "{,"), {"not valid JSON"}},
      {"truncated",
       [](const std::string& text) { return text.substr(0, text.size() / 2); },
       {"not valid JSON"}},
      {"empty", always(""), {"is empty"}},
      {"nested deeply", always(std::string(2'000'000, '[')), {"deeper than 16"}},
      {"not UTF-8", swap("demo/cpu/01_a", "d\xe9mo/cpu/01_a"), {"not valid JSON", "UTF-8"}},
      {"UTF-8 mark",
       [](const std::string& text) { return "\xef\xbb\xbf" + text; },
       {"byte order mark"}},
      {"UTF-16", always(std::string("\xff\xfe{\0}\0", 6)), {"byte order mark"}},
      {"NaN", figure("real_time", "NaN"), {"not valid JSON"}},
      {"Infinity", figure("units", "Infinity"), {"not valid JSON"}},
      {"too large a number", figure("real_time", "1e400"), {"not valid JSON", "1e400"}},
      {"zero", figure("real_time", "0"), {"demo/cpu/01_a", "not positive"}},
      {"negative", figure("real_time", "-1.5"), {"demo/cpu/01_a", "not positive"}},
      {"another unit of time", figure("time_unit", "\"us\""), {"demo/cpu/01_a", "\"us\""}},
      {"another unit of work", figure("units_per_second", "1e9"), {"check the time unit"}},
      {"a launch twice", figure("repetition_index", "1"), {"demo/cpu/01_a", "launch 1", "twice"}},
      {"a key twice",
       swap("\"verified\":", "\"units\":1000,\"verified\":"),
       {"\"units\" appears twice"}},
      {"a key of two lines twice",
       swap("\"context\"", "\"a\\nb\":1,\"a\\nb\":2,\"context\""),
       {"appears twice"}},
      {"a name of two lines",
       swap("\"name\":\"demo/cpu/01_a\"", "\"name\":\"demo/cpu\\n/01_a\""),
       {"not printable text"}},
      {"a long name",
       swap("\"name\":\"demo/cpu/01_a\"", "\"name\":\"demo/" + std::string(5000, 'x') + "\""),
       {"longer than 1024 bytes"}},
      {"no family",
       swap("\"name\":\"demo/cpu/01_a\"", "\"name\":\"/cpu/01_a\""),
       {"without a family"}},
      {"another program's", swap("\"format\": 1", "\"format\": 2"), {"format is 2"}}};
  return files;
}

TEST_F(BadInput, BadBaselinesStopGateAndAcceptAndStayAsTheyAre) {
  prepare();
  const std::string good = read(stored());
  for (const BadFile& file : bad_files()) {
    SCOPED_TRACE(file.what);
    write(stored(), file.edit(good));
    const auto before = kept();
    std::vector<std::string> words = file.words;
    words.push_back(stored().string());
    expect_error(gate(), words);
    expect_error(accept(), words);
    EXPECT_EQ(kept(), before);
  }
  EXPECT_FALSE(launched());
  write(stored(), good);
  EXPECT_EQ(gate().exit_code, 0);  // and it was they that stopped it
}

TEST_F(BadInput, BadResultsAreNotAccepted) {
  prepare();
  const std::string good = read(results());
  for (const BadFile& file : bad_files()) {
    SCOPED_TRACE(file.what);
    write(results(), file.edit(good));
    const auto before = kept();
    std::vector<std::string> words = file.words;
    words.push_back(results().string());
    expect_error(accept(), words);
    EXPECT_EQ(kept(), before);
  }
}

TEST_F(BadInput, WhatIsNoFileIsNotWaitedFor) {
  prepare();
  fs::remove(stored());
  fs::create_directory(stored());
  expect_error(gate(), {stored().string(), "not a regular file"});
  fs::remove(stored());
  ASSERT_EQ(mkfifo(stored().c_str(), 0600), 0);
  expect_error(gate(), {stored().string(), "not a regular file"});
  fs::remove(stored());
  fs::create_symlink(stored().filename(), stored());
  expect_error(gate(), {stored().string(), "cannot be read"});
  fs::remove(stored());
  ASSERT_EQ(mkfifo((folder() / "fifo").c_str(), 0600), 0);
  expect_error(ratchet({"accept", "--yes", "--reason", "a test", "--from", folder() / "fifo",
                        "--baseline-dir", baselines()}),
               {"not a regular file"});
}

TEST_F(BadInput, HugeFilesAreRefusedUnread) {
  prepare();
  for (const fs::path& file : {stored(), results()}) {
    const std::string good = read(file);
    fs::resize_file(file, std::uintmax_t{1} << 30);  // sparse: takes no space
    expect_error(accept(), {file.string(), "larger than 512 MiB and was not read"});
    EXPECT_EQ(fs::file_size(file), std::uintmax_t{1} << 30);
    fs::resize_file(file, good.size());
    EXPECT_EQ(read(file), good);
  }
  rusage used{};  // of the largest child
  ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
  EXPECT_LT(used.ru_maxrss, 700 << 10);
}

TEST_F(BadInput, BaselineOfAnotherMachineIsNeverComparedSilently) {
  prepare();
  const std::string before = read(stored());
  setenv("RATCHET_FAKE_CPU", "Other Box", 1);
  const ProcessResult result = gate({"--strict"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_HAS(result.output, "NOTHING WAS COMPARED");
  EXPECT_EQ(gate().exit_code, 0);
  // One of its two rows may not be mixed in.
  expect_error(accept({"--machine", "fake-4c", "demo/cpu/01_a"}),
               {stored().string(), "measured on another machine", "cpu.model"});
  EXPECT_EQ(read(stored()), before);
}

TEST_F(BadInput, OutputOfAWorkerThatIsNoTextCostsItsRowOnly) {
  write(folder() / "garbage.sh",
        "#!/bin/sh\ncase \"$*\" in *benchmark_out=*01_a*|*01_a*benchmark_out=*)\n"
        "  printf 'bo\\377om \\033[31m\\n' >&2; exit 3;; esac\nexec " +
            worker() + " \"$@\"\n");
  fs::permissions(folder() / "garbage.sh", fs::perms::owner_all);
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
  const ProcessResult result =
      ratchet({"gate", "--launches", "2", "--bench", folder() / "garbage.sh", "--baseline-dir",
               baselines(), "--results", folder() / "results"});
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_HAS(read(results()), "demo/cpu/02_b") << result.output;
  EXPECT_HAS(read(results()), "bo\xef\xbf\xbdom");
  EXPECT_EQ(accept({"demo/cpu/02_b"}).exit_code, 0);
}

TEST_F(BadInput, ACheckoutThatCannotBeWrittenIsNoRegression) {
  const auto mounts = private_mounts();
  if (mounts.empty()) GTEST_SKIP() << "no mounts of its own: needs unshare, and leave to mount";
  for (const char* file : {"ci/gate", "ci/build", "ci/setup", "CMakeLists.txt"}) {
    fs::create_directories((folder() / "checkout" / file).parent_path());
    fs::copy_file(fs::path(RATCHET_SOURCE_DIR) / file, folder() / "checkout" / file);
  }
  std::vector<std::string> command = mounts;
  command.insert(command.end(), {"sh", "-c",
                                 "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" || "
                                 "exit 99\nRATCHET_BUILD= exec \"$1/ci/gate\"",
                                 "sh", folder() / "checkout"});
  const ProcessResult result = run_process(command, 60);
  if (result.exit_code == 99) GTEST_SKIP() << "a bind mount cannot be made read-only here";
  EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
  EXPECT_HAS(result.errors, "Read-only file system");
  EXPECT_HAS(result.errors, "nothing was compared");
}

TEST_F(BadInput, TwoGatesOnOneResultsFolder) {
  prepare();
  const auto before = kept();
  plan({"demo/cpu/01_a hang 1e6 1000"});
  const ProcessResult second = script(
      "\"$@\" >/dev/null 2>&1 & first=$!\n"
      "while [ ! -e \"$RATCHET_FAKE_PLAN.order\" ]; do sleep 0.02; done\n"
      "\"$@\"; code=$?\nexec 2>/dev/null\nkill -KILL $first; wait $first; exit $code");
  expect_error(second, {"another ratchet is measuring", (folder() / "results").string()});
  EXPECT_EQ(kept(), before);
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_a ok 1e6 1000"});
  EXPECT_EQ(gate().exit_code, 0);  // a gate that was killed holds nothing
}

TEST_F(BadInput, DiskThatFillsWhileMeasuringCostsNoVerdictAndNoOldResults) {
  prepare(8);
  const auto before = kept();
  // A limit on the size of files, between the first probe and gate.json, fails as a full disk does.
  const ProcessResult result = script("trap '' XFSZ; ulimit -f 10; exec \"$@\"");
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_TRUE(launched());
  EXPECT_HAS(result.output, "demo/cpu/08_a");
  EXPECT_HAS(result.output, results().string() + " cannot be written");
  EXPECT_EQ(kept(), before);  // and no temporary file is left
}

TEST_F(BadInput, ARegressionIsOneThoughItsResultsCannotBeKept) {
  prepare(8);
  std::vector<std::string> rows = {"demo/cpu/01_a ok 0.5e6 1000"};
  for (int i = 2; i <= 8; ++i) rows.push_back("demo/cpu/0" + std::to_string(i) + "_a ok 1e6 1000");
  plan(rows);
  const ProcessResult result = script("trap '' XFSZ; ulimit -f 10; exec \"$@\"");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_HAS(result.output, "the results could not be written: ");
  EXPECT_HAS(result.output, "REGRESSION (exit 1): 1 slower, 7 same");
}

/// Each by itself: what else was kept does not hide it.
TEST_F(BadInput, ARunThatCannotKeepOneOfItsFilesDoesNotPass) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  const std::map<std::string, std::string> lost = {
      {"gate.json", "the results could not be written: "}, {"report.html", "no report: "}};
  for (const auto& [name, words] : lost) {
    const fs::path file = results().parent_path() / name;
    fs::remove(file);
    fs::create_directories(file / "taken by a folder");
    const ProcessResult result = gate();
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_HAS(result.output, "\nFAILED (exit 2): ");
    EXPECT_LACKS(result.output, "PASS (exit ");
    EXPECT_HAS(result.output, words);
    fs::remove_all(file);
  }
}

/// As pipelines give it for a first push.
TEST_F(BadInput, ABaseOfNoCommitIsComparedWithNothing) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  const ProcessResult result = gate({"--base", std::string(40, '0')});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_HAS(result.output, "NOTHING WAS COMPARED");
}

TEST_F(BadInput, AWrongFolderIsNoFirstRun) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  fs::remove(baselines());
  expect_error(gate(), {"no folder", baselines().string(), "--baseline-dir"});
  fs::create_directories(baselines());
  EXPECT_EQ(gate().exit_code, 0);
  expect_error(gate({"--filter", "no_such_row"}), {"no row matches filter \"no_such_row\""});
}

TEST_F(BadInput, FullDiskIsKnownBeforeAnythingIsMeasured) {
  prepare();
  const auto mounts = private_mounts();
  if (mounts.empty()) GTEST_SKIP() << "no mounts of its own: needs unshare, and leave to mount";
  const ProcessResult result = script(
      "results=$8; old=$(cat \"$results/gate.json\")\n"
      "mount -t tmpfs -o size=64k none \"$results\" || exit 99\n"
      "echo \"$old\" >\"$results/gate.json\"\n"
      "cat /dev/zero >\"$results/fill\" 2>/dev/null\n"
      "\"$@\"; code=$?\n"
      "[ \"$(cat \"$results/gate.json\")\" = \"$old\" ] || exit 98\n"
      "[ \"$(ls -A \"$results\" | wc -l)\" = 2 ] || exit 97\nexit $code",
      mounts);
  expect_error(result, {(folder() / "results").string(), "No space left on device"});
  EXPECT_FALSE(launched());
}

/// A program that could not write is not said to have written nothing.
TEST_F(BadInput, AFullFolderForTemporaryFilesIsNamed) {
  prepare();
  const auto mounts = private_mounts();
  if (mounts.empty()) GTEST_SKIP() << "no mounts of its own: needs unshare, and leave to mount";
  fs::create_directories(folder() / "tmp");
  const ProcessResult result = script("export TMPDIR=" + (folder() / "tmp").string() +
                                          "\n"
                                          "mount -t tmpfs -o size=64k none \"$TMPDIR\" || exit 99\n"
                                          "cat /dev/zero >\"$TMPDIR/fill\" 2>/dev/null\n"
                                          "exec \"$@\"",
                                      mounts);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(result.output + result.errors, "No space left on device; make room, or name another");
  EXPECT_LACKS(result.output + result.errors, "wrote no output");
}

TEST_F(BadInput, ReadOnlyFoldersAreNamedAndKept) {
  prepare();
  const auto mounts = private_mounts();
  if (mounts.empty()) GTEST_SKIP() << "no mounts of its own: needs unshare, and leave to mount";
  setenv("RATCHET_FAKE_SEED", "2", 1);  // results that the baseline does not hold yet
  ASSERT_EQ(gate().exit_code, 0);
  fs::remove(plan().string() + ".order");
  const auto before = kept();
  const std::string read_only =
      "mount --bind \"$folder\" \"$folder\" && mount -o remount,bind,ro \"$folder\" || exit 99\n";
  const ProcessResult results_kept = script("folder=$8\n" + read_only + "exec \"$@\"", mounts);
  if (results_kept.exit_code == 99) GTEST_SKIP() << "a bind mount cannot be made read-only here";
  expect_error(results_kept, {(folder() / "results").string(), "Read-only file system"});
  EXPECT_FALSE(launched());
  const ProcessResult baselines_kept = script(
      "folder=$6\n" + read_only +
          "exec \"$1\" accept --yes --uncommitted --reason test --baseline-dir \"$6\" --from \"$8/gate.json\"",
      mounts);
  EXPECT_EQ(baselines_kept.exit_code, 2) << baselines_kept.output;
  EXPECT_HAS(baselines_kept.errors, stored().string());
  EXPECT_HAS(baselines_kept.errors, "Read-only file system");
  EXPECT_EQ(kept(), before);
}

}  // namespace
}  // namespace ratchet
