// What is slower as built is measured in other layouts. The program's time is a matter of where its
// function lies, not of a clock.
#include "perf/gate/base/other_layouts.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "correctness/perf/gate/programs/timeless_program.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/gate/side_by_side.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

class OtherLayoutsTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv("RATCHET_FAKE_SLOW_AT"); }

  static void must(const std::string& command) {
    const ProcessResult result = run_process({"sh", "-c", command}, 60);
    ASSERT_TRUE(result.ok()) << command << ": " << result.describe() << result.errors;
  }
  /// Builds as CMake's Makefiles do, and tells how it was linked.
  fs::path built(const std::string& name, int skip, int time_us, const std::string& linker = "") {
    const fs::path build = folder_.path() / name;
    fs::create_directories(build / "CMakeFiles/bench.dir");
    std::ofstream(build / "CMakeCache.txt") << "# stands for a configured build\n";
    std::ofstream(build / "bench.cpp") << timeless_program;
    const std::string link = "c++ " + linker + " bench.cpp.o -o bench";
    std::ofstream(build / "CMakeFiles/bench.dir/link.txt") << link << "\n";
    must(
        fmt::format("cd {} && c++ -O1 -ffunction-sections -DSKIP={} -DTIME_US={} -c bench.cpp -o "
                    "bench.cpp.o && {}",
                    build.string(), skip, time_us, link));
    return build / "bench";
  }
  LaunchOutcome launched(const BenchProgram& program) {
    const fs::path output = folder_.path() / "launch.json";
    return program.measure("work",
                           {.budget_s = 0, .verified_file = {}, .scratch = output, .cpu = {}});
  }
  int place(const fs::path& program) {
    return static_cast<int>(
        *launched(ThirdPartyProgram({.program = program})).launch->counter("at"));
  }
  /// What the gate says of the only row; its lines of progress are in `said`.
  RowReport compared(const fs::path& before, const fs::path& now, double budget_s = 60) {
    said.clear();
    RunOptions run;
    run.budget_s = budget_s;
    run.seed = 1;
    const SideBySide measured = measure_side_by_side(
        ThirdPartyProgram({.program = before}), ThirdPartyProgram({.program = now}), run, {}, false,
        [&](const std::string& line) { said += line + "\n"; });
    EXPECT_EQ(measured.rows.size(), 1u);
    return judged(measured.rows).at(0);
  }
  static std::string remarks(const RowReport& report) {
    std::string text;
    for (const std::string& line : texts(report.remarks)) text += line + "\n";
    return text;
  }

  ScratchFolder folder_;
  std::string said;
};

TEST_F(OtherLayoutsTest, S53CodeThatOnlyMovedIsNotSlower) {
  const fs::path before = built("before", 16, 100), now = built("now", 1056, 100);
  setenv("RATCHET_FAKE_SLOW_AT", std::to_string(place(now)).c_str(), 1);
  ASSERT_NE(place(before), place(now));
  const RowReport report = compared(before, now);
  EXPECT_EQ(report.verdict, Verdict::same) << said;
  EXPECT_HAS(remarks(report), "layout: 9.1 % slower as built, same in 5 layouts of each program");
  EXPECT_HAS(said, "work is slower or faster as built; both programs are linked again");
  EXPECT_NEAR(report.decision->ratio, 1, 1e-9);
  EXPECT_EQ(compared(now, before).verdict, Verdict::same) << "nor is it faster where it lay badly";
}

TEST_F(OtherLayoutsTest, S53CodeThatIsSlowerInEveryLayoutIsSlower) {
  const fs::path before = built("before", 16, 100), now = built("now", 1056, 105);
  setenv("RATCHET_FAKE_SLOW_AT", std::to_string(place(now)).c_str(), 1);
  const RowReport report = compared(before, now);
  EXPECT_EQ(report.verdict, Verdict::slower) << said;
  EXPECT_HAS(remarks(report), "confirmed in 9 layouts of each program");
  EXPECT_HAS(remarks(report), "13.4 % slower as built");
  EXPECT_NEAR(report.decision->ratio, 100 / 105., 1e-3) << "what the code costs, wherever it lies";
}

