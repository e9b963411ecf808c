// Rows that execute something else than their baselines did are compared with the builds of these.
// The repository's program is the scripted worker.
#include <gtest/gtest.h>

#include <cstdlib>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/baseline/accept.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/git.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

// The program reads the plan of its own revision.
const char* const toy = R"(cmake_minimum_required(VERSION 3.20)
project(toy LANGUAGES NONE)
option(RATCHET_CUDA "" ON)
if(DEFINED ENV{RATCHET_FAKE_BROKEN})
  message(FATAL_ERROR "broken on request")
endif()
set(plan plan)
if(NOT RATCHET_CUDA AND EXISTS ${CMAKE_SOURCE_DIR}/plan_without_cuda)
  set(plan plan_without_cuda)
endif()
file(WRITE ${CMAKE_BINARY_DIR}/perf/ratchet-bench
  "#!/bin/sh\nexport RATCHET_FAKE_PLAN=${CMAKE_SOURCE_DIR}/${plan}\nexec sh WORKER \"$@\"\n")
file(CHMOD ${CMAKE_BINARY_DIR}/perf/ratchet-bench PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
add_custom_target(ratchet-bench)
)";

class GateAgainst : public GateFixture {
 protected:
  using GateFixture::plan;
  using Lines = std::vector<std::string>;

  void SetUp() override {
    GateFixture::SetUp();
    for (const char* name : {"GIT_DIR", "RATCHET_FAKE_WEATHER", "RATCHET_FAKE_BROKEN"})
      unsetenv(name);
    std::string text = toy;
    text.replace(text.find("WORKER"), 6, worker());
    write(repository() / "CMakeLists.txt", text);
    plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb"});
    git({"init", "-q"});
    commit();
    must({"cmake", "-G", "Ninja", "-S", repository(), "-B", repository() / "build"});
  }
  void TearDown() override {
    unsetenv("RATCHET_FAKE_WEATHER");
    unsetenv("RATCHET_FAKE_BROKEN");
  }

  std::filesystem::path repository() const { return folder() / "repository"; }
  static void must(const Lines& command) {
    const ProcessResult result = run_process(command, 100);
    EXPECT_TRUE(result.ok()) << command[0] << ": " << result.describe() << result.output;
  }
  void git(Lines arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", repository(), "-c", "user.name=a", "-c",
                                         "user.email=a@b", "-c", "commit.gpgsign=false"});
    must(arguments);
  }
  void commit() {
    git({"add", "CMakeLists.txt", "plan", "."});
    git({"reset", "-q", "--", "build", "results"});
    git({"commit", "-q", "-m", "a change"});
  }
  void plan(const Lines& rows) {
    std::string text;
    for (const std::string& row : rows) text += row + "\n";
    write(repository() / "plan", text);
  }
  ProcessResult gate(Lines more = {}) {
    more.insert(more.begin(),
                {"--bench", repository() / "build" / "perf" / "ratchet-bench", "--baseline-dir",
                 repository() / "baselines", "--results", repository() / "results"});
    more.insert(more.begin(), "gate");
    std::filesystem::create_directories(repository() / "baselines");
    return ratchet(more);
  }
  /// Measures what the repository holds and makes it the baseline.
  void store() {
    ASSERT_EQ(gate().exit_code, 0);
    const ProcessResult accepted =
        ratchet({"accept", "--from", repository() / "results" / "gate.json", "--baseline-dir",
                 repository() / "baselines", "--yes", "--uncommitted", "--reason", "a test"});
    ASSERT_EQ(accepted.exit_code, 0) << accepted.output;
  }
  std::string stored_revision() const {
    return revision_of_row(read_measurements(repository() / "baselines/fake-4c/demo.json"),
                           "demo/cpu/02_b");
  }
  /// Builds of revisions that lie there.
  long builds() const {
    long count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(repository() / "results" / "base"))
      count += std::filesystem::exists(entry.path() / "built.json");
    return count;
  }
  nlohmann::json row(const std::string& name) const {
    return read_json(repository() / "results" / "gate.json")["context"]["ratchet"]["rows"][name];
  }
};

