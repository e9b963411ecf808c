// What results say of the commits that were compared, from git and from a CI job's variables.
#include "perf/gate/provenance.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/gate/override.h"
#include "perf/support/files.h"
#include "perf/support/git.h"
#include "perf/support/process.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

class ProvenanceTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : names_) {
      if (const char* value = std::getenv(name)) kept_[name] = value;
      unsetenv(name);
    }
    git({"init", "-q", "-b", "trunk"});
  }
  void TearDown() override {
    for (const char* name : names_) unsetenv(name);
    for (const auto& [name, value] : kept_) setenv(name.c_str(), value.c_str(), 1);
  }
  void git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"-c", "user.name=Ann <b> Author", "-c", "user.email=ann@example.org", "-c",
                      "commit.gpgsign=false"});
    const ProcessResult result = run_process(
        git_command(folder(), arguments, {"GIT_COMMITTER_DATE=2026-01-31T13:00:00+0100"}), 60);
    ASSERT_TRUE(result.ok()) << result.describe();
  }
  void commit(const std::string& message) {
    write_atomically(folder() / "message", message);
    git({"commit", "-q", "--allow-empty", "-F", "message"});
  }
  std::string head() { return resolve_revision(folder(), "HEAD"); }
  fs::path folder() const { return scratch_.path(); }

 private:
  static constexpr const char* names_[] = {"GITHUB_REPOSITORY",
                                           "GITHUB_SERVER_URL",
                                           "GITHUB_RUN_ID",
                                           "GITHUB_HEAD_REF",
                                           "GITHUB_REF_NAME",
                                           "GITHUB_BASE_REF",
                                           "CI_PROJECT_URL",
                                           "CI_PROJECT_PATH",
                                           "CI_JOB_URL",
                                           "CI_PIPELINE_URL",
                                           "CI_COMMIT_REF_NAME",
                                           "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
                                           "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"};
  std::map<std::string, std::string> kept_;
  ScratchFolder scratch_;
};

TEST_F(ProvenanceTest, ACommitIsReadFromGit) {
  commit("make it fast\n\nbody");
  commit("second");
  const BuiltCommit found = commit_in(folder(), "HEAD");
  EXPECT_EQ(found.commit, head());
  EXPECT_EQ(found.subject, "second");
  EXPECT_EQ(found.author, "Ann b Author");  // git drops the brackets
  EXPECT_EQ(found.branch, "trunk");
  EXPECT_EQ(found.date, "2026-01-31T12:00:00.000Z");
  const BuiltCommit before = commit_in(folder(), "HEAD~1");
  EXPECT_EQ(before.subject, "make it fast");
  EXPECT_EQ(before.branch, "");  // no branch ends there
  git({"checkout", "-q", "--detach"});
  EXPECT_EQ(commit_in(folder(), "HEAD").branch, "");
  EXPECT_EQ(commit_in(folder(), "trunk").branch, "trunk");
}

TEST_F(ProvenanceTest, HostileTextsAreKeptPrintableAndShort) {
  const auto subject_of = [&](const std::string& message) {
    commit(message);
    return to_json(commit_in(folder(), "HEAD")).at("subject").get<std::string>();
  };
  EXPECT_EQ(subject_of("<script>alert(1)</script> \"'&"), "<script>alert(1)</script> \"'&");
  EXPECT_EQ(subject_of("red \x1b[31m bell \x07 end"), "red \xef\xbf\xbd[31m bell \xef\xbf\xbd end");
  git({"config", "i18n.commitEncoding", "x-unknown"});  // or git takes it for Latin-1
  EXPECT_EQ(subject_of("not UTF-8: \xff\xfe."), "not UTF-8: \xef\xbf\xbd\xef\xbf\xbd.");
  const std::string cut = subject_of(std::string(4000, 'x'));
  EXPECT_EQ(cut, std::string(300, 'x') + "...");
}

TEST_F(ProvenanceTest, WithoutARepositoryNothingIsKnownAndNothingFails) {
  const ScratchFolder none;
  EXPECT_EQ(commit_in(none.path(), "HEAD").commit, "");
  EXPECT_TRUE(to_json(commit_in(none.path(), "HEAD")).empty());
  EXPECT_EQ(commit_in(folder(), "HEAD").commit, "");  // no commit yet
  EXPECT_EQ(commit_in(folder(), "--all").commit, "");
  EXPECT_EQ(project_in(none.path()), none.path().filename());
}

TEST_F(ProvenanceTest, AMergeOfAPullRequestShowsWhatItMerges) {
  commit("base");
  const std::string base = head();
  git({"checkout", "-q", "-b", "topic"});
  commit("the idea");
  const std::string topic = head();
  git({"checkout", "-q", "trunk"});
  git({"merge", "-q", "--no-ff", "-m", "Merge " + topic + " into " + base, "topic"});
  const BuiltCommit found = commit_in(folder(), "HEAD");
  EXPECT_EQ(found.commit, head());
  EXPECT_EQ(found.subject, "the idea");
}

