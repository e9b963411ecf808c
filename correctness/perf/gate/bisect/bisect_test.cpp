// The sentences of perf/guide/bisect.md, each under its number: searches of a small repository
// whose builds take a moment.
#include "perf/gate/bisect/bisect.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "correctness/perf/gate/bisect/history_fixture.h"
#include "correctness/perf/gate/programs/timeless_program.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/counted.h"
#include "perf/gate/bisect/search.h"
#include "perf/output/page/sections.h"
#include "perf/support/json_file.h"

namespace ratchet::bisect {
namespace {

namespace fs = std::filesystem;

const std::string row = "toy/cpu/01_sum";

/// A row of 1e6 units a second, times `speed`, with 0.2 % between its launches.
std::string of(double speed, const std::string& digest, const std::string& name = row) {
  return fmt::format("{} ok {:.0f} 1000 0.002 {}", name, 1e6 * speed, digest);
}

class Bisect : public HistoryFixture {
 protected:
  struct Ran {
    ExitCode code;
    std::string report, progress;
  };
  Ran bisect(const BisectOptions& options) {
    std::ostringstream out, progress;
    const ExitCode code = run_bisect(options, out, progress);
    return {code, out.str(), progress.str()};
  }
  nlohmann::json state() const { return read_json(results() / "bisect.json"); }

  /// The page's headline and every row on it, which are bisect.json's, stand on the terminal in
  /// the same words.
  void expect_one_set_of_words(const Ran& ran) const {
    const nlohmann::json conclusion = state()["conclusion"];
    const nlohmann::json page = report::bisect_section(results() / "bisect.json");
    EXPECT_EQ(page["verdict"]["sentence"], conclusion["sentence"]);
    EXPECT_EQ(page["verdict"]["state"], conclusion["state"]);
    EXPECT_EQ(page["others"].size(), conclusion["not_slower"].size());
    if (page["findings"].empty()) {
      EXPECT_HAS(ran.report, conclusion["sentence"].get<std::string>() + "\n");
    }
    EXPECT_FALSE(page["others"].empty() && page["findings"].empty());
    for (const auto& each : page["others"]) {
      const std::string name = each["row"], words = each["judgement"]["words"];
      EXPECT_EQ(conclusion["not_slower"][name]["words"], words);
      EXPECT_HAS(ran.report, words);
      EXPECT_HAS(ran.report, name);
    }
  }
  std::set<std::string> built() const {
    std::set<std::string> commits;
    const nlohmann::json all = state();
    for (const auto& [commit, record] : all["builds"].items()) commits.insert(commit);
    return commits;
  }
  std::set<std::string> timed() const {
    std::set<std::string> commits;
    const nlohmann::json all = state();
    for (const auto& each : all["judgements"]) commits.insert(each["now"].get<std::string>());
    return commits;
  }

