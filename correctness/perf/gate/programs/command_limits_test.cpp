// Absolute limits of the figures that a command prints: of a run, stored, and against a base.
#include "correctness/perf/gate/programs/command_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

/// What names rows that the run leaves out, and options without effect, get a line.
TEST_F(CommandGate, S45NothingNamedFallsAwayInSilence) {
  figures("10", "12", "100");
  const ProcessResult one = exec(printing(), {"--filter", "time", "--limit", "size<11 MB",
                                              "--tolerance", "score=0.2", "--direction", "larger"});
  EXPECT_EQ(one.exit_code, 0) << one.output;
  EXPECT_HAS(one.output, "--limit 'size<11 MB' is of rows that this run leaves out");
  EXPECT_HAS(one.output, "--tolerance score=0.2 is of rows that this run leaves out");
  EXPECT_HAS(one.output, "--direction has no effect: every figure or its unit tells its own");
  const ProcessResult none = exec(printing(), {"--filter", "time", "--limit", "sise<11 MB"});
  EXPECT_EQ(none.exit_code, 2) << none.output;
  EXPECT_HAS(none.output, "no row of this run has this name");
  EXPECT_LACKS(exec("echo '[{\"name\": \"a\", \"value\": 1}]'", {"--direction", "larger"}).output,
               "no effect");
}