TEST_F(GateAgainst, S27ARowThatExecutesSomethingElseIsMeasuredAgainstItsBaselinesBuild) {
  store();
  commit();
  // Everything runs at 0.8 of its speed today; the second row is another program, equally fast.
  setenv("RATCHET_FAKE_WEATHER", "0.8", 1);
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  const ProcessResult same = gate();
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_HAS(same.errors, "checked in");
  EXPECT_EQ(same.errors.find("; timing"), same.errors.rfind("; timing")) << "said once";
  EXPECT_EQ(row("demo/cpu/01_a")["reason"], "identical work");
  EXPECT_EQ(row("demo/cpu/02_b")["verdict"], "same");
  EXPECT_EQ(row("demo/cpu/02_b")["remarks"][0], "against " + stored_revision().substr(0, 12));
  EXPECT_GE(row("demo/cpu/02_b")["launches"], 5);
  // Slower than that build by a twentieth, on a machine that is as fast as then.
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 0.95e6 1000 0.001 b3"});
  const ProcessResult slower = gate();
  EXPECT_EQ(slower.exit_code, 1);
  EXPECT_EQ(slower.output.find("which commit"), std::string::npos) << "it is not committed";
  EXPECT_EQ(row("demo/cpu/02_b")["verdict"], "slower");
  EXPECT_NEAR(row("demo/cpu/02_b")["ratio"], 0.95, 0.003);
  EXPECT_EQ(row("demo/cpu/01_a")["verdict"], "same");
  // Unless somebody allows it that much.
  const ProcessResult allowed = gate({"--tolerance", "0.1"});
  EXPECT_EQ(allowed.exit_code, 0) << allowed.output;
  EXPECT_EQ(row("demo/cpu/02_b")["verdict"], "same");
  git({"rm", "-q", "--cached", "plan.*"});  // the worker's own notes, which change with each run
  git({"commit", "-q", "-a", "-m", "slower"});
  const std::string output = gate({"--budget-s", "10"}).output;
  EXPECT_HAS(output, " bisect " + stored_revision().substr(0, 12) + " ");
  EXPECT_HAS(output, " demo/cpu/02_b --bench ");
  EXPECT_EQ(output.find("HEAD"), output.npos) << "it moves: " << output;
}