  /// 64 commits, the 41st 5 % slower: every fifth changes a text alone, every third a file that is
  /// built, but not what the row executes.
  static std::vector<Commit> many() {
    std::vector<Commit> commits;
    std::string digest = "d0";
    for (int i = 1; i <= 64; ++i) {
      Commit commit{fmt::format("change {}", i), {}};
      if (i % 5 == 0) {
        commit.files["docs/notes.md"] = fmt::format("note {}\n", i);
      } else if (i % 3 == 0) {
        commit.files["kernels/other.cpp"] = fmt::format("// {}\n", i);
      } else {
        digest = fmt::format("d{}", i);
        commit.files["plan"] = plan({of(i < 41 ? 1 : 0.95, digest)});
      }
      commits.push_back(commit);
    }
    return commits;
  }
};

TEST_F(Bisect, S01NamesTheCommitItsSizeAndTheReason) {
  make(plan({of(1, "d0")}), many());
  const Ran ran = bisect(options("main~64", "main"));
  EXPECT_EQ(ran.code, ExitCode::regression);
  EXPECT_HAS(ran.report, row + ": throughput -5.");
  EXPECT_HAS(ran.report, "\n  commit " + commit_of("main~23").substr(0, 12) + " change 41\n");
  EXPECT_HAS(ran.report, "\n  alone: -");
  EXPECT_HAS(ran.report, " pairs)");
  EXPECT_HAS(ran.report, "\n  * the difference is unknown: ");  // of a script, no objects
  // S02: 64 commits, at most 8 builds.
  EXPECT_LE(built().size(), 8u);
  EXPECT_HAS(ran.progress, "64 commits, 52 of them change files of the build");
  EXPECT_HAS(ran.report,
             fmt::format("64 commits, 52 of them change files of the build; {} builds, 0 of",
                         built().size()));
  // What the file says of it is what the page shows.
  const nlohmann::json page = report::bisect_section(results() / "bisect.json");
  const nlohmann::json& found = page["findings"][0];
  EXPECT_EQ(page["verdict"]["state"], "regression");
  EXPECT_HAS(page["verdict"]["sentence"].get<std::string>(),
             "Commit " + commit_of("main~23").substr(0, 12) + " made " + row + " slower by 5.");
  EXPECT_EQ(page["steps"].size(), 53u);
  EXPECT_EQ(page["steps"][found["first_bad"].get<std::size_t>()]["subject"], "change 41");
  EXPECT_EQ(found["last_good"].get<int>() + 1, found["first_bad"].get<int>());
  EXPECT_EQ(found["reasons"].size(), 1u);
}

TEST_F(Bisect, S03WhatChangesTextsOrTestsAloneIsNeverBuilt) {
  std::vector<Commit> commits;
  for (int i = 1; i <= 6; ++i) commits.push_back({"text", {{"a.md", std::to_string(i)}}});
  commits[3] = {"slower", {{"plan", plan({of(0.9, "d1")})}}};
  commits.push_back({"test", {{"correctness/toy/toy_test.cpp", "x"}}});
  commits.push_back({"baseline", {{"baselines/here/toy.json", "x"}}});
  make(plan({of(1, "d0")}), commits);
  const Ran ran = bisect(options("main~8", "main"));
  EXPECT_EQ(ran.code, ExitCode::regression);
  EXPECT_HAS(ran.report, " slower\n");
  EXPECT_EQ(built(), (std::set<std::string>{commit_of("main~8"), commit_of("main~4")}));
  // And where nothing else is between them, nothing is built at all.
  fs::remove(results() / "bisect.json");
  const Ran none = bisect(options("main~8", "main~5"));
  EXPECT_EQ(none.code, ExitCode::pass);
  EXPECT_HAS(none.report, "No commit between GOOD and BAD changes a file that the build reads");
  EXPECT_TRUE(built().empty());
}

TEST_F(Bisect, S04EqualDigestsAreNeverTimed) {
  std::vector<Commit> commits;
  for (int i = 1; i <= 16; ++i)
    commits.push_back({"other", {{"kernels/other.cpp", std::to_string(i)}}});
  commits[9] = {"slower", {{"plan", plan({of(0.9, "d1")})}}};
  make(plan({of(1, "d0")}), commits);
  const Ran ran = bisect(options("main~16", "main"));
  EXPECT_EQ(ran.code, ExitCode::regression);
  EXPECT_HAS(ran.report, commit_of("main~6").substr(0, 12) + " slower\n");
  EXPECT_EQ(timed(), (std::set<std::string>{commit_of("main")}));  // which is the commit alone
}

/// A program in Google Benchmark's manner. A row takes the milliseconds that its function sets,
/// times the factor in the file "layouts" of its build, which is in no digest.
const char* const rows_cpp = R"(
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
namespace benchmark { struct State { double ms = 0; }; }
double moved(), steady();
void Moved(benchmark::State& state) { state.ms = moved(); }
void Steady(benchmark::State& state) { state.ms = steady(); }
void Still(benchmark::State& state) { state.ms = 2; }
int main(int count, char** words) {
  std::string row, out, name;
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(words[i], "--ratchet", 9) == 0) return 1;
    if (std::strstr(words[i], "_list_tests=true")) return std::puts("Moved\nSteady\nStill") < 0;
    for (const char* each : {"Moved", "Steady", "Still"})
      if (std::strstr(words[i], "_filter=") && std::strstr(words[i], each)) row = each;
    if (std::strstr(words[i], "_out=")) out = std::strchr(words[i], '=') + 1;
  }
  benchmark::State state;
  if (row == "Moved") Moved(state);
  if (row == "Steady") Steady(state);
  if (row == "Still") Still(state);
  std::string folder = words[0];
  std::ifstream layouts(folder.substr(0, folder.rfind('/')) + "/layouts");
  for (double factor = 1; layouts >> name >> factor;)
    if (name == row) state.ms *= factor;
  const std::string ms = std::to_string(state.ms * (1 + getpid() % 64 / 64e3));
  if (!out.empty())
    std::ofstream(out) << R"-({"context": {}, "benchmarks": [{"name": ")-" << row
                       << R"-(", "iterations": 9, "time_unit": "ms", "real_time": )-" << ms
                       << ", \"cpu_time\": " << ms << "}]}";
}
)";

