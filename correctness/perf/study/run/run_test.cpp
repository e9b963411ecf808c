// `ratchet run`: the record file through every way to end, and the loop over slices.
#include "perf/study/run/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <sstream>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/support/files.h"

namespace ratchet::run {
namespace {

namespace fs = std::filesystem;

Parameters parameters_at(std::uint64_t step) {
  return Parameters("demo/count", {{"step", step, 1, 100, ""}, {"seed", 7, 0, 9, ""}});
}

class RecordFiles : public testing::Test {
 protected:
  fs::path file() const { return scratch_.path() / "demo.records"; }
  std::string text() const { return read_text(file()); }
  /// Three pieces of 0, 1 and 2 records.
  void write_three() const {
    RecordFile records(file(), "demo/count", parameters_at(1));
    records.keep({}, 10, 0.5, "next=1");
    records.keep({{15, 0.7, "first find"}}, 20, 1, "next=2");
    records.keep({{25, 1.2, "second find"}, {25, 1.2, "third: of 3"}}, 30, 1.5, "next=3 a b");
  }

 private:
  ScratchFolder scratch_;
};

TEST_F(RecordFiles, HoldWhatWasKept) {
  write_three();
  const Kept kept = read_records(file());
  EXPECT_EQ(kept.program, "demo/count");
  EXPECT_EQ(kept.parameters, (ParameterPoint{{"step", 1}, {"seed", 7}}));
  ASSERT_EQ(kept.found.size(), 3u);
  EXPECT_EQ(kept.found[2].record, "third: of 3");
  EXPECT_EQ(kept.found[2].units, 25u);
  EXPECT_EQ(kept.units, 30u);
  EXPECT_DOUBLE_EQ(kept.seconds, 1.5);
  EXPECT_EQ(kept.state, "next=3 a b");
  EXPECT_EQ(RecordFile(file(), "demo/count", parameters_at(1)).kept().state, "next=3 a b");
}

/// A process that is killed leaves a prefix of what it wrote.
TEST_F(RecordFiles, GoOnFromEveryPrefix) {
  write_three();
  const std::string whole = text();
  std::vector<std::size_t> ends = {whole.find('\n') + 1};  // of the pieces
  for (std::size_t at = 0; (at = whole.find(" at ", at)) != whole.npos; ++at)
    ends.push_back(whole.find('\n', at) + 1);
  ASSERT_EQ(ends.size(), 4u);
  const std::vector<std::string> states = {"", "next=1", "next=2", "next=3 a b"};
  const std::vector<std::size_t> found = {0, 0, 1, 3};
  for (std::size_t length = ends[0]; length <= whole.size(); ++length) {
    write_atomically(file(), whole.substr(0, length));
    std::size_t pieces = 0;
    while (pieces + 1 < ends.size() && ends[pieces + 1] <= length) ++pieces;
    {
      RecordFile records(file(), "demo/count", parameters_at(1));
      ASSERT_EQ(records.kept().state, states[pieces]) << length;
      ASSERT_EQ(records.kept().found.size(), found[pieces]) << length;
      records.keep({{99, 2, "later"}}, 100, 3, "next=9");
    }
    const Kept kept = read_records(file());
    ASSERT_EQ(kept.state, "next=9") << length;
    ASSERT_EQ(kept.found.size(), found[pieces] + 1) << length;
    ASSERT_EQ(text().substr(0, ends[pieces]), whole.substr(0, ends[pieces])) << length;
  }
}

TEST_F(RecordFiles, DamageIsNamedAndNothingIsOverwritten) {
  write_three();
  const std::string whole = text();
  for (std::size_t at = 0; at + 1 < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_atomically(file(), damaged);
    const std::string error = error_of([&] { RecordFile(file(), "demo/count", parameters_at(1)); });
    ASSERT_NE(error.find(file().string() + ": line "), error.npos) << at << ": " << error;
    ASSERT_EQ(text(), damaged);
  }
  // A line lost, and two exchanged.
  const std::size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  write_atomically(file(), whole.substr(0, first) + whole.substr(second));
  EXPECT_HAS(error_of([&] { read_records(file()); }), "line 2");
}

TEST_F(RecordFiles, OtherFilesAreRefused) {
  for (const char* text : {"", "not a record file", "not a record file\n", "{}\n"}) {
    write_atomically(file(), text);
    EXPECT_NE(error_of([&] {
                RecordFile(file(), "demo/count", parameters_at(1));
              }).find("not a record file of `ratchet run`"),
              std::string::npos)
        << text;
    EXPECT_EQ(read_text(file()), text);
  }
  fs::remove(file());
  EXPECT_HAS(error_of([&] { read_records(file()); }), "does not exist");
  write_three();
  EXPECT_HAS(error_of([&] { RecordFile(file(), "demo/other", parameters_at(1)); }),
             "holds the records of demo/count, not of demo/other");
  EXPECT_HAS(error_of([&] { RecordFile(file(), "demo/count", parameters_at(2)); }),
             "was begun with step=1");
  const RecordFile open(file(), "demo/count", parameters_at(1));
  EXPECT_HAS(error_of([&] { RecordFile(file(), "demo/count", parameters_at(1)); }), "in use");
}

/// Each time one gets the new file, and what it keeps is there.
TEST_F(RecordFiles, OfTwoStartedAtOnceOneRuns) {
  for (int round = 0; round < 200; ++round) {
    fs::remove(file());
    std::atomic<int> ready = 0;
    const auto start = [&] {
      ++ready;
      while (ready < 2) {
      }
      std::unique_ptr<RecordFile> records;
      const std::string error = error_of(
          [&] { records = std::make_unique<RecordFile>(file(), "demo/count", parameters_at(1)); });
      if (records) records->keep({}, 10, 0.5, "next=1");
      return std::pair(std::move(records), error);
    };
    auto other = std::async(std::launch::async, start);
    const auto [first, first_error] = start();
    const auto [second, second_error] = other.get();
    ASSERT_NE(first == nullptr, second == nullptr) << round;
    ASSERT_NE((first ? second_error : first_error).find("in use"), std::string::npos);
    ASSERT_EQ(read_records(file()).state, "next=1");
  }
}

/// Counts by steps; every seventh slice finds something; fails in slice `fails`.
class Counter final : public Work {
 public:
  Counter(std::uint64_t step, const std::string& state, std::uint64_t fails)
      : step_(step), fails_(fails) {
    if (!state.empty()) slices_ = std::stoull(state);
  }
  Slice advance() override {
    if (slices_ == fails_) throw Error("slice " + std::to_string(slices_) + " failed");
    Slice slice;
    slice.units = step_;
    if (slices_ % 7 == 3) slice.records = {"slice " + std::to_string(slices_)};
    slice.finished = ++slices_ == 50;
    return slice;
  }
  std::string state() override { return std::to_string(slices_); }