/// What a row's baseline tolerates it tolerates against any base.
TEST_F(GateAgainst, S46ACommitAcceptsItsSlowdownAndNoMore) {
  store();
  commit();
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 0.95e6 1000 0.001 b3"});
  git({"rm", "-q", "--cached", "--ignore-unmatch", "plan.*"});  // the worker's own notes
  const auto gate_with = [&](const std::string& trailer, const Lines& how = {}) {
    Lines words = {"commit", "-q", "-a", "-m", "slower\n\nRatchet-Accept: " + trailer};
    words.insert(words.end(), how.begin(), how.end());
    git(words);
    return gate({"--budget-s", "60"});
  };
  const ProcessResult accepted = gate_with("demo/cpu/02_b -6 % because it checks more");
  EXPECT_EQ(accepted.exit_code, 0) << accepted.output;
  EXPECT_HAS(accepted.output, "accepts it, up to -6 %: it checks more");
  EXPECT_HAS(accepted.output,
             "PASS (exit 0): 1 slower, 1 same; 1 of the slower accepted by a commit");
  EXPECT_LACKS(accepted.output, " bisect ");
  EXPECT_LACKS(accepted.output, "if it is meant");
  EXPECT_EQ(row("demo/cpu/02_b")["verdict"], "slower");
  EXPECT_EQ(row("demo/cpu/02_b")["accepted"]["holds"], true);
  const auto run = read_json(repository() / "results" / "gate.json")["context"]["ratchet"]["run"];
  EXPECT_EQ(run["accepts"][0]["rows"], "demo/cpu/02_b");  // for a merge
  EXPECT_EQ(run["accepts"][0]["share"], 0.06);
  const auto history = [&](Lines more) {
    more.insert(more.begin(),
                {"history", "--history", repository() / "results" / "history.sqlite"});
    return ratchet(more).output;
  };
  EXPECT_HAS(history({}), "slower, accepted");
  EXPECT_HAS(history({"02_b"}), "accepts it, up to -6 %: it checks more");
  EXPECT_HAS(read(repository() / "results" / "report.html"),
             "1 row is slower, which a commit accepts. Nothing else got slower in ");
  const ProcessResult beyond = gate({"--budget-s", "60", "--limit", "02_b<1ns"});
  EXPECT_EQ(beyond.exit_code, 1);
  EXPECT_HAS(beyond.output, "LIMIT EXCEEDED (exit 1): 1 slower, 1 same; 1 of the slower accepted");
  EXPECT_HAS(
      read(repository() / "results" / "report.html"),
      "which a commit accepts. Nothing else got slower, but 1 limit is exceeded, of demo/cpu/02_b");
  const ProcessResult more = gate_with("cpu/02_b -2% TEXT", {"--amend"});
  EXPECT_EQ(more.exit_code, 1);
  EXPECT_HAS(more.output, "accepts -2 %, and this is more");
  const std::string offer = "at the end of the commit's message:\n  Ratchet-Accept: ";
  ASSERT_NE(more.output.find(offer), std::string::npos) << more.output;
  const std::string offered = more.output.substr(more.output.find(offer) + offer.size());
  EXPECT_EQ(gate_with(offered.substr(0, offered.find('\n')), {"--amend"}).exit_code, 0) << offered;
  EXPECT_HAS(gate_with("cpu/02_b -9 % because of a second pass", {"--amend"}).output,
             "accepts it, up to -9 %: because of a second pass");
  const ProcessResult other = gate_with("cpu/01_a -9 % because of another row", {"--amend"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_HAS(other.errors,
             "accepts nothing by its trailer \"Ratchet-Accept: cpu/01_a -9 %\": demo/cpu/01_a is "
             "same");
  EXPECT_EQ(gate_with("02_b -9 % because of a part of a name", {"--amend"}).exit_code, 1);
  EXPECT_HAS(gate_with("03_c -9 % because of no row", {"--amend"}).errors,
             "accepts what became of 03_c, which this run does not measure");
  for (const char* trailer : {"demo/cpu/02_b because", "02_b 6 % why", "( -6 % why", "02_b -6 %"}) {
    const ProcessResult malformed = gate_with(trailer, {"--amend"});
    EXPECT_EQ(malformed.exit_code, 1) << trailer;
    EXPECT_HAS(malformed.errors, std::string("accepts nothing: ") +
                                     (trailer[0] == '(' ? "in its trailer \"(\" is neither a row"
                                                        : "its trailer \"Ratchet-Accept: "));
  }
}

TEST_F(GateAgainst, S46ACommitAcceptsThatARowDoesOtherWork) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 3000 0.001 b4"});
  const Lines against = {"--base", "HEAD~1", "--budget-s", "20"};
  git({"rm", "-q", "--cached", "--ignore-unmatch", "plan.*"});  // the worker's own notes
  git({"commit", "-q", "-a", "-m", "three times as much"});
  const ProcessResult changed = gate(against);
  EXPECT_EQ(changed.exit_code, 2) << changed.output;
  EXPECT_EQ(row("demo/cpu/02_b")["verdict"], "changed");
  EXPECT_HAS(changed.output, "the work of one call is 3000, before 1000");
  EXPECT_LACKS(changed.output, "baseline");
  const std::string offer = "  Ratchet-Accept: demo/cpu/02_b changed because REASON\n";
  EXPECT_HAS(changed.output, offer);
  const auto with = [&](const std::string& trailer) {
    git({"commit", "-q", "--amend", "-m", "three times as much\n\n" + trailer});
    return gate(against);
  };
  const ProcessResult accepted = with(offer.substr(2));
  EXPECT_EQ(accepted.exit_code, 0) << accepted.output;
  EXPECT_HAS(accepted.output, "accepts that it does other work: REASON");
  EXPECT_HAS(accepted.output, "1 changed, 1 same; 1 of the changed accepted by a commit");
  EXPECT_LACKS(accepted.output, "if it is meant");
  EXPECT_HAS(read(repository() / "results" / "report.html"),
             "1 row is changed, which a commit accepts. Nothing else got slower in ");
  const ProcessResult otherwise = with("Ratchet-Accept: cpu/02_b -90 % because it is slower");
  EXPECT_EQ(otherwise.exit_code, 2);
  EXPECT_HAS(otherwise.errors, "Ratchet-Accept: cpu/02_b -90 %\": demo/cpu/02_b is changed");
}

TEST_F(GateAgainst, S46ACommitAcceptsThatARowIsGone) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa"});
  const Lines against = {"--base", "HEAD~1", "--budget-s", "20"};
  git({"rm", "-q", "--cached", "--ignore-unmatch", "plan.*"});  // the worker's own notes
  git({"commit", "-q", "-a", "-m", "one less"});
  const ProcessResult gone = gate(against);
  EXPECT_EQ(gone.exit_code, 2) << gone.output;
  const std::string offer = "  Ratchet-Accept: demo/cpu/02_b removed because REASON\n";
  EXPECT_HAS(gone.output, offer);
  const auto with = [&](const std::string& trailer) {
    git({"commit", "-q", "--amend", "-m", "one less\n\n" + trailer});
    return gate(against);
  };
  const ProcessResult accepted = with(offer.substr(2));
  EXPECT_EQ(accepted.exit_code, 0) << accepted.output;
  EXPECT_HAS(accepted.output, "accepts that it is gone: REASON");
  EXPECT_HAS(accepted.output, "1 missing, 1 same; 1 of the missing accepted by a commit");
  EXPECT_LACKS(accepted.output, "if it is meant");
  EXPECT_EQ(row("demo/cpu/02_b")["accepted"]["removed"], true);
  EXPECT_HAS(read(repository() / "results" / "report.html"),
             "1 row is missing, which a commit accepts. Nothing else got slower in ");
  const auto accepts =
      read_json(repository() / "results" / "gate.json")["context"]["ratchet"]["run"]["accepts"];
  EXPECT_EQ(accepts[0]["removed"], true);  // for a merge
  const ProcessResult otherwise = with("Ratchet-Accept: demo/cpu/02_b changed because it is gone");
  EXPECT_EQ(otherwise.exit_code, 2);
  EXPECT_HAS(otherwise.errors, "Ratchet-Accept: demo/cpu/02_b changed\": demo/cpu/02_b is missing");
}