/// Which rows a change reaches is followed as the gate follows it: a row that only lies elsewhere
/// is slower in no commit.
TEST_F(Bisect, S04RowsOfAThirdPartyProgramAreFollowed) {
  const auto moved = [](int ms) { return fmt::format("double moved() {{ return {}; }}\n", ms); };
  const auto steady = [](double ms) {
    return fmt::format("double steady() {{ return {}; }}\n", ms);
  };
  make(plan({of(1, "d0")}),
       {{"the program",
         {{"CMakeLists.txt",
           "cmake_minimum_required(VERSION 3.20)\nproject(toy CXX)\n"
           "set(CMAKE_CXX_STANDARD 20)\n"
           "configure_file(layouts ${PROJECT_BINARY_DIR}/layouts COPYONLY)\n"
           "add_executable(toy rows.cpp moved.cpp steady.cpp)\n"},
          {"rows.cpp", rows_cpp},
          {"moved.cpp", moved(20)},
          {"steady.cpp", steady(2)},
          {"layouts", "Still 1\n"}}},
        {"moved", {{"moved.cpp", moved(22)}, {"layouts", "Steady 1.1 Still 1.2\n"}}},
        {"steady", {{"steady.cpp", steady(2.2)}, {"layouts", "Still 1.2\n"}}},
        {"beside", {{"moved.cpp", moved(22) + "double more() { return 1; }\n"}}}});
  BisectOptions asked = options("main~3", "main");
  asked.build.programs = {"toy"};
  asked.bench.name = "toy";
  const Ran ran = bisect(asked);
  EXPECT_EQ(ran.code, ExitCode::regression);
  EXPECT_HAS(ran.report, "1 row same (identical work): toy/Still\n");
  EXPECT_LACKS(ran.report, "toy/Still: ");
  EXPECT_HAS(ran.report, "\n  commit " + commit_of("main~2").substr(0, 12) + " moved\n");
  EXPECT_HAS(ran.report, "\n  commit " + commit_of("main~1").substr(0, 12) + " steady\n");
  for (const auto& each : state()["judgements"])  // it executes there what it does in GOOD
    EXPECT_FALSE(each["row"] == "toy/Steady" && each["now"] == commit_of("main~2")) << each;
  const Ran again = bisect(asked);
  EXPECT_EQ(again.report, ran.report);
  EXPECT_LACKS(again.progress, " against ");
  asked.run.selection.filter = "Still";
  EXPECT_EQ(bisect(asked).report,
            "No row is slower in BAD than in GOOD: 1 same (identical work).\n"
            "1 row same (identical work): toy/Still\n");
}

