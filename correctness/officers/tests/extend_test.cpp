// `ratchet run officers extend`: goes on where it was, whatever ended it, with the same values.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "correctness/officers/checks/planted.h"
#include "correctness/support/error_of.h"
#include "kernels/officers/values/checkpoint.h"
#include "kernels/officers/values/compressed.h"
#include "perf/study/run/run.h"

namespace ratchet::officers {
namespace {

namespace fs = std::filesystem;

const Program& extend() { return *find_program("officers", "extend"); }

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A folder for the files of a run, which begins at `from`.
class Files {
 public:
  explicit Files(const State& from) : folder_(fs::path(testing::TempDir()) / name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    save_checkpoint(from, records().string() + ".from");
  }
  ~Files() { fs::remove_all(folder_); }
  fs::path records() const { return folder_ / "records"; }
  fs::path values() const { return records().string() + ".values"; }
  /// The state that the record file names.
  State kept() const {
    const std::string line = run::read_records(records()).state;
    return load_checkpoint(records().string() + (line.find(" in .a ") != line.npos ? ".a" : ".b"));
  }

 private:
  static std::string name() {
    static int count = 0;
    return "officers_extend_" + std::to_string(getpid()) + "_" + std::to_string(++count);
  }
  fs::path folder_;
};

Parameters parameters(std::uint64_t end, std::uint64_t slice) {
  return extend().defaults().set({{"end", end}, {"slice", slice}, {"device", 0}, {"values", 1}});
}

std::string run_to_the_end(const Files& files, const Parameters& parameters) {
  std::ostringstream out;
  EXPECT_EQ(ExitCode::pass, run::run_program({&extend(), parameters, files.records()}, out));
  return out.str();
}

/// What a child process did, seen by its parent.
struct Seen {
  std::uint64_t last = 0, before_last = 0;  ///< n of the last two states
};

/// The program, with its state kept every few milliseconds, and told to `seen`.
class Watched final : public Program {
 public:
  explicit Watched(Seen* seen) : Program(info()), seen_(seen) {}
  std::unique_ptr<ratchet::Work> open(const Parameters& parameters, const std::string& state,
                                      const fs::path& files) const override {
    return std::make_unique<Watching>(extend().open(parameters, state, files), seen_);
  }

 private:
  class Watching final : public ratchet::Work {
   public:
    Watching(std::unique_ptr<ratchet::Work> work, Seen* seen)
        : work_(std::move(work)), seen_(seen) {}
    Slice advance() override { return work_->advance(); }
    std::string state() override {
      const std::string line = work_->state();
      seen_->before_last = seen_->last;
      seen_->last = std::stoull(line.substr(std::string("values before ").size()));
      return line;
    }