TEST_F(CommandGate, S45HoldsFiguresAgainstLimits) {
  figures("10", "12", "100");
  const ProcessResult kept =
      exec(printing(), {"--limit", "time<11ms", "--limit", "size<12100 kB", "--strict", "--results",
                        (folder() / "kept").string()});
  EXPECT_EQ(kept.exit_code, 3) << kept.output;  // for the rows without a baseline
  EXPECT_HAS(table_line(kept.output, "figures/time"), "limit < 11 ms kept: 10 ms (10 ... 10)");
  EXPECT_EQ(exec(printing()).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  const ProcessResult beyond = exec(printing(), {"--limit", "size<11 MB", "--limit",
                                                 "score>99"
                                                 " points"});
  EXPECT_EQ(beyond.exit_code, 1) << beyond.output;
  EXPECT_HAS(beyond.output, "LIMIT EXCEEDED (exit 1): 3 same; 1 limit exceeded");
  const std::string line = "limit < 11 MB exceeded: 12 MB (12 ... 12)";
  EXPECT_HAS(table_line(beyond.output, "figures/size"), line);
  EXPECT_HAS(read(folder() / "results/summary.md"), "exceeded: 12 MB");
  EXPECT_HAS(read(folder() / "results/junit.xml"), "exceeded: 12 MB");
  const std::string html = read(folder() / "results/report.html");
  EXPECT_HAS(html, "exceeded: 12 MB");
  EXPECT_HAS(html, "Nothing got slower, but 1 limit is exceeded, of figures/size.");
  const nlohmann::json run = read_json(results())["context"]["ratchet"];
  EXPECT_EQ(run["rows"]["figures/size"]["limits"][0]["state"], "exceeded");
  EXPECT_EQ(run["rows"]["figures/size"]["limits"][0]["figure"], 12);
  EXPECT_EQ(run["run"]["exit_code"], 1);
  EXPECT_HAS(run["run"]["commands"]["repeat"].get<std::string>(), "--limit 'size<11 MB'");
  // It gets the launches that it needs.
  const ProcessResult few = exec(printing(), {"--limit", "size<11 MB", "--launches", "4"});
  EXPECT_HAS(few.output, "1 limit exceeded");
  const nlohmann::json rows = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(rows["figures/size"]["launches"], 5);
  EXPECT_LE(rows["figures/time"]["launches"], 4) << "fewer on a busy machine";

  for (const auto& [limit, why] :
       {std::pair("size<11 ms", "does not fit figures/size"),
        std::pair("sise<11 MB", "no row of this run has this name"),
        std::pair("size<-1 MB", "is not ROWS<VALUE"), std::pair("<1 MB", "is not ROWS<VALUE"),
        std::pair("size", "is not ROWS<VALUE")}) {
    const ProcessResult refused = exec(printing(), {"--limit", limit});
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_HAS(refused.output, why);
  }
}

/// What `accept` stored holds in every gate, and nothing of it is dropped.
TEST_F(CommandGate, S45LimitsAreStoredWithTheBaseline) {
  figures("10", "12", "100");
  ASSERT_EQ(exec(printing()).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  const ProcessResult stored = accept({"--limit", "time<9ms", "--limit", "score>50 points"});
  EXPECT_EQ(stored.exit_code, 0) << stored.output;
  EXPECT_HAS(stored.output, "10.0 ms (");
  EXPECT_HAS(stored.output, ") stays, limit none -> < 9 ms");
  EXPECT_HAS(accept({"--limit", "time<9ms"}).output, "the baseline already holds this limit");
  const ProcessResult beyond = exec(printing());
  EXPECT_EQ(beyond.exit_code, 1) << beyond.output;
  EXPECT_HAS(beyond.output, "LIMIT EXCEEDED (exit 1): 3 same; 1 limit exceeded");
  EXPECT_HAS(table_line(beyond.output, "figures/time"), "stored limit < 9 ms exceeded: 10 ms");
  const nlohmann::json rows = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(rows["figures/time"]["limits"][0]["stored"], true);
  EXPECT_EQ(rows["figures/score"]["limits"][0]["state"], "kept");
  // The command line takes precedence for its row, and says so.
  const ProcessResult replaced = exec(printing(), {"--limit", "time<20ms"});
  EXPECT_EQ(replaced.exit_code, 0) << replaced.output;
  EXPECT_HAS(table_line(replaced.output, "figures/time"),
             "limit < 20 ms (not the stored < 9 ms) kept: 10 ms");
  EXPECT_HAS(table_line(replaced.output, "figures/score"), "stored limit > 50 points kept");

  // A further accept of figures keeps them; the report of the baseline shows them.
  figures("8", "12", "100");
  EXPECT_EQ(exec(printing()).exit_code, 0);
  ASSERT_EQ(accept({"figures/time"}).exit_code, 0);
  std::string file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(baselines()))
    if (entry.path().filename() == "figures.json") file = entry.path();
  EXPECT_HAS(ratchet({"report", file}).output, "Limit of `figures/time`: < 9 ms");
  EXPECT_LACKS(ratchet({"report", file}).output, "Tolerance of");
  ASSERT_EQ(accept({"figures/time", "--tolerance", "0.2"}).exit_code, 0);
  EXPECT_HAS(ratchet({"report", file}).output, "Tolerance of `figures/time`: 20 %");

  write(folder() / "figures", R"({"name": "size", "value": 12, "unit": "MB"})");
  const ProcessResult gone = exec(printing());
  EXPECT_EQ(gone.exit_code, 2) << gone.output;
  EXPECT_HAS(table_line(gone.output, "figures/time"),
             "stored limit < 9 ms undecided: not measured");
  const ProcessResult removed = accept({"figures/time"});
  EXPECT_HAS(removed.output, "8.00 ms (± 0 %) -> removed, and its limit < 9 ms");

  EXPECT_HAS(accept({"--no-limit", "score"}).output, "stays, limit > 50 points -> none");
  const auto refused = [&](const std::vector<std::string>& words) {
    const ProcessResult result = accept(words);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.output;
  };
  EXPECT_HAS(refused({"--no-limit", "score"}), "--no-limit score: no such row has a stored limit");
  EXPECT_HAS(refused({"size", "--limit", "size<9 MB"}),
             "name their rows themselves; leave size out");
  EXPECT_HAS(refused({"--limit", "size<9 ms"}), "its unit does not fit figures/size");
  EXPECT_HAS(refused({"--limit", "size<9"}), "is in MB (smaller is better): write 'size<9 MB'");
  EXPECT_HAS(refused({"--limit", "size<-9 MB"}), "is not ROWS<VALUE");
  EXPECT_HAS(refused({"--limit", "<9 MB"}), "is not ROWS<VALUE");
  EXPECT_HAS(refused({"--limit", "sise<9 MB"}), "\"sise\" matches no stored row");
  EXPECT_HAS(exec(printing(), {"sise"}).output,
             "no row matches filter \"sise\"; it has figures/size");
  EXPECT_HAS(refused({"--limit", "size<9 MB", "--limit", "size>10 MB"}), "keeps both");
  ASSERT_EQ(accept({"--limit", "size<13 MB"}).exit_code, 0);
  EXPECT_HAS(refused({"--limit", "size>14 MB"}), "keeps both");
  // A damaged one is named.
  std::string text = read(file);
  text.replace(text.rfind("< 13 MB"), 7, "about 9");
  write(file, text);
  const ProcessResult damaged = exec(printing());
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_HAS(damaged.output, "row figures/size: its limit \"about 9\" is not <VALUE or >VALUE");
}

TEST_F(CommandGate, S45StoredLimitsHoldAgainstABaseToo) {
  figures("10", "12", "100");
  ASSERT_EQ(exec("cat figures").exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  ASSERT_EQ(accept({"--limit", "time<9ms"}).exit_code, 0);
  ASSERT_TRUE(
      in_folder("git init -q && echo '/results/\n/plan*\n/log' > .gitignore && git add . && "
                "git -c user.name=a -c user.email=a@b commit -qm first")
          .ok());
  const ProcessResult beyond = exec("cat figures", {"--base", "HEAD"});
  EXPECT_EQ(beyond.exit_code, 1) << beyond.output;
  EXPECT_HAS(beyond.output, "LIMIT EXCEEDED (exit 1): 3 same; 1 limit exceeded");
  // Neither build has the row any more, and its limit does not pass for kept.
  write(folder() / "figures", R"({"name": "size", "value": 12, "unit": "MB"})");
  ASSERT_TRUE(in_folder("git -c user.name=a -c user.email=a@b commit -qam less").ok());
  const ProcessResult gone = exec("cat figures", {"--base", "HEAD"});
  EXPECT_EQ(gone.exit_code, 2) << gone.output;
  EXPECT_HAS(table_line(gone.output, "figures/time"),
             "stored limit < 9 ms undecided: not measured");
}

}  // namespace
}  // namespace ratchet