/// Code that a commit moved is slower there, and no commit is at fault.
TEST_F(Bisect, S04WhatIsSlowerOnlyWhereItLiesIsNamedInNoCommit) {
  const auto lists = [](int skip) {
    return fmt::format(
        "cmake_minimum_required(VERSION 3.20)\nproject(toy CXX)\nadd_executable(toy toy.cpp)\n"
        "target_compile_definitions(toy PRIVATE SKIP={} TIME_US=100)\n",
        skip);
  };
  make(plan({of(1, "d0")}),
       {{"the program", {{"toy.cpp", timeless_program}, {"CMakeLists.txt", lists(16)}}},
        {"moved", {{"CMakeLists.txt", lists(1056)}}}});
  BisectOptions asked = options("main~1", "main");
  asked.build.programs = {"toy"};
  asked.bench.name = "toy";
  EXPECT_EQ(bisect(asked).code, ExitCode::pass);
  const gate::BaseBuild moved = gate::build_revision(repository(), commit_of("main"), asked.build);
  const fs::path out = scratch_.path() / "out.json";
  must({moved.programs.at(0), "--benchmark_out=" + out.string()});
  const int at = read_json(out).at("benchmarks").at(0).at("at");
  setenv("RATCHET_FAKE_SLOW_AT", std::to_string(at).c_str(), 1);
  fs::remove_all(results());
  const Ran ran = bisect(asked);
  EXPECT_EQ(ran.code, ExitCode::pass) << ran.report;
  EXPECT_HAS(ran.progress, "is slower or faster as built; both programs are linked again");
  unsetenv("RATCHET_FAKE_SLOW_AT");
}

TEST_F(Bisect, S05WhatIsNotSlowerSaysSo) {
  make(plan({of(1, "d0")}), {{"other code", {{"plan", plan({of(1, "d1")})}}},
                             {"beside", {{"kernels/other.cpp", "x"}}},
                             {"noisy", {{"plan", plan({row + " ok 1000000 1000 0.3 d2"})}}}});
  const Ran same = bisect(options("main~3", "main~2"));
  EXPECT_EQ(same.code, ExitCode::pass);
  EXPECT_HAS(same.report,
             "No row is slower in BAD than in GOOD: 1 same.\n" + row + ": same, throughput ");
  expect_one_set_of_words(same);
  const Ran identical = bisect(options("main~2", "main~1"));
  EXPECT_EQ(identical.code, ExitCode::pass);
  EXPECT_HAS(identical.report, "1 row same (identical work): " + row + "\n");
  expect_one_set_of_words(identical);
  BisectOptions hasty = options("main~1", "main");
  hasty.run.budget_s = 1;
  const Ran unknown = bisect(hasty);
  EXPECT_EQ(unknown.code, ExitCode::undecided);
  EXPECT_HAS(unknown.report, "No row is known to be slower in BAD than in GOOD: 1 undecided.\n");
  EXPECT_HAS(unknown.report, row + ": undecided");
  expect_one_set_of_words(unknown);
  // S08: it is not asked again, unless there is more time.
  EXPECT_LACKS(bisect(hasty).progress, " against ");
  hasty.run.budget_s = 2;
  const Ran more = bisect(hasty);
  EXPECT_HAS(more.progress, "resuming from");
  EXPECT_HAS(more.progress, " against ");
}

TEST_F(Bisect, S05ARowThatBadLacksIsNamed) {
  const std::string removed = "demo/cpu/02_b";
  make(plan({of(1, "d0"), of(1, "e0", removed)}), {{"without", {{"plan", plan({of(1, "d0")})}}}});
  const std::string says = "1 row missing (BAD lacks it): " + removed + "\n";
  BisectOptions both = options("main~1", "main");
  const Ran all = bisect(both);
  EXPECT_EQ(all.code, ExitCode::pass);
  EXPECT_HAS(all.report, says);
  both.run.selection.filter = "^(" + row + "|" + removed + ")$";
  const Ran named = bisect(both);
  EXPECT_EQ(named.code, ExitCode::undecided);
  EXPECT_HAS(named.report, says);
  expect_one_set_of_words(named);
  both.run.selection.filter = removed;
  EXPECT_HAS(error_of([&] { bisect(both); }), "in BAD (main) no row matches");
}