TEST_F(ProvenanceTest, ARemoteOnAForgeHasAPage) {
  const std::map<std::string, std::string> pages = {
      {"git@github.com:owner/repo.git", "https://github.com/owner/repo"},
      {"https://github.com/owner/repo", "https://github.com/owner/repo"},
      {"https://user:secret@github.com/owner/repo.git/", "https://github.com/owner/repo"},
      {"ssh://git@gitlab.example.org:2222/group/sub/repo.git",
       "https://gitlab.example.org/group/sub/repo"},
      {"git@example.org:owner/repo.git", ""},
      {"/srv/github.com/repo", ""},
      {"https://github.com/owner/repo\" onclick=\"x", ""},
      {"", ""}};
  for (const auto& [remote, page] : pages) EXPECT_EQ(forge_of_remote(remote), page) << remote;
  commit("one");
  git({"remote", "add", "origin", "git@gitlab.example.org:group/swift.git"});
  EXPECT_EQ(project_in(folder()), "swift");
  Provenance made;
  made.url = forge_of_remote("git@gitlab.example.org:group/swift.git");
  add_base(made, folder(), "HEAD", folder() / "build");
  EXPECT_EQ(made.base.url, "https://gitlab.example.org/group/swift/-/commit/" + head());
  EXPECT_EQ(made.base.build, (folder() / "build").string());
}

TEST_F(ProvenanceTest, ACiJobNamesItsPages) {
  setenv("GITHUB_SERVER_URL", "https://code.example.org", 1);
  setenv("GITHUB_REPOSITORY", "owner/swift", 1);
  setenv("GITHUB_RUN_ID", "42", 1);
  setenv("GITHUB_HEAD_REF", "topic", 1);
  const fs::path program = folder() / "build" / "bench";
  const Provenance of_github = provenance_of(program, "unknown");
  EXPECT_EQ(of_github.project, "swift");
  EXPECT_EQ(of_github.url, "https://code.example.org/owner/swift");
  EXPECT_EQ(of_github.ci_run, "https://code.example.org/owner/swift/actions/runs/42");
  EXPECT_EQ(of_github.now.commit, "");  // HEAD here is not the revision of that build
  EXPECT_EQ(of_github.now.branch, "");
  setenv("GITHUB_SERVER_URL", "javascript:alert(1)//", 1);
  EXPECT_EQ(provenance_of(program, "unknown").url, "");
  unsetenv("GITHUB_REPOSITORY");
  setenv("CI_PROJECT_URL", "https://code.example.org/group/swift", 1);
  setenv("CI_JOB_URL", "https://code.example.org/group/swift/-/jobs/7", 1);
  const Provenance of_gitlab = provenance_of(program, "unknown");
  EXPECT_EQ(of_gitlab.ci_run, "https://code.example.org/group/swift/-/jobs/7");
  commit("one");
  Provenance made = of_gitlab;
  add_base(made, folder(), "HEAD", "");
  EXPECT_EQ(made.base.url, "https://code.example.org/group/swift/-/commit/" + head());
}

TEST(Overrides, S46TheNewestCommitCounts) {
  RowReport report;
  report.name = "my_bench/BM_x";
  report.verdict = Verdict::changed;
  std::vector<RowReport> reports = {report};
  apply_overrides(reports, {{"BM_x", {"newest", 0, "a test"}}, {"BM_x", {"older", 0, "a test"}}});
  ASSERT_TRUE(reports.front().accepted);
  EXPECT_EQ(reports.front().accepted->commit, "newest");
  EXPECT_EQ(reports.front().remarks.size(), 1u);
}

TEST(Overrides, S46WhatATrailerNamesDoesNotDependOnTheRowsOfTheRun) {
  const auto names = [](const std::string& rows, const RowId& row) {
    RowReport report;
    report.name = row;
    report.verdict = Verdict::changed;
    std::vector<RowReport> reports = {report};
    apply_overrides(reports, {{rows, {"0123456789ab", 0, "a test"}}});
    return reports.front().accepted.has_value();
  };
  for (const char* name : {"my_bench/BM_x", "BM_x"}) {
    EXPECT_TRUE(names(name, "my_bench/BM_x"));
    for (const char* row : {"my_bench/BM_x/instructions", "my_bench/BM_xy", "my_bench/BM_x/16",
                            "my_bench/a/BM_x", "BM_x/my_bench"})
      EXPECT_FALSE(names(name, row)) << name << " " << row;
  }
  EXPECT_TRUE(names("BM_x/instructions", "my_bench/BM_x/instructions"));
  EXPECT_FALSE(names("my_bench/BM_x/16", "my_bench/BM_x/16/instructions"));
  for (const char* stage : {"demo/cpu/02_b", "cpu/02_b"}) {
    EXPECT_TRUE(names(stage, "demo/cpu/02_b/width:64/input:x"));
    EXPECT_FALSE(names(stage, "demo/cpu/02_b/instructions"));
    EXPECT_FALSE(names(stage, "demo/cpu/02_bc"));
  }
  EXPECT_TRUE(names("BM_x/?", "my_bench/BM_x/instructions"));
  EXPECT_FALSE(names("^BM_x", "my_bench/BM_x"));
  EXPECT_TRUE(names("-BM_x", "my_bench/BM_y"));
  EXPECT_FALSE(names("-BM_x", "my_bench/BM_x"));
  EXPECT_TRUE(names("all", "my_bench/BM_x"));
  EXPECT_TRUE(names("copy(int)", "my_bench/copy(int)")) << "a name as it is";
  for (const char* row : {"my.bench/copy(int)", "b/f<a, b>{1}", "-b/x", "all", "b/x"}) {
    EXPECT_TRUE(names(trailer_name(row), row)) << trailer_name(row);
    EXPECT_FALSE(names(trailer_name(row), std::string(row) + "/instructions")) << row;
    EXPECT_EQ(trailer_name(row).find(' '), std::string::npos);
  }
}

}  // namespace
}  // namespace ratchet::gate