   private:
    std::unique_ptr<ratchet::Work> work_;
    Seen* seen_;
  };
  static ProgramInfo info() {
    ProgramInfo info = extend().info();
    info.keep_every_s = 0.001;
    return info;
  }
  Seen* seen_;
};

pid_t start(const Program& program, const Parameters& parameters, const Files& files) {
  const pid_t child = fork();
  if (child != 0) return child;
  std::ostringstream out;
  if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(3);
  try {
    run::run_program({&program, parameters, files.records()}, out);
  } catch (const std::exception&) {
    _exit(2);
  }
  _exit(0);
}

constexpr std::uint64_t kStart = 66000, kEnd = 131072;

void expect_stored(const Files& files) {
  const State expected = oracle_state(kEnd, 65536);
  EXPECT_EQ(checkpoint_bytes(expected), checkpoint_bytes(files.kept()));
  const std::string values = bytes_of(files.values());
  ASSERT_EQ(kEnd - kStart, values.size());
  for (std::uint64_t n = kStart; n < kEnd; ++n)
    ASSERT_EQ(compress(oracle_values()[n]), static_cast<std::uint8_t>(values[n - kStart])) << n;
}

TEST(OfficersExtend, GoesOnToTheEndAndNoFurther) {
  const Files files(oracle_state(kStart, 65536));
  const std::string out = run_to_the_end(files, parameters(kEnd, 10000));
  EXPECT_NE(std::string::npos, out.find("n = 2^17: sum 14665322")) << out;
  expect_stored(files);
  run_to_the_end(files, parameters(kEnd, 10000));
  expect_stored(files);
}

/// As `ratchet run officers extend` begins, a power of two after the other, and past the last rare
/// position.
TEST(OfficersExtend, BeginsAtNothing) {
  const Files files(initial_state(0));
  run_to_the_end(files, parameters(70'000, 0));
  const State kept = files.kept();
  ASSERT_EQ(70'000u, kept.next);
  EXPECT_EQ(oracle_state(70'000).digest, kept.digest);
  const std::string bytes = bytes_of(files.values());
  ASSERT_EQ(70'000u, bytes.size());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    ASSERT_EQ(compress(oracle_values()[n]), static_cast<std::uint8_t>(bytes[n])) << n;
}

TEST(OfficersExtend, KilledAtAHundredMomentsLosesNoMoreThanAnInterval) {
  const Files files(oracle_state(kStart, 65536));
  auto* const seen = static_cast<Seen*>(
      mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(MAP_FAILED, static_cast<void*>(seen));
  const Watched program(seen);
  std::mt19937 random(4);
  std::uint64_t known = 0;
  for (int kill_number = 0; kill_number < 100; ++kill_number) {
    *seen = {known, known};
    const pid_t child = start(program, parameters(kEnd, 256), files);
    usleep(1000 + random() % 25000);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "ended with an error";
    const std::string line =
        fs::exists(files.records()) ? run::read_records(files.records()).state : "";
    const std::uint64_t kept = line.empty() ? 0 : files.kept().next;
    EXPECT_TRUE(kept == seen->last || kept == seen->before_last)
        << kept << " kept, of " << seen->last << " and " << seen->before_last;
    ASSERT_GE(kept, known);
    known = kept;
  }
  EXPECT_GT(known, kStart + 1000) << "the kills came too early to show anything";
  run_to_the_end(files, parameters(kEnd, 256));
  expect_stored(files);
  munmap(seen, sizeof(Seen));
}

TEST(OfficersExtend, StopsWhenToldAndKeepsAll) {
  const Files files(oracle_state(kStart, 65536));
  const pid_t child = start(extend(), parameters(kEnd, 64), files);
  usleep(60000);
  kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(0, WEXITSTATUS(status));
  const run::Kept kept = run::read_records(files.records());
  EXPECT_EQ(kept.units, files.kept().next - kStart);
  run_to_the_end(files, parameters(kEnd, 64));
  expect_stored(files);
}

TEST(OfficersExtend, ShowsANewRareValue) {
  const Files files(planted_state(120000, 1));
  const std::string out = run_to_the_end(files, parameters(120010, 5));
  EXPECT_NE(std::string::npos, out.find("G(120000) = 1 New rare!")) << out;
  EXPECT_EQ(120000u, files.kept().rares.back().position);
}

TEST(OfficersExtend, RefusesFilesThatAreNotItsOwn) {
  const Files files(oracle_state(kStart, 65536));
  run_to_the_end(files, parameters(70000, 1000));
  const auto again = [&] {
    std::ostringstream out;
    run::run_program({&extend(), parameters(70000, 1000), files.records()}, out);
  };
  // Another byte among its values, and a new record file beside them.
  const std::string values = bytes_of(files.values());
  const auto values_with = [&](std::string bytes, std::size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(files.values(), std::ios::binary) << bytes;
    return bytes;
  };
  values_with(values, 100);
  EXPECT_NE(std::string::npos, error_of(again).find("its values are not those"));
  const std::string others = values_with(values, values.size() - 1);
  const std::string text = bytes_of(files.records());
  fs::remove(files.records());
  EXPECT_NE(std::string::npos, error_of(again).find("holds other values, of another run"));
  EXPECT_EQ(others, bytes_of(files.values()));
  std::ofstream(files.values(), std::ios::binary) << values;
  std::ofstream(files.records(), std::ios::binary) << text;
  EXPECT_EQ("no error", error_of(again));
  fs::resize_file(files.values(), 10);
  EXPECT_NE(std::string::npos, error_of(again).find("10 values"));
  const fs::path kept =
      files.records().string() +
      (run::read_records(files.records()).state.find(" in .a ") != std::string::npos ? ".a" : ".b");
  save_checkpoint(oracle_state(69999, 65536), kept);
  EXPECT_NE(std::string::npos, error_of(again).find("another run's"));
  fs::resize_file(kept, 1000);
  EXPECT_NE(std::string::npos, error_of(again).find("torn"));
  EXPECT_NE(std::string::npos, error_of([&] {
                                 extend().open(parameters(0, 0), "values before x",
                                               files.records());
                               }).find("not a state of this program"));
}

TEST(OfficersExtend, AValueOf512IsAnErrorAndWhatIsKnownStays) {
  const State from = too_large_state();
  const Files files(from);
  std::ostringstream out;
  const std::string error = error_of([&] {
    run::run_program({&extend(), parameters(120010, 5), files.records()}, out);
  });
  EXPECT_NE(std::string::npos, error.find("512 or more")) << error;
  EXPECT_NE(std::string::npos, error.find("120000")) << error;
  EXPECT_EQ(checkpoint_bytes(from), bytes_of(files.records().string() + ".from"));
}

}  // namespace
}  // namespace ratchet::officers