TEST_F(Bisect, S05ANamedRowThatGoodLacksIsNoPass) {
  const std::string added = "demo/cpu/02_b";
  make(plan({of(1, "d0")}), {{"a row", {{"plan", plan({of(1, "d0"), of(1, "e0", added)})}}}});
  BisectOptions both = options("main~1", "main");
  both.run.selection.filter = "^(" + row + "|" + added + ")$";
  const Ran ran = bisect(both);
  EXPECT_EQ(ran.code, ExitCode::undecided);
  EXPECT_HAS(ran.report, "1 row new (GOOD lacks it; name a later GOOD): " + added + "\n");
  expect_one_set_of_words(ran);
  both.run.selection.filter = added;
  const Ran alone = bisect(both);
  EXPECT_EQ(alone.code, ExitCode::undecided);
  EXPECT_HAS(alone.report, "No row is known to be slower in BAD than in GOOD: 1 new.\n");
  expect_one_set_of_words(alone);
  // Who names no rows means those that both have.
  both.run.selection.filter.clear();
  const Ran all = bisect(both);
  EXPECT_EQ(all.code, ExitCode::pass);
  EXPECT_HAS(all.report, "1 row new (GOOD lacks it; name a later GOOD): " + added + "\n");
}

TEST_F(Bisect, S05APartOfTheFilterThatSelectsNoRowIsNoPass) {
  make(plan({of(1, "d0")}), {{"other code", {{"plan", plan({of(1, "d1")})}}}});
  BisectOptions both = options("main~1", "main");
  both.run.selection.filter = row + "|demo/cpu/(3|4)_[|]";
  const Ran ran = bisect(both);
  EXPECT_EQ(ran.code, ExitCode::undecided);
  EXPECT_HAS(ran.report, "1 row missing (neither GOOD nor BAD has it): demo/cpu/(3|4)_[|]\n");
  EXPECT_HAS(ran.report, row + ": same, throughput ");
  expect_one_set_of_words(ran);
}

TEST_F(Bisect, S06RevisionsThatCannotBeJudgedArePassedOver) {
  const std::string other = of(1, "o", "toy/cpu/02_other");
  std::vector<Commit> commits;
  for (int i = 1; i <= 16; ++i)
    commits.push_back({fmt::format("change {}", i),
                       {{"plan", plan({of(i < 7 ? 1 : 0.93, fmt::format("d{}", i)), other})}}});
  // The first three that a search would look at.
  commits[7].files["broken"] = "yes";
  commits[8].files["broken"] = "";
  commits[3].files["plan"] = plan({other});
  commits[11].files["plan"] = plan({row + " failcheck 930000 1000 0.002 d12", other});
  make(plan({of(1, "d0"), other}), commits);
  const Ran ran = bisect(options("main~16", "main"));
  EXPECT_EQ(ran.code, ExitCode::regression);
  EXPECT_HAS(ran.report, commit_of("main~9").substr(0, 12) + " change 7\n");
  EXPECT_HAS(ran.report, " builds, 1 of them failed");
  EXPECT_HAS(ran.progress, "is skipped: revision ");
  for (const char* each : {"main~8", "main~12", "main~4"})
    EXPECT_TRUE(built().contains(commit_of(each))) << each;
}