 private:
  std::uint64_t step_, fails_, slices_ = 0;
};

class CountProgram final : public Program {
 public:
  explicit CountProgram(double keep_every_s, std::uint64_t fails = ~0ull)
      : Program({.name = "demo/count",
                 .summary = "Counts",
                 .unit = "steps",
                 .parameters = {{"step", 1, 1, 100, ""}, {"seed", 7, 0, 9, ""}},
                 .keep_every_s = keep_every_s}),
        fails_(fails) {}
  std::unique_ptr<Work> open(const Parameters& parameters, const std::string& state,
                             const fs::path&) const override {
    return std::make_unique<Counter>(parameters.at("step"), state, fails_);
  }

 private:
  std::uint64_t fails_;
};

std::vector<std::string> finds(const fs::path& file) {
  std::vector<std::string> records;
  for (const Found& each : read_records(file).found) records.push_back(each.record);
  return records;
}
const std::vector<std::string> all_finds = {"slice 3",  "slice 10", "slice 17", "slice 24",
                                            "slice 31", "slice 38", "slice 45"};

TEST_F(RecordFiles, AProgramRunsToItsEnd) {
  const CountProgram program(1e9);  // kept at the end alone
  std::ostringstream out;
  EXPECT_EQ(run_program({&program, parameters_at(3), file(), 0}, out), ExitCode::pass);
  EXPECT_EQ(finds(file()), all_finds);
  EXPECT_EQ(read_records(file()).units, 150u);
  EXPECT_HAS(out.str(), "slice 45\n");
  EXPECT_HAS(out.str(), "done after");
}

/// Whatever a failure loses is done again, and nothing twice, however often state is kept.
TEST_F(RecordFiles, AFailedRunGoesOnWhereItWasKept) {
  for (const double keep_every_s : {0.0, 1e9}) {
    fs::remove(file());
    for (const std::uint64_t fails : {0, 3, 4, 11, 12, 40}) {
      const CountProgram program(keep_every_s, fails);
      std::ostringstream out;
      EXPECT_EQ(error_of([&] {
                  run_program({&program, parameters_at(3), file(), 0}, out);
                }),
                "slice " + std::to_string(fails) + " failed");
      const std::string state = read_records(file()).state;
      EXPECT_EQ(state, keep_every_s > 0 || fails == 0 ? "" : std::to_string(fails));
    }
    const CountProgram program(keep_every_s);
    std::ostringstream out;
    run_program({&program, parameters_at(3), file(), 0}, out);
    EXPECT_EQ(finds(file()), all_finds);
    EXPECT_EQ(read_records(file()).units, 150u);
  }
}

TEST(LastSecond, IsTheRateOfTheLastSecondOrMore) {
  LastSecond recent(10, 100);
  EXPECT_DOUBLE_EQ(recent.add(10.5, 200), 200);   // all there is
  EXPECT_DOUBLE_EQ(recent.add(11, 400), 300);     // since 10
  EXPECT_DOUBLE_EQ(recent.add(11.25, 650), 440);  // still since 10: since 10.5 is less than one
  EXPECT_DOUBLE_EQ(recent.add(12, 1000), 600);    // since 11
  EXPECT_DOUBLE_EQ(recent.add(20, 9000), 1000);   // a slice of eight seconds
}

/// Says what it was asked.
class Echo final : public ShortProgram {
 public:
  explicit Echo(const std::string& words)
      : ShortProgram({.name = "demo/echo",
                      .summary = "Echoes",
                      .parameters = {{"step", 1, 1, 100, ""}},
                      .words = words,
                      .texts = {{"to", ""}}}) {}
  void answer(const Request& request) const override {
    request.out << request.parameters.at("step") << "," << request.texts.at("to");
    for (const std::string& word : request.words) request.out << "," << word;
  }
};

TEST(ShortPrograms, TakeWordsTextsAndNumbers) {
  const auto said = [](const char* words, const std::vector<std::string>& given) {
    std::ostringstream out;
    const std::string error = error_of([&] { run_short_program(Echo(words), given, out); });
    return out.str() + error;
  };
  EXPECT_EQ(said("N...", {"3", "step=2^3", "-4", "to=a=b"}), "8,a=b,3,-4no error");
  EXPECT_EQ(said("", {}), "1,no error");
  EXPECT_EQ(said("N...", {"step=2"}), "demo/echo takes N..., and none is given");
  EXPECT_EQ(said("FILE", {"a", "b"}), "demo/echo takes one FILE, and 2 are given");
  EXPECT_EQ(said("", {"a"}), "'a' is not a parameter of demo/echo; write name=value");
  EXPECT_EQ(said("", {"to="}), "demo/echo: to= has no value; give one, or leave it out");
  EXPECT_EQ(said("", {"to=1", "to=2"}), "to is given twice; demo/echo takes one value of it");
  EXPECT_HAS(said("", {"two=1"}), "two");
  EXPECT_HAS(said("", {"step=0"}), "step");
}

TEST_F(RecordFiles, TheLogShowsWhatWasFoundWhen) {
  write_three();
  {
    RecordFile records(file(), "demo/count", parameters_at(1));
    records.head("by four\nof 3 bytes\n");
    records.keep({{90, 2.9, "late"}, {90, 2.9, "as late"}}, 100, 3, "next=4");
    records.keep({{110, 3.5, "last"}}, 120, 4, "next=5");
  }
  {
    RecordFile records(file(), "demo/count", parameters_at(1));
    records.head("by five\n");
    records.keep({}, 130, 5, "next=6");
  }
  std::ostringstream out;
  log(read_records(file()), "steps", out);
  EXPECT_TRUE(out.str().starts_with(
      "demo/count step=1 seed=7\n"
      "0.700 seconds, 15 steps (21.4286 per second since start) (21.4286 in last second)\n"
      "first find\n"
      "1.200 seconds, 25 steps (20.8333 per second since start) (20.8333 in last second)\n"
      "second find\nthird: of 3\n"
      "by four\nof 3 bytes\n"
      "2.900 seconds, 90 steps (31.0345 per second since start) (42.8571 in last second)\n"
      "late\nas late\n"
      "3.500 seconds, 110 steps (31.4286 per second since start) (40 in last second)\n"
      "last\n"
      "by five\n"
      "5.000 seconds, 130 steps (26 per second since start), kept "))
      << out.str();
}

/// A killed process leaves its heading without what it did: the next one writes its own.
TEST_F(RecordFiles, AHeadingCountsWithWhatFollows) {
  { RecordFile(file(), "demo/count", parameters_at(1)).head("never kept\n"); }
  RecordFile records(file(), "demo/count", parameters_at(1));
  records.head("first\n");
  records.keep({}, 10, 0.5, "next=1");
  records.head("cut off\n");
  const std::string before = text();
  records.keep({}, 20, 1, "next=2");
  const std::size_t heading = text().find('\n', before.size()) + 1;
  write_atomically(file(), text().substr(0, heading));
  EXPECT_EQ(read_records(file()).heading, "first\n");
  RecordFile(file(), "demo/count", parameters_at(1));
  EXPECT_EQ(text(), before);
}

}  // namespace
}  // namespace ratchet::run