TEST_F(OtherLayoutsTest, S53WhereTheLinkIsNotRepeatedTheBuildDecidesAndALineSaysWhy) {
  const fs::path before = built("before", 16, 100), now = built("now", 1056, 105);
  const auto decided_as_built = [&](const std::string& why) {
    const RowReport report = compared(before, now);
    EXPECT_EQ(report.verdict, Verdict::slower);
    EXPECT_EQ(remarks(report).find("layout"), std::string::npos);
    const std::string line = "work is judged as built alone, where code and data lie: " + why;
    EXPECT_HAS(said, line);
    EXPECT_EQ(said.find(line), said.rfind(line)) << "once";
  };
  must("cd " + now.parent_path().string() +
       " && c++ -DSKIP=0 -DTIME_US=9 -c bench.cpp -o bench.cpp.o");
  decided_as_built("its link command gives another program when repeated");
  fs::remove(now.parent_path() / "bench.cpp.o");
  decided_as_built("its link command fails when repeated: ");
  const fs::path link = now.parent_path() / "CMakeFiles/bench.dir/link.txt";
  must("cd " + now.parent_path().string() +
       " && c++ -O1 -ffunction-sections -DSKIP=1056 -DTIME_US=105 -c bench.cpp -o bench.cpp.o");
  std::ofstream(now.parent_path() / "drop.sh")  // as a linker script does that names its objects
      << "for word; do shift; case $word in *padding*) ;; *) set -- \"$@\" \"$word\" ;; esac; "
         "done\n"
         "exec c++ \"$@\"\n";
  std::ofstream(link) << "sh drop.sh bench.cpp.o -o bench\n";
  decided_as_built("its linker drops the padding that would move its code");
  fs::remove(link);
  decided_as_built("its build does not tell how it is linked");
}

TEST_F(OtherLayoutsTest, ALinkThatTheBudgetDoesNotHoldIsNotRepeatedForEveryPair) {
  const fs::path before = built("before", 16, 100), now = built("now", 1056, 105);
  for (const fs::path& program : {before, now}) {
    const fs::path link = program.parent_path() / "CMakeFiles/bench.dir/link.txt";
    std::ifstream file(link);
    std::string line;
    std::getline(file, line);
    line.replace(0, 3, "sh slow.sh");
    std::ofstream(link) << line << "\n";
    std::ofstream(program.parent_path() / "slow.sh") << "sleep 0.4\nexec c++ \"$@\"\n";
  }
  EXPECT_EQ(compared(before, now, 5).verdict, Verdict::slower);
  EXPECT_HAS(said, ", and the budget is 5 s");
}

TEST_F(OtherLayoutsTest, EachLaunchHasALayoutOfItsOwn) {
  std::vector<std::string> linkers = {"", "-Wl,--gc-sections"};
  for (const char* other : {"lld", "gold"})
    if (run_process({"sh", "-c", fmt::format("command -v ld.{}", other)}, 9).ok())
      linkers.push_back(fmt::format("-fuse-ld={}", other));
  for (const std::string& linker : linkers) {
    const ThirdPartyProgram program({.program = built("build" + linker, 16, 100, linker)});
    const OtherLayouts layouts(program, {RowId("work")}, 7), others(program, {RowId("work")}, 8);
    std::set<double> places, paths;
    std::vector<double> first, second;
    for (int i = 0; i < 12; ++i) {
      const LaunchOutcome outcome = launched(layouts);
      ASSERT_TRUE(outcome.launch) << outcome.failure;
      first.push_back(*outcome.launch->counter("at"));
      second.push_back(*launched(others).launch->counter("at"));
      places.insert(first.back());
      paths.insert(*outcome.launch->counter("path"));
    }
    EXPECT_GT(places.size(), 9u) << linker << ": of 256 places 12 are drawn";
    EXPECT_GT(*places.rbegin() - *places.begin(), 100) << "all over a page";
    EXPECT_NE(first, second) << "each program has its own";
    EXPECT_GT(paths.size(), 6u) << "which move the stack";
  }
}

/// Where a link takes long; the median of a layout's launches counts.
TEST_F(OtherLayoutsTest, ALayoutHasAsManyLaunchesAsItIsTold) {
  const ThirdPartyProgram program({.program = built("build", 16, 100)});
  OtherLayouts layouts(program, {RowId("work")}, 7);
  layouts.set_launches(3);
  std::vector<double> at;
  for (int i = 0; i < 6; ++i) at.push_back(*launched(layouts).launch->counter("at"));
  EXPECT_TRUE(at[0] == at[1] && at[1] == at[2]);
  EXPECT_NE(at[2], at[3]);
  EXPECT_TRUE(at[3] == at[4] && at[4] == at[5]);
}