/// What the next run may find otherwise is not kept as an answer.
TEST_F(Bisect, S06AFullDiskAndAKilledBuildAreNoFaultsOfARevision) {
  const std::string lists = R"(cmake_minimum_required(VERSION 3.20)
project(toy LANGUAGES NONE)
configure_file(bench.sh ${PROJECT_BINARY_DIR}/perf/ratchet-bench COPYONLY)
configure_file(plan ${PROJECT_BINARY_DIR}/perf/plan COPYONLY)
add_custom_target(ratchet-bench COMMAND sh ${PROJECT_SOURCE_DIR}/build.sh)
)";
  const std::string builds = lists.substr(0, lists.rfind(" COMMAND")) + ")\n";
  const std::string full =
      "echo 'ld: final link failed: No space left on device' >&2\n"
      "echo 'collect2: error: ld returned 1 exit status' >&2; exit 1\n";
  const std::string killed =
      "echo 'c++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1\n";
  const auto slower = [&](double speed) {
    return Commit{"slower",
                  {{"CMakeLists.txt", builds}, {"plan", plan({of(speed, fmt::to_string(speed))})}}};
  };
  make(plan({of(1, "d0")}), {{"full", {{"CMakeLists.txt", lists}, {"build.sh", full}}},
                             slower(0.9),
                             {"killed", {{"CMakeLists.txt", lists}, {"build.sh", killed}}},
                             slower(0.8)});
  EXPECT_HAS(error_of([&] { bisect(options("main~4", "main~2")); }), "No space left on device");
  EXPECT_FALSE(built().contains(commit_of("main~3")));
  EXPECT_HAS(error_of([&] { bisect(options("main~2", "main")); }), "signal terminated program");
  EXPECT_FALSE(built().contains(commit_of("main~1")));
}

TEST_F(Bisect, S06WhereTheCommitCannotBeToldARangeIsNamed) {
  std::vector<Commit> commits;
  for (int i = 1; i <= 8; ++i)
    commits.push_back({fmt::format("change {}", i),
                       {{"plan", plan({of(i < 5 ? 1 : 0.93, fmt::format("d{}", i))})}}});
  commits[3].files["broken"] = "yes";  // commits 4 and 5
  commits[5].files["broken"] = "";
  make(plan({of(1, "d0")}), commits);
  const Ran ran = bisect(options("main~8", "main"));
  EXPECT_EQ(ran.code, ExitCode::regression);
  EXPECT_LACKS(ran.report, "\n  commit ");
  EXPECT_HAS(ran.report, "  one of these commits; for all but the last it is not known");
  EXPECT_HAS(ran.report, "\n  together: ");
  for (const int i : {4, 5, 6}) EXPECT_HAS(ran.report, fmt::format(" change {}", i));
  for (const int i : {3, 7}) EXPECT_LACKS(ran.report, fmt::format(" change {}", i));
  EXPECT_HAS(ran.report, "does not build");
}

TEST_F(Bisect, S07KilledAtAnyMomentItGoesOn) {
  make(plan({of(1, "d0")}), many());
  const auto known = [&](const char* what) {
    return fs::exists(results() / "bisect.json") ? state()[what].size() : 0;
  };
  std::size_t kills = 0, builds = 0, judgements = 0;
  for (const std::size_t until : {1u, 4u}) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        bisect(options("main~64", "main"));
      } catch (const std::exception&) {
      }
      _exit(0);
    }
    while (known("builds") + known("judgements") < until && waitpid(child, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(child, SIGKILL);
    int status = 0;
    if (waitpid(child, &status, 0) == child && WIFSIGNALED(status)) ++kills;
    EXPECT_GE(known("builds"), builds);
    EXPECT_GE(known("judgements"), judgements);
    builds = known("builds");
    judgements = known("judgements");
  }
  EXPECT_EQ(kills, 2u);
  const Ran ran = bisect(options("main~64", "main"));
  EXPECT_EQ(ran.code, ExitCode::regression);
  EXPECT_HAS(ran.progress, fmt::format("{} and {} are done", counted(builds, "revisions"),
                                       counted(judgements, "comparisons")));
  EXPECT_HAS(ran.report, commit_of("main~23").substr(0, 12) + " change 41\n");
  EXPECT_LE(built().size(), 8u);
  // All is known now: the report comes at once, and nothing is measured.
  const Ran again = bisect(options("main~64", "main"));
  EXPECT_EQ(again.report, ran.report);
  EXPECT_LACKS(again.progress, " against ");
}

