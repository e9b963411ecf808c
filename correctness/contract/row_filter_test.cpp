// The one grammar of filters, and that every command goes by it.
#include "kernels/contract/row_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "correctness/support/error_of.h"
#include "correctness/support/programs.h"
#include "kernels/contract/stage.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

using Names = std::set<std::string>;
const Names all_rows = {"f/cpu/01_a",  "f/cpu/01_a/n:1",  "f/cpu/01_a/n:12",
                        "f/cpu/01_ab", "g/cuda/02_small", "BM_Sort/8"};

TEST(RowFilter, NothingAndAllSelectEverything) {
  EXPECT_EQ(select_rows(all_rows, ""), all_rows);
  EXPECT_EQ(select_rows(all_rows, "all"), all_rows);  // not what has "all" in its name
  EXPECT_EQ(select_rows({"all", "f/cpu/02_b"}, "all"), Names{"all"});
}

TEST(RowFilter, AWholeNameSelectsThatRowAlone) {
  EXPECT_EQ(select_rows(all_rows, "f/cpu/01_a/n:1"), Names{"f/cpu/01_a/n:1"});
  EXPECT_EQ(select_rows(all_rows, "f/cpu/01_ab"), Names{"f/cpu/01_ab"});
  EXPECT_EQ(select_rows(all_rows, "BM_Sort/8"), Names{"BM_Sort/8"});
  EXPECT_EQ(select_rows({"a.c", "abc"}, "a.c"), Names{"a.c"});  // though it is an expression, too
  EXPECT_EQ(select_rows({"f(", "g("}, "f("), Names{"f("});      // though it is none
}

TEST(RowFilter, AWholeStageSelectsItsRowsAlone) {
  EXPECT_EQ(select_rows(all_rows, "f/cpu/01_a"),
            (Names{"f/cpu/01_a", "f/cpu/01_a/n:1", "f/cpu/01_a/n:12"}));
  EXPECT_EQ(select_rows({"f/cpu/01_a/n:1", "f/cpu/01_ab"}, "f/cpu/01_a"), Names{"f/cpu/01_a/n:1"});
}

TEST(RowFilter, AnythingElseIsFoundAnywhere) {
  EXPECT_EQ(select_rows(all_rows, "01_a").size(), 4u);
  EXPECT_EQ(select_rows(all_rows, "^f/cpu/01_a$"), Names{"f/cpu/01_a"});
  EXPECT_EQ(select_rows(all_rows, "n:[0-9]{2}|BM"), (Names{"f/cpu/01_a/n:12", "BM_Sort/8"}));
  EXPECT_TRUE(select_rows(all_rows, "F/CPU").empty());
  EXPECT_TRUE(select_rows(all_rows, "03").empty());
}

TEST(RowFilter, ANameWithoutItsProgramIsFoundThoughItIsNoExpressionForIt) {
  const Names all = {"bench.js/loop (hot)", "bench.js/a loop (hot)", "b/f(int[", "b/x(1)/y",
                     "b/x1/y"};
  EXPECT_EQ(select_rows(all, "loop (hot)"), Names{"bench.js/loop (hot)"});
  EXPECT_EQ(select_rows(all, "f(int["), Names{"b/f(int["});
  EXPECT_EQ(select_rows(all, "x(1)/y"), Names{"b/x1/y"}) << "an expression that matches is one";
  EXPECT_EQ(select_rows(all, "-loop (hot)").size(), 4u);
}

TEST(RowFilter, ADashInverts) {
  EXPECT_EQ(select_rows(all_rows, "-f/cpu/01_a"),
            (Names{"f/cpu/01_ab", "g/cuda/02_small", "BM_Sort/8"}));
  EXPECT_EQ(select_rows(all_rows, "-/c"), Names{"BM_Sort/8"});
  EXPECT_TRUE(select_rows(all_rows, "-").empty());
  EXPECT_TRUE(select_rows(all_rows, "-all").empty());
}

TEST(RowFilter, AMalformedExpressionIsQuoted) {
  for (const std::string bad : {"(", "-(", "[z-a]", "*"})
    EXPECT_NE(error_of([&] { select_rows(all_rows, bad); }).find("regular expression"),
              std::string::npos)
        << bad;
}

TEST(RowFilter, StagesAndFamiliesAreTheFirstPartsOfAName) {
  EXPECT_EQ(stage_of("f/cpu/01_a/n:1/m:2"), "f/cpu/01_a");
  EXPECT_EQ(stage_of("f/cpu/01_a"), "f/cpu/01_a");
  EXPECT_EQ(stage_of("BM_Sort/8"), "BM_Sort/8");
  EXPECT_EQ(family_of("f/cpu/01_a"), "f");
  EXPECT_EQ(family_of("BM_Sort"), "BM_Sort");
}

std::size_t line_count(const std::vector<std::string>& command) {
  const ProcessResult result = run_process(command, 60);
  EXPECT_TRUE(result.ok()) << command.back() << ": " << result.describe();
  return static_cast<std::size_t>(std::count(result.output.begin(), result.output.end(), '\n'));
}

TEST(RowFilter, CommandsGoByIt) {
  const std::string stage = match_stages("/cpu/").front()->info().name;
  const std::size_t rows =
      line_count({built_program("perf/ratchet-bench"), "--benchmark_list_tests"});
  const auto bench = [&](const std::string& filter) {
    return line_count({built_program("perf/ratchet-bench"), "--benchmark_list_tests",
                       "--benchmark_filter=" + filter});
  };
  EXPECT_EQ(bench("all"), rows);
  EXPECT_EQ(bench(stage) + bench("-" + stage), rows);
  EXPECT_EQ(match_stages("all"), registry());
  EXPECT_EQ(match_stages("-" + stage).size() + 1, registry().size());
  EXPECT_EQ(match_stages(stage).size(), 1u);
  // Refused alike.
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {built_program("perf/ratchet-bench"), "--benchmark_filter=("},
           {built_program("perf/ratchet"), "list", "("},
           {built_program("perf/ratchet"), "profile", "("},
           {built_program("perf/ratchet"), "timesink", "("},
           {built_program("perf/ratchet"), "metrics", "("}}) {
    const ProcessResult result = run_process(command, 60);
    EXPECT_EQ(result.exit_code, 2) << command[1];
    EXPECT_NE(result.errors.find("\"(\" is neither a row"), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace ratchet
