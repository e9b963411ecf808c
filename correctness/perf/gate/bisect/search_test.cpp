// What needs no history: the order in which revisions are looked at, which files count, the words.
#include "perf/gate/bisect/search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "correctness/support/expect_has.h"
#include "perf/gate/bisect/report.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/process.h"

namespace ratchet::bisect {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::size_t last_good, first_bad, looked_at;
};

/// Searches where `culprit` is the first bad one of 0 to `last`, and some cannot be judged.
Found search_among(std::size_t last, std::size_t culprit,
                   const std::set<std::size_t>& broken = {}) {
  Search search(last);
  std::size_t looked_at = 0;
  while (const auto next = search.next()) {
    ++looked_at;
    EXPECT_GT(*next, search.last_good());
    EXPECT_LT(*next, search.first_bad());
    if (broken.contains(*next)) {
      search.skip(*next);
    } else {
      search.mark(*next, *next < culprit);
    }
    if (looked_at > last) break;
  }
  return {search.last_good(), search.first_bad(), looked_at};
}

TEST(BisectSearch, FindsEveryCulpritInLogarithmicallyManySteps) {
  for (const std::size_t last : {1u, 2u, 3u, 7u, 8u, 9u, 64u, 100u})
    for (std::size_t culprit = 1; culprit <= last; ++culprit) {
      const Found found = search_among(last, culprit);
      EXPECT_EQ(found.first_bad, culprit);
      EXPECT_EQ(found.last_good, culprit - 1);
      EXPECT_LE(found.looked_at, Search::most_steps(last)) << last;
    }
  EXPECT_EQ(Search::most_steps(1), 0u);
  EXPECT_EQ(Search::most_steps(64), 6u);
  EXPECT_EQ(Search::most_steps(65), 7u);
  EXPECT_TRUE(Search(1).found());
  EXPECT_THROW(Search(0), std::invalid_argument);
}

TEST(BisectSearch, S06WhatCannotBeJudgedLeavesARangeAtMost) {
  const std::set<std::size_t> broken = {29, 30, 31, 32, 33, 34, 35, 50};
  for (std::size_t culprit = 1; culprit <= 64; ++culprit) {
    const Found found = search_among(64, culprit, broken);
    EXPECT_GE(found.first_bad, culprit);
    EXPECT_LT(found.last_good, culprit);
    for (std::size_t i = found.last_good + 1; i < found.first_bad; ++i)
      EXPECT_TRUE(broken.contains(i)) << "the range has " << i << ", which could be judged";
    const bool behind_broken = broken.contains(culprit) || broken.contains(culprit - 1);
    EXPECT_EQ(found.first_bad == found.last_good + 1, !behind_broken) << culprit;
  }
}

TEST(BisectSearch, S06AStretchThatDoesNotBuildIsLeftSoon) {
  std::set<std::size_t> broken;
  for (std::size_t i = 400; i < 600; ++i) broken.insert(i);
  // One after another from the middle out it would be a hundred builds.
  EXPECT_LE(search_among(1000, 900, broken).looked_at, 13u);
  EXPECT_LE(search_among(1000, 100, broken).looked_at, 13u);
}

TEST(BisectHistory, S03OnlyWhatIsKnownNotToBeReadIsPassedOver) {
  for (const char* path :
       {"README.md", "perf/gate/README.md", "LICENSE", ".clang-format", "baselines/amd/life.json",
        "correctness/life/tests/life_test.cpp", "correctness/rivals/rivals.cpp",
        "correctness/perf/gate/data/worker.sh", ".github/workflows/x.yml"})
    EXPECT_FALSE(enters_the_build(path)) << path;
  for (const char* path :
       {"CMakeLists.txt", "CMakePresets.json", "ci/cmake/targets.cmake", "ci/gate",
        ".gitattributes", "kernels/life/cpu_01_x.cpp", "kernels/life/life.h", "kernels/life/x.cl",
        "perf/measure/bench/main.cpp", "reference/life.cpp", "correctness/life/checks/check.cpp",
        "correctness/life/data/pattern.rle", "correctness/life/oracles/a.json",
        "correctness/CMakeLists.txt", "kernels/baselines/x.h",
        "correctness/perf/support/fake_program.h", "kernels/life/x_test.cpp", "new_file"})
    EXPECT_TRUE(enters_the_build(path)) << path;
}

/// What this very build has read, by its own word.
TEST(BisectHistory, S03NothingThatThisBuildReadIsPassedOver) {
  const BuildOptions build = read_build_options(cache_of_this_build());
  if (build.generator != "Ninja") GTEST_SKIP() << "only Ninja is asked what it has read";
  const std::string source = build.source.string() + "/";
  std::vector<std::string> ask = {"sh", "-c",
                                  "cd \"$0\" && sed \"s|^$0/||\" perf/ratchet-bench.objects | "
                                  "xargs ninja -t deps && ninja -t query build.ninja && "
                                  "ninja -t inputs perf/ratchet-bench",
                                  build.build.string()};
  const ProcessResult result = run_process(ask, 100);
  ASSERT_TRUE(result.ok()) << result.describe();
  std::istringstream lines(result.output);
  std::size_t own = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" |");
    if (begin == std::string::npos) continue;
    const fs::path path = (build.build / line.substr(begin)).lexically_normal();
    if (!path.string().starts_with(source) || path.string().starts_with(build.build.string()))
      continue;
    ++own;
    EXPECT_TRUE(enters_the_build(path.string().substr(source.size()))) << path;
  }
  EXPECT_GT(own, 300u);
}

TEST(BisectReport, RowsOfWhichItIsNotKnownAreNamedBesideSlowerOnes) {
  Judgement same{
      .verdict = gate::Verdict::same, .reason = "", .ratio = 1, .low = 0.999, .high = 1.001};
  Judgement open{
      .verdict = gate::Verdict::undecided, .reason = "", .ratio = 0.975, .low = 0.93, .high = 1.01};
  Judgement failed;
  failed.verdict = gate::Verdict::failed;
  failed.reason = "no such row";
  const OtherRows others = {{"b", same}, {"c", open}, {"d", failed}, {"e", only_in_bad()}};
  const std::string text = others_text(others);
  EXPECT_HAS(text, "\nb: same, throughput +0.00 %");
  EXPECT_HAS(text, "\nc: undecided whether it is slower, throughput -2.50 % (-7.00 to +1.00 %, ");
  EXPECT_HAS(text, "\nd: failed: no such row\n");
  const Answer answer = answer_without_commit(others, 2, ExitCode::failed);
  EXPECT_EQ(answer.state, "failed");
  EXPECT_EQ(answer.sentence,
            "No row is known to be slower in BAD than in GOOD: 1 failed, 1 new, 1 undecided, 1 "
            "same.");
}

}  // namespace
}  // namespace ratchet::bisect