TEST_F(Bisect, S08AnotherQuestionBeginsAnew) {
  make(plan({of(1, "d0")}), {{"slower", {{"plan", plan({of(0.9, "d1")})}}},
                             {"more", {{"plan", plan({of(0.8, "d2")})}}}});
  EXPECT_EQ(bisect(options("main~2", "main~1")).code, ExitCode::regression);
  const std::string first = read_text(results() / "bisect.json");
  const Ran other = bisect(options("main~1", "main"));
  EXPECT_LACKS(other.progress, "resuming from");
  EXPECT_HAS(other.report, " more\n");
  // A file that is cut off, and one whose judgements were edited, are no answer either.
  std::string edited = first;
  edited.replace(edited.rfind("\"pairs\":"), 8, "\"pears\":");
  for (const std::string& text : {first.substr(0, first.size() / 2), std::string("{}"), edited}) {
    write_atomically(results() / "bisect.json", text);
    const Ran anew = bisect(options("main~2", "main~1"));
    EXPECT_LACKS(anew.progress, "resuming from");
    EXPECT_EQ(anew.code, ExitCode::regression);
  }
  BisectOptions forgetful = options("main~2", "main~1");
  EXPECT_HAS(bisect(forgetful).progress, "resuming from");
  forgetful.anew = true;
  EXPECT_LACKS(bisect(forgetful).progress, "resuming from");
}

/// What counts as slower is part of the question.
TEST_F(Bisect, S08AnotherToleranceIsAnotherQuestion) {
  make(plan({of(1, "d0")}), {{"slower", {{"plan", plan({of(0.9, "d1")})}}}});
  BisectOptions wide = options("main~1", "main");
  wide.tolerance = 0.3;
  EXPECT_EQ(bisect(wide).code, ExitCode::pass);
  const Ran narrow = bisect(options("main~1", "main"));
  EXPECT_LACKS(narrow.progress, "resuming from");
  EXPECT_EQ(narrow.code, ExitCode::regression);
}

TEST_F(Bisect, S09EverySlowerRowHasItsCommit) {
  const std::string second = "toy/cpu/02_product";
  std::vector<Commit> commits;
  for (int i = 1; i <= 4; ++i)
    commits.push_back({fmt::format("change {}", i),
                       {{"plan", plan({of(i < 2 ? 1 : 0.95, fmt::format("d{}", i)),
                                       of(i < 4 ? 1 : 0.9, fmt::format("e{}", i), second)})}}});
  make(plan({of(1, "d0"), of(1, "e0", second)}), commits);
  const Ran ran = bisect(options("main~4", "main"));
  EXPECT_EQ(ran.code, ExitCode::regression);
  const std::size_t worst = ran.report.find(second), other = ran.report.find(row);
  EXPECT_LT(worst, other) << "the worst comes first";
  EXPECT_LT(ran.report.find(" change 4\n"), other);
  EXPECT_GT(ran.report.find(" change 2\n"), other);
  EXPECT_LE(built().size(), 5u);
  // One row alone.
  const Ran one = bisect(options("main~4", "main", row));
  EXPECT_LACKS(one.report, second);
  EXPECT_HAS(one.report, " change 2\n");
}