TEST_F(GateAgainst, S12ARepairOfACrashPasses) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b crash 1e6 1000 0.001 b0",
        "demo/cpu/03_c failpoint 2e6 1000 0.001 c0"});
  git({"rm", "-q", "--cached", "--ignore-unmatch", "plan.*"});  // the worker's own notes
  git({"commit", "-q", "-a", "-m", "a crash"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb",
        "demo/cpu/03_c ok 1e6 1000 0.001 cc"});
  git({"rm", "-q", "--cached", "--ignore-unmatch", "plan.*"});
  git({"commit", "-q", "-a", "-m", "a repair"});
  const ProcessResult repaired = gate({"--base", "HEAD~1", "--budget-s", "20"});
  EXPECT_EQ(repaired.exit_code, 0) << repaired.output;
  EXPECT_HAS(repaired.output, "PASS (exit 0): 2 new, 1 same");
  EXPECT_HAS(row("demo/cpu/02_b")["reason"].get<std::string>(), "the base fails: launch 1: ");
  EXPECT_EQ(row("demo/cpu/03_c")["reason"],
            "the base fails: in-situ check: counted 3 of 4; nothing to compare");
  EXPECT_EQ(gate({"--base", "HEAD~1", "--budget-s", "20", "--strict"}).exit_code, 3);
}

TEST_F(GateAgainst, S11WhatABaselineStatesHoldsAgainstABaseToo) {
  store();
  commit();
  const ProcessResult stated = ratchet({"accept", "02_b", "--tolerance", "0.1", "--from",
                                        repository() / "results" / "gate.json", "--baseline-dir",
                                        repository() / "baselines", "--yes", "--reason", "a test"});
  ASSERT_EQ(stated.exit_code, 0) << stated.output;
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 0.95e6 1000 0.001 b2"});
  EXPECT_EQ(gate({"--base", "HEAD"}).exit_code, 0);
  EXPECT_EQ(row("demo/cpu/02_b")["verdict"], "same");
  EXPECT_EQ(row("demo/cpu/02_b")["tolerance"], 0.1);
  EXPECT_EQ(row("demo/cpu/02_b")["work"], "b2") << "what this build executes";
}