TEST_F(OtherLayoutsTest, AnotherSeedIsAnotherLayoutAndTheSameSeedIsTheSame) {
  const ThirdPartyProgram program({.program = built("build", 16, 100)});
  const auto places = [&](std::uint64_t seed) {
    const OtherLayouts layouts(program, {RowId("work")}, seed);
    std::vector<double> all;
    for (int i = 0; i < 4; ++i) all.push_back(*launched(layouts).launch->counter("at"));
    return all;
  };
  EXPECT_EQ(places(3), places(3));
  EXPECT_NE(places(3), places(4));
}

TEST_F(OtherLayoutsTest, PaddingLeavesTheStackAsItWas) {
  const fs::path program = built("build", 16, 100);
  std::ofstream(program.parent_path() / "padding.o", std::ios::binary)
      << padding_object(read_text(program), {{".text", 32}, {".bss", 64}});
  must("cd " + program.parent_path().string() +
       " && c++ -Wl,--fatal-warnings padding.o bench.cpp.o -o bench");
  const std::string image = read_text(program);
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  bool found = false;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_GNU_STACK) continue;
    found = true;
    EXPECT_EQ(segment.p_flags & PF_X, 0u);
  }
  EXPECT_TRUE(found);
  EXPECT_HAS(error_of([] { padding_object("#!/bin/sh\n", {}); }),
             "not a little-endian ELF-64 file");
}

TEST(RuleOnLayouts, S53LayoutsDecideWhatIsSlowerOrFasterAsBuilt) {
  const auto decision = [](Verdict verdict, double ratio, bool bounds = true) {
    Decision made;
    made.verdict = verdict;
    made.ratio = ratio;
    if (bounds) made.simultaneous = stats::Bounds{ratio - 0.001, ratio + 0.001};
    return made;
  };
  const auto judged = [&](const Decision& as_built, const std::optional<Decision>& in_layouts) {
    Facts facts;
    facts.name = RowId("my_bench/work");
    facts.tolerance = 0.01;
    facts.launches = facts.baseline_launches = 9;
    facts.by_launches = as_built;
    if (in_layouts) facts.in_layouts = {*in_layouts, 9};
    return judge(facts);
  };
  using enum Verdict;
  const Decision slow = decision(slower, 0.95);
  EXPECT_EQ(judged(slow, {}).verdict, slower);
  EXPECT_TRUE(judged(slow, {}).remarks.empty());
  const Judgement confirmed = judged(slow, decision(slower, 0.97));
  EXPECT_EQ(confirmed.verdict, slower);
  EXPECT_EQ(confirmed.decision->ratio, 0.97);
  EXPECT_EQ(judged(slow, decision(same, 1)).verdict, same);
  EXPECT_EQ(judged(slow, decision(same, 1, false)).verdict, same)
      << "the screening has one interval";
  EXPECT_EQ(judged(slow, decision(undecided, 0.985)).verdict, undecided);
  EXPECT_EQ(judged(slow, decision(faster, 1.05)).verdict, undecided) << "two contradict each other";
  const Judgement few = judged(slow, decision(undecided, 0.985, false));
  EXPECT_EQ(few.verdict, slower) << "too few pairs say nothing";
  EXPECT_EQ(few.decision->ratio, 0.95);
  ASSERT_EQ(few.remarks.size(), 1u);
  EXPECT_HAS(to_string(few.remarks[0]), "not confirmed in other layouts: 9 layouts");
  EXPECT_EQ(judged(decision(faster, 1.05), decision(same, 1)).verdict, same);
  EXPECT_EQ(judged(decision(same, 1), decision(slower, 0.9)).verdict, same) << "they only confirm";
  const Decision seems = decision(undecided, 0.986), open = decision(undecided, 1.0005);
  const Judgement moved = judged(seems, decision(same, 1));
  EXPECT_EQ(moved.verdict, same);
  ASSERT_EQ(moved.remarks.size(), 1u);
  EXPECT_HAS(to_string(moved.remarks[0]), "layout: 1.4 % slower as built, same in 9 layouts");
  EXPECT_EQ(judged(seems, decision(slower, 0.97)).verdict, slower);
  EXPECT_EQ(judged(seems, decision(faster, 1.03)).verdict, undecided);
  EXPECT_TRUE(judged(seems, decision(undecided, 1, false)).remarks.empty());
  EXPECT_EQ(judged(open, decision(same, 1)).verdict, undecided) << "which do not seem so are not";
}

}  // namespace
}  // namespace ratchet::gate