TEST_F(Bisect, S10RevisionsThatDoNotBelongTogetherAreRefused) {
  make(plan({of(1, "d0")}),
       {{"one", {{"a.md", "1"}}}, {"two", {{"broken", "yes"}}}, {"three", {{"broken", ""}}}});
  const auto refused = [&](const std::string& good, const std::string& bad,
                           const std::string& which = "") {
    return error_of([&] { bisect(options(good, bad, which)); });
  };
  EXPECT_HAS(refused("main", "main~1"), "swap the two");
  EXPECT_HAS(refused("main", "main"), "are the same commit");
  EXPECT_HAS(refused("nowhere", "main"), "has no revision \"nowhere\"");
  EXPECT_HAS(refused("main~3", "main~1"), "does not build");
  EXPECT_HAS(refused("main~1", "main"), "does not build");
  EXPECT_EQ(state()["conclusion"]["state"], "failed") << "no search that goes on";
  EXPECT_HAS(state()["conclusion"]["sentence"].get<std::string>(), "does not build");
  EXPECT_FALSE(built().contains(commit_of("main~1"))) << "it would never be tried again";
  git({"checkout", "-q", "-b", "side", "main~3"});
  write_atomically(repository() / "plan", plan({of(0.9, "d1")}));
  const std::vector<std::string> me = {"-c", "user.name=a", "-c", "user.email=a@b"};
  const auto as_me = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), me.begin(), me.end());
    git(arguments);
  };
  as_me({"commit", "-q", "-am", "beside"});
  EXPECT_HAS(refused("main~2", "side"), "common ancestor " + commit_of("main~3").substr(0, 12));
  git({"checkout", "-q", "main~2"});
  as_me({"merge", "-q", "--no-ff", "-m", "brought in", "side"});
  EXPECT_HAS(refused("side", "HEAD"), "came into the history of BAD");
  EXPECT_HAS(refused("main~3", "HEAD", "toy/none"),
             "/perf/ratchet-bench --benchmark_list_tests` lists them");
  // What a branch brought in is one step: its merge, with the way into it.
  BisectOptions called = options("main~3", "HEAD");
  called.commands.given = " --bench build/it";
  const Ran merged = bisect(called);
  const std::string merge = commit_of("HEAD").substr(0, 12);
  EXPECT_HAS(merged.report, "  commit " + merge + " brought in\n");
  EXPECT_HAS(merged.report, "ratchet bisect $(git merge-base " + merge + "^1 " + merge + "^2) " +
                                merge + "^2 " + row + " --bench build/it\n");
}

/// The size is that of the commit; of several rows all commits are named, each once.
TEST(BisectAnswer, NamesEachCommitWithItsOwnSize) {
  std::vector<Step> steps;
  for (const std::string name : {"good", "one", "two"})
    steps.push_back({Revision{name, "change " + name, {}, ""}, {}});
  const Judgement total{gate::Verdict::slower, "", 0.7, 0.69, 0.71};
  const auto finding = [](std::size_t first_bad, const Judgement& size) {
    return Finding{first_bad - 1, first_bad, {}, size, {}};
  };
  const RowId a = "toy/a", b = "toy/b", c = "toy/c";
  const Finding of_a = finding(2, {gate::Verdict::slower, "", 0.8, 0.79, 0.81}),
                of_b = finding(1, {gate::Verdict::slower, "", 0.9, 0.89, 0.91}),
                unproven = finding(2, {gate::Verdict::undecided, "", 0.99, 0.9, 1.1});
  Conclusion conclusion(steps, {"ratchet", "", " --bench b"});
  conclusion.add({a, total, of_a, steps});
  conclusion.add({b, total, of_b, steps});
  conclusion.add({c, total, of_a, steps});
  EXPECT_EQ(conclusion.answer(ExitCode::regression).sentence,
            "Commit two made toy/a slower by 20.0 %: change two. "
            "Commit one made toy/b slower by 10.0 %: change one");
  EXPECT_EQ(conclusion.made(ExitCode::regression, "")["rows"][0]["explain"],
            "ratchet explain toy/a --base one --bench b");
  EXPECT_EQ(answer_of({a, total, unproven, steps}).sentence,
            "Commit two made toy/a slower, which lost 30.0 % since GOOD: change two");
  const Finding shown =
      finding(2, {gate::Verdict::undecided, "two groups of times", 0.66, 0.6, 0.72});
  EXPECT_HAS(size_text(shown), "this interval shows a loss, though the comparison is undecided");
  EXPECT_HAS(size_text(unproven), "this commit alone is not proven slower");
  EXPECT_HAS(answer_of({a, total, shown, steps}).sentence, "slower by 34.0 %");
}

TEST_F(Bisect, S11ARowThatCannotBeMeasuredIsNoPass) {
  make(plan({of(1, "d0")}),
       {{"wrong", {{"plan", plan({row + " failcheck 1000000 1000 0.002 d1"})}}}});
  const Ran ran = bisect(options("main~1", "main"));
  EXPECT_EQ(ran.code, ExitCode::failed);
  EXPECT_HAS(ran.report, "\n" + row + ": failed: ");
  EXPECT_HAS(ran.report, "check: counted 3 of 4");
}

}  // namespace
}  // namespace ratchet::bisect