TEST_F(GateAgainst, ChangedBaselinesLeaveTheBuildItsCommit) {
  store();
  git({"add", "baselines"});
  const auto revision = [&] {
    gate();
    return read_json(repository() / "results" / "gate.json")["context"]["ratchet"]["revision"]
        .get<std::string>();
  };
  EXPECT_EQ(revision().find("-dirty"), std::string::npos);
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  EXPECT_HAS(revision(), "-dirty");
}

TEST_F(GateAgainst, S27TheCommitThatStoredABaselineIsItsBuildIfItExecutesWhatItSays) {
  // Accepted before it was committed, as one works: the revision named is none.
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b1"});
  store();
  EXPECT_HAS(stored_revision(), "-dirty");
  commit();
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  EXPECT_EQ(gate().exit_code, 0);
  EXPECT_HAS(row("demo/cpu/02_b")["remarks"][0].get<std::string>(), "against ");
  // A commit that executes something else is not taken for it.
  git({"checkout", "-q", "plan"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b7"});
  git({"add", "plan"});
  git({"commit", "-q", "--amend", "--no-edit"});
  const ProcessResult other = gate();
  EXPECT_HAS(other.output, "1 row is compared with stored figures only: the baseline in ");
  EXPECT_HAS(other.output, "it had uncommitted changes, and no build of commit ");
  EXPECT_HAS(other.output, ", which stored it, or of " + stored_revision().substr(0, 12) +
                               " executes that code here");
  EXPECT_FALSE(row("demo/cpu/02_b").contains("remarks"));
}

TEST_F(GateAgainst, S27TheCommitThatFiguresNameNeedsNoBranch) {
  store();
  const std::string named = stored_revision().substr(0, 12);
  const auto amend = [&] {
    plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b7"});
    git({"add", "plan", "baselines"});
    git({"commit", "-q", "--amend", "-m", "rebased"});
    plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  };
  amend();
  const ProcessResult off_branch = gate();
  ASSERT_TRUE(row("demo/cpu/02_b").contains("remarks")) << off_branch.output;
  EXPECT_EQ(row("demo/cpu/02_b")["remarks"][0], "against " + named);
  // Which goes when git tidies.
  std::filesystem::remove(repository() / ".git" / "ORIG_HEAD");
  git({"reflog", "expire", "--expire=now", "--all"});
  git({"prune", "--expire=now"});
  std::string gone = gate().output;
  gone.erase(0, gone.find("stored figures only"));
  EXPECT_HAS(gone, "was measured at revision \"" + named);
  EXPECT_HAS(gone, "has no revision \"" + named);
  EXPECT_LACKS(gone, "executes that code");
  EXPECT_LACKS(gone, resolve_revision(repository(), "HEAD").substr(0, 12));
  // Changes that were not committed may be of other rows.
  git({"checkout", "-q", "plan"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 a1", "demo/cpu/02_b ok 1e6 1000 0.001 b7"});
  const std::string before = resolve_revision(repository(), "HEAD").substr(0, 12);
  std::filesystem::remove_all(repository() / "baselines");
  store();
  EXPECT_HAS(stored_revision(), "-dirty");
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 a1", "demo/cpu/02_b ok 1e6 1000 0.001 b8"});
  commit();
  const ProcessResult dirty = gate();
  ASSERT_TRUE(row("demo/cpu/02_b").contains("remarks")) << dirty.output;
  EXPECT_EQ(row("demo/cpu/02_b")["remarks"][0], "against " + before);
}

TEST_F(GateAgainst, S27WithoutThatBuildTheStoredFiguresDecide) {
  store();
  commit();
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  setenv("RATCHET_FAKE_BROKEN", "1", 1);
  const ProcessResult broken = gate();
  EXPECT_HAS(broken.output, "1 row is compared with stored figures only: revision ");
  EXPECT_HAS(broken.output, "does not build: ");
  EXPECT_FALSE(row("demo/cpu/02_b").contains("remarks"));
  unsetenv("RATCHET_FAKE_BROKEN");
  gate({"--stored"});
  EXPECT_FALSE(row("demo/cpu/02_b").contains("remarks"));
  // A history that does not hold the revision.
  std::filesystem::remove_all(repository() / ".git");
  git({"init", "-q"});
  commit();
  const ProcessResult foreign = gate();
  EXPECT_HAS(foreign.output, "1 row is compared with stored figures only: ");
}

TEST_F(GateAgainst, S27AShallowCloneIsSaidToBeOne) {
  store();
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.2 b2"});
  git({"commit", "-q", "-m", "a change", "plan"});
  const auto shallow = folder() / "shallow";
  must({"git", "clone", "-q", "--depth", "1", "file://" + repository().string(), shallow});
  std::filesystem::remove_all(repository() / ".git");
  std::filesystem::rename(shallow / ".git", repository() / ".git");
  const std::string said = gate().output;
  EXPECT_HAS(said, "this clone is shallow, `git fetch --unshallow` brings the older ones");
  EXPECT_HAS(said,
             "--base REV, with a commit that you name, measures both builds side by side, after "
             "`git fetch --unshallow`");
  std::filesystem::remove_all(repository() / ".git");
  EXPECT_HAS(gate().output, "`ratchet compare --exec OLD --exec NEW` measures two programs");
}

/// Which may be older than the option.
TEST_F(GateAgainst, S27TheBuildOfTheBaselineIsNotAskedForShares) {
  const std::string now = read(repository() / "CMakeLists.txt");
  std::string old = now;
  old.replace(old.find("exec sh"), 7,
              "case \\\"$*\\\" in *ratchet_peaks*) exit 2;; esac\\nexec sh");
  write(repository() / "CMakeLists.txt", old);
  commit();
  store();
  write(repository() / "CMakeLists.txt", now);
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  commit();
  must({"cmake", "-S", repository(), "-B", repository() / "build"});
  write(folder() / "peaks.json", R"({"measured_by": "a test", "peaks": []})");
  const ProcessResult result = gate({"--peaks", folder() / "peaks.json"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_EQ(row("demo/cpu/02_b").at("verdict"), "same");
}

// Two rows of a CPU: the build that they are held beside has no CUDA stages, unless it is another
// program without them.
TEST_F(GateAgainst, BuildsWhatTheRowsNeed) {
  const std::string without = "without RATCHET_CUDA", all = "building the revision in full";
  store();
  commit();
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  const ProcessResult spared = gate();
  EXPECT_EQ(spared.exit_code, 0) << spared.output;
  EXPECT_HAS(spared.errors, without);
  EXPECT_EQ(spared.errors.find(all), std::string::npos) << spared.errors;
  EXPECT_EQ(builds(), 1);
  EXPECT_EQ(row("demo/cpu/02_b")["remarks"][0], "against " + stored_revision().substr(0, 12));

  // Against a revision that is asked for, likewise.
  commit();
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b3"});
  const ProcessResult base = gate({"--base", "HEAD"});
  EXPECT_EQ(base.exit_code, 0) << base.output;
  EXPECT_HAS(base.errors, without);
  EXPECT_EQ(builds(), 2);
}

TEST_F(GateAgainst, BuildsAllWhereRowsWouldBeOthersWithoutIt) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb"});
  write(repository() / "plan_without_cuda",
        "demo/cpu/01_a ok 1e6 1000 0.001 ab\ndemo/cpu/02_b ok 2e6 1000 0.001 bc\n");
  commit();
  store();
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  for (const Lines& how : {Lines{}, Lines{"--base", "HEAD"}}) {
    std::filesystem::remove_all(repository() / "results" / "base");
    const ProcessResult gated = gate(how);
    EXPECT_EQ(gated.exit_code, 0) << gated.output;  // the other build is twice as fast
    EXPECT_HAS(gated.errors, "building the revision in full");
    EXPECT_EQ(builds(), 2);
    // What is built as a whole serves at once.
    EXPECT_EQ(gate(how).errors.find("building"), std::string::npos);
  }
}

TEST_F(GateAgainst, ABuildCarriedElsewhereKnowsItsRevision) {
  const std::filesystem::path build = repository() / "build";
  EXPECT_EQ(built_revision(build / "perf" / "ratchet-bench"), described_revision(repository()));
  std::filesystem::rename(build, folder() / "carried");
  std::filesystem::remove(folder() / "carried" / "CMakeCache.txt");
  write(folder() / "carried" / "revision", "0123456789ab\n");
  EXPECT_EQ(built_revision(folder() / "carried" / "perf" / "ratchet-bench"), "0123456789ab");
}

}  // namespace
}  // namespace ratchet::gate
