// `ratchet gate --exec COMMAND`: the figures of any command as rows, against stored baselines and
// other revisions; and its time and memory where it prints none.
#include <fmt/format.h>

#include <regex>

#include "correctness/perf/gate/programs/command_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

TEST_F(CommandGate, ComparesFiguresWithAStoredBaseline) {
  figures("10", "12", "100");
  const ProcessResult first = exec(printing());
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_HAS(first.output, "NOTHING DECIDED (exit 0): 3 uncompared");
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  const ProcessResult same = exec(printing());
  EXPECT_HAS(same.output, "PASS (exit 0): 3 same");

  figures("4", "13", "50");
  const ProcessResult worse = exec(printing());
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(worse.output, "REGRESSION (exit 1): 2 slower, 1 faster");
  // A size is decided at 8 %: no other day moves it.
  EXPECT_HAS(table_line(worse.output, "figures/size"), "12.0 -> 13.0 MB");
  EXPECT_HAS(table_line(worse.output, "figures/score"), "100 -> 50.0 points");
  EXPECT_HAS(table_line(worse.output, "figures/time"), "10.0 -> 4.00 ms");
  const nlohmann::json kept = read_json(results())["context"]["ratchet"];
  EXPECT_EQ(kept["rows"]["figures/size"]["unit"], "MB (smaller is better)");
  EXPECT_HAS(kept["run"]["commands"]["repeat"].get<std::string>(),
             "gate {row} --exec '" + printing() + "' --baseline-dir");
  const ProcessResult history =
      ratchet({"history", "--history", (folder() / "results/history.sqlite").string()});
  EXPECT_HAS(history.output, "13.0 MB");
  EXPECT_HAS(ratchet({"report", results().string()}).output, "50.0 points");
  // For trackers each figure by its own value, with those of its direction.
  const nlohmann::json smaller = read_json(folder() / "results/smaller.json");
  EXPECT_EQ(smaller.at(0).at("name"), "figures/size");
  EXPECT_EQ(smaller.at(0).at("unit"), "MB");
  EXPECT_EQ(smaller.at(0).at("value"), 13);
  const nlohmann::json larger = read_json(folder() / "results/throughput.json");
  ASSERT_EQ(larger.size(), 1u);
  EXPECT_EQ(larger.at(0).at("name"), "figures/score");
  EXPECT_EQ(larger.at(0).at("value"), 50);
  const nlohmann::json bencher = read_json(folder() / "results/bencher.json");
  EXPECT_EQ(bencher.at("figures/size").at("file-size").at("value"), 13e6);
  EXPECT_EQ(bencher.at("figures/time").at("latency").at("value"), 4e6);
  EXPECT_LACKS(read(folder() / "results/tracker.json"), "figures/size");

  EXPECT_HAS(exec(printing(), {"--filter", "score"}).output, "REGRESSION (exit 1): 1 slower");
  write(folder() / "more", R"({"name": "errors", "value": 0, "unit": "errors"})");
  const ProcessResult more = exec("cat more", {"--name", "others"});
  EXPECT_EQ(more.exit_code, 0) << more.output;
  EXPECT_HAS(more.output, "--reason \"new rows on ") << "the machine has a baseline";
  const std::string unknown = exec("nosuchprogram").output;
  EXPECT_HAS(unknown, "nosuchprogram: not found");
  EXPECT_LACKS(unknown, "env");
  write(folder() / "figures", R"({"name": "time", "value": 10, "unit": "ms"})");
  const ProcessResult lost = exec(printing());
  EXPECT_EQ(lost.exit_code, 2) << lost.output;
  EXPECT_HAS(lost.output, "2 missing, 1 same");
}

/// A command may print the whole file of a tool, Google Benchmark's among them.
TEST_F(CommandGate, ReadsWhatGoogleBenchmarkPrints) {
  const auto row = [](const std::string& name, double time, const std::string& more) {
    return fmt::format(R"({{"name": "{}", "real_time": {}, "time_unit": "us"{}}})", name, time,
                       more);
  };
  const std::string file = R"({"context": {"num_cpus": 2}, "benchmarks": [)" +
                           row("BM_a", 3, R"(, "run_type": "iteration")") + "," +
                           row("BM_a", 5, "") + "," + row("BM_a", 9, "") + "," +
                           row("BM_a_mean", 6, R"(, "run_type": "aggregate")") + "," +
                           row("BM_b", 7, "") + "]}";
  write(folder() / "figures", file);
  const ProcessResult read_it = exec(printing());
  EXPECT_EQ(read_it.exit_code, 0) << read_it.output;
  const nlohmann::json rows = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(rows.size(), 2u) << rows.dump();
  EXPECT_HAS(table_line(read_it.output, "figures/BM_a"), "5.00 us");
  write(folder() / "figures", R"({"benchmarks": [{"name": "BM_a", "error_occurred": true}]})");
  const ProcessResult failed = exec(printing());
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_HAS(failed.output, "BM_a failed, or has no real_time");
}

/// However many rows: each launch is one process.
TEST_F(CommandGate, MeasuresAllRowsInOneProcess) {
  figures("10", "12", "100");
  const std::string counted = "echo >> " + (folder() / "log").string() + "; " + printing();
  EXPECT_EQ(exec(counted, {"--launches", "7"}).exit_code, 0);
  EXPECT_GE(launches(), 1u + 7u);  // the first lists the rows
  EXPECT_LE(launches(), 1u + 2 * 7u) << "on a busy machine some are made again";
}

TEST_F(CommandGate, ComparesWithAnotherRevision) {
  figures("10", "12", "100");
  ASSERT_TRUE(
      in_folder("git init -q && echo '/results/\n/plan*\n/log' > .gitignore && git add . && "
                "git -c user.name=a -c user.email=a@b commit -qm first")
          .ok());
  const ProcessResult same = exec("cat figures", {"--base", "HEAD"});
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_HAS(same.output, "PASS (exit 0): 3 same");
  figures("10", "13", "100");
  const ProcessResult worse =
      exec("echo >> " + (folder() / "log").string() + "; cat figures", {"--base", "HEAD"});
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(worse.output, "1 slower, 2 same");
  EXPECT_HAS(table_line(worse.output, "figures/size"), "12.0 -> 13.0 MB");
  // Rows share their pairs, and those that are the same are decided first.
  const nlohmann::json rows = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(launches(), 2 + 2 * rows["figures/size"]["launches"].get<std::size_t>());
  // What git does not have is made there first.
  const ProcessResult built =
      exec("cat made", {"--base", "HEAD", "--build-cmd", "cp figures made"});
  EXPECT_EQ(built.exit_code, 2);
  EXPECT_HAS(built.output, "cat: made: No such file");
  ASSERT_TRUE(in_folder("cp figures made").ok());
  EXPECT_HAS(exec("cat made", {"--base", "HEAD", "--build-cmd", "cp figures made"}).output,
             "1 slower, 2 same");
  // Git does not track it, so that no revision ever has it: that must not pass for a new script.
  const ProcessResult untracked = exec("cat made", {"--base", "HEAD"});
  EXPECT_EQ(untracked.exit_code, 2);
  EXPECT_HAS(untracked.output, "has no made, which the command needs and git does not track");
}

TEST_F(CommandGate, ACommandThatTheBaseLacksIsNewAndABrokenOneAnError) {
  figures("10", "12", "100");
  write(folder() / "bench.sh", "exit 4\n");
  const std::string commit =
      " && git add . && git -c user.name=a -c user.email=a@b commit -qm next";
  ASSERT_TRUE(
      in_folder("git init -q && echo '/results/\n/plan*\n/log' > .gitignore" + commit).ok());
  write(folder() / "bench.sh", "cat figures\n");
  write(folder() / "new.sh", "cat figures\n");
  ASSERT_TRUE(in_folder("true" + commit).ok());
  const ProcessResult added = exec("sh new.sh", {"--base", "HEAD~1"});
  EXPECT_EQ(added.exit_code, 0) << added.output;
  EXPECT_HAS(added.output, "NOTHING WAS COMPARED.");
  EXPECT_HAS(added.output, "has no new.sh, which the command needs");
  EXPECT_EQ(exec("sh new.sh", {"--base", "HEAD~1", "--strict"}).exit_code, 3);
  const ProcessResult broken = exec("sh bench.sh", {"--base", "HEAD~1"});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_HAS(broken.output, "it exited with code 4");
  EXPECT_HAS(broken.output, "it has to run in the base HEAD~1 (");
  const ProcessResult early = ratchet_here("bisect HEAD~1 HEAD --exec 'sh bench.sh'");
  EXPECT_EQ(early.exit_code, 2);
  EXPECT_HAS(early.output, "GOOD (HEAD~1): the command sh bench.sh in ");
  EXPECT_HAS(early.output, "name a later GOOD, in which the command runs");
  write(folder() / "bench.sh", "exit 4\n");
  ASSERT_TRUE(in_folder("true" + commit).ok());
  const ProcessResult late = ratchet_here("bisect HEAD~1 HEAD --exec 'sh bench.sh'");
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_HAS(late.output, "BAD (HEAD): the command sh bench.sh in ");
  EXPECT_HAS(late.output, "run it there by hand, or name a BAD in which the command runs");
}

TEST_F(CommandGate, BisectFindsTheCommitThatMadeAFigureWorse) {
  const auto commit = [&](const std::string& size, const std::string& file = "note") {
    figures("10", size, "100");
    write(folder() / file, size);
    ASSERT_TRUE(
        in_folder("git add . && git -c user.name=a -c user.email=a@b commit -qm " + size).ok());
  };
  ASSERT_TRUE(in_folder("git init -q && echo '/results/\n/plan*\n/log' > .gitignore").ok());
  for (const char* size : {"12", "12.001", "12.002", "15", "15.001"}) commit(size);
  const ProcessResult found =
      ratchet_here("bisect HEAD~4 HEAD --exec 'cat figures' --budget-s 10 --build-cmd true");
  EXPECT_EQ(found.exit_code, 1) << found.output;
  EXPECT_HAS(found.output, "figures/size: throughput -20.01 %");
  EXPECT_HAS(found.output,
             in_folder("git rev-parse --short=12 HEAD~1").output.substr(0, 12) + " 15");
  // A gate offers it.
  const ProcessResult gated = exec("cat figures", {"--base", "HEAD~3"});
  EXPECT_HAS(gated.output, " bisect ");
  EXPECT_HAS(gated.output, " figures/size --exec 'cat figures'");
  // A document may be what the command measures, and 0 is no obstacle.
  for (const std::string size : {"0", "0 ", "3"}) {
    write(folder() / "page.md", R"({"name": "errors", "unit": "errors", "value": )" + size + "}\n");
    ASSERT_TRUE(
        in_folder("git add . && git -c user.name=a -c user.email=a@b commit -qm " + size).ok());
  }
  const ProcessResult zero =
      ratchet_here("bisect HEAD~2 HEAD --exec 'cat page.md' --budget-s 10 --anew");
  EXPECT_EQ(zero.exit_code, 1) << zero.output;
  EXPECT_HAS(zero.output, "page.md/errors: throughput -100.00 %");
  EXPECT_HAS(ratchet_here("bisect HEAD~2 HEAD --exec true --bench b").output,
             "--bench has no effect with --exec");
}

TEST_F(CommandGate, ACommandWithoutFiguresHasItsTimeAndItsMemory) {
  const std::string grab = "python3 -c 'a = bytearray(";
  const auto memory = [&](const std::string& bytes) {
    return exec(grab + bytes + ")'", {"--name", "grab", "--filter", "memory"});
  };
  EXPECT_HAS(memory("50000000").output, "grab/memory");
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  const ProcessResult more = memory("90000000");
  EXPECT_EQ(more.exit_code, 1) << more.output;
  EXPECT_HAS(table_line(more.output, "grab/memory"), " MB ");
  const ProcessResult all = exec("true", {"--launches", "2"});
  EXPECT_EQ(all.exit_code, 0) << all.output;
  for (const char* row : {"true/wall", "true/cpu", "true/memory"}) EXPECT_HAS(all.output, row);
  // Below what the kernel counts of the gate itself.
  EXPECT_HAS(table_line(all.output, "true/memory"), "8.00 MB");
}

TEST_F(CommandGate, ChecksFirst) {
  figures("10", "12", "100");
  const ProcessResult wrong = exec(printing(), {"--check-cmd", "false"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_HAS(wrong.output, "the check failed, so nothing was timed: false");
  EXPECT_EQ(exec(printing(), {"--check-cmd", "true"}).exit_code, 0);
  EXPECT_EQ(accept({"--contended"}).exit_code, 0);  // they count as verified
}

TEST_F(CommandGate, RefusesWhatItCannotRead) {
  const auto refused = [&](const std::string& command, const std::vector<std::string>& more = {}) {
    const ProcessResult result = exec(command, more);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    const std::size_t line = result.output.rfind("ratchet: ");
    return line == std::string::npos ? result.output : result.output.substr(line);
  };
  EXPECT_HAS(refused("echo lost >&2; exit 3"), "it exited with code 3: lost; run it there by hand");
  EXPECT_HAS(refused("  "), "--exec names no command");
  EXPECT_HAS(refused("echo '{\"name\": '"), "line 1 of its output");
  EXPECT_HAS(refused("echo '{\"name\": \"a\", \"value\": 1}'"), "name it by --direction");
  EXPECT_HAS(refused("true", {"--bench", "b"}), "--bench has no effect with --exec");
  EXPECT_HAS(refused("true", {"--", "--fast"}), "write them into the command");
  EXPECT_HAS(refused("true", {"--filter", "wal", "--name", "a/b"}), "has a /");
  EXPECT_HAS(refused("echo '[{\"name\": \"a\", \"value\": 1}]'",
                     {"--direction", "larger", "--filter", "b"}),
             "b");
}

TEST_F(CommandGate, FiguresOfZeroAreComparedWhereSmallerIsBetter) {
  const auto count = [&](const std::string& allocs, const std::string& leaks) {
    write(folder() / "figures", "[{\"name\": \"allocs\", \"value\": " + allocs +
                                    ", \"unit\": \"allocs\"},\n{\"name\": \"leaks\", \"value\": " +
                                    leaks + ", \"direction\": \"smaller\"}]");
  };
  count("0", "3");
  ASSERT_EQ(exec(printing(), {"--limit", "allocs<1 allocs"}).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  const ProcessResult same = exec(printing());
  EXPECT_HAS(same.output, "PASS (exit 0): 2 same");
  EXPECT_HAS(table_line(same.output, "figures/allocs"), "0 -> 0 allocs");
  EXPECT_HAS(table_line(same.output, "figures/allocs"), "exact: the same value in every launch");
  count("3", "0");
  const ProcessResult moved = exec(printing(), {"--limit", "allocs<1 allocs"});
  EXPECT_EQ(moved.exit_code, 1) << moved.output;
  EXPECT_HAS(moved.output, "REGRESSION (exit 1): 1 slower, 1 faster");
  EXPECT_HAS(table_line(moved.output, "figures/allocs"), "-100.00 %");
  EXPECT_HAS(table_line(moved.output, "figures/allocs"), "0 -> 3.00 allocs");
  EXPECT_HAS(table_line(moved.output, "figures/allocs"), "limit < 1 allocs exceeded: 3 allocs");
  EXPECT_HAS(table_line(moved.output, "figures/leaks"), "+inf %");
  EXPECT_HAS(table_line(moved.output, "figures/leaks"), "3.00 -> 0");
  const nlohmann::json smaller = read_json(folder() / "results/smaller.json");
  EXPECT_EQ(smaller.at(0).at("value"), 3);
  EXPECT_EQ(smaller.at(1).at("value"), 0);
  EXPECT_EQ(read_json(folder() / "results/bencher.json")["figures/leaks"]["value"]["value"], 0);
  const std::string database = (folder() / "results/history.sqlite").string();
  EXPECT_HAS(ratchet({"history", "figures/leaks", "--history", database}).output, "+inf %");
  EXPECT_HAS(accept().output, "-> 0 (± 0 %), throughput +inf %");
  for (const char* file : {"summary.md", "junit.xml", "report.html", "gate.json"})
    for (const char* word : {"nan", "e+1"})
      EXPECT_LACKS(read(folder() / "results" / file), std::string(" ") + word) << file;
  // Where larger is better, and of a time, there is nothing to compare it by.
  for (const auto& [more, why] :
       {std::pair(R"("unit": "ms")", "do more work for each time"),
        std::pair(R"("unit": "x", "direction": "larger")", "0 can be where smaller is better")}) {
    write(folder() / "figures", std::string(R"({"name": "a", "value": 0, )") + more + "}");
    const ProcessResult refused = exec(printing());
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_HAS(refused.output, why);
  }
}

/// One run stored it, and the next may be an occasion in which the machine is faster: no score is.
TEST_F(CommandGate, S47AFigureThatIsNoTimeIsExact) {
  figures("10", "12", "100");
  ASSERT_EQ(exec(printing()).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  figures("10", "12", "90");
  const ProcessResult fewer = exec(printing());
  EXPECT_EQ(fewer.exit_code, 1) << fewer.output;
  EXPECT_HAS(table_line(fewer.output, "figures/score"), "exact: the same value in every launch");
  EXPECT_LACKS(table_line(fewer.output, "figures/time"), "exact");
}

/// A size or a count that no launch changes needs no pairs to be sure of.
TEST_F(CommandGate, S47ExactFiguresAreDecidedByAFewLaunches) {
  figures("10", "12", "100");
  const std::vector<std::string> few = {"--launches", "3"};
  ASSERT_EQ(exec(printing(), few).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified", "--contended"}).exit_code, 0);
  figures("20", "13", "100");
  const ProcessResult slower = exec(printing(), few);
  EXPECT_HAS(table_line(slower.output, "figures/size"), "exact: the same value in every launch");
  const nlohmann::json rows = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(rows["figures/size"]["verdict"], "slower");
  EXPECT_EQ(rows["figures/size"]["high"], rows["figures/size"]["low"]);
  EXPECT_LACKS(table_line(slower.output, "figures/time"), "exact");  // times scatter elsewhere
  EXPECT_LACKS(slower.output, "--reason \"faster\"");
  figures("10", "11", "100");
  const ProcessResult better = exec(printing(), few);
  EXPECT_EQ(better.exit_code, 0);
  EXPECT_HAS(better.output, " accept figures/size --from ");  // that it becomes the baseline
  EXPECT_HAS(better.output, "--reason \"faster\"");
}

/// A launch that prints something else than the first one fails, by row.
TEST_F(CommandGate, FailsWhatChangesBetweenLaunches) {
  const auto later = [&](const std::string& output) {
    write(folder() / "later", output);
    write(folder() / "once", R"({"name": "a", "value": 1, "unit": "ms"})");
    const ProcessResult result = exec("cat once later 2>/dev/null; mv once gone 2>/dev/null; true",
                                      {"--name", "changing", "--launches", "2"});
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return std::regex_replace(result.output, std::regex("\n +"), " ");
  };
  EXPECT_HAS(later(""), "it printed no figures");
  write(folder() / "unit.sh",
        "if [ -e seen ]; then u=s; else u=ms; fi; : > seen\n"
        "echo '{\"name\": \"a\", \"value\": 1, \"unit\": \"'$u'\"}'\n");
  const ProcessResult unit = exec("sh unit.sh");
  EXPECT_EQ(unit.exit_code, 2);
  EXPECT_HAS(
      unit.output,
      "it is in s (smaller is better), but was in ms (smaller is better) in the first launch");
  EXPECT_HAS(unit.output, "unit.sh/a");
  write(folder() / "more.sh",
        "echo '{\"name\": \"a\", \"value\": 1, \"unit\": \"s\"}'\n"
        "[ -e more ] && echo '{\"name\": \"b\", \"value\": 1, \"unit\": \"s\"}'\n"
        ": > more\n");
  EXPECT_HAS(exec("sh more.sh").output,
             "it printed more.sh/b, which it did not in the first launch");
  write(folder() / "fails.sh",
        "[ -e fails ] && exit 5\necho '{\"name\": \"a\", \"value\": 1, "
        "\"unit\": \"s\"}'\n: > fails\n");
  const ProcessResult fails = exec("sh fails.sh");
  EXPECT_EQ(fails.exit_code, 2);
  EXPECT_HAS(fails.output, "launch 1: it exited with code 5");
}

TEST_F(CommandGate, WhatPrintsMoreThanIsReadIsRefused) {
  const ProcessResult much = exec(
      "head -c 70000000 /dev/zero | tr '\\0' x; echo; echo '{\"name\": \"a\", \"value\": 1, "
      "\"unit\": \"s\"}'");
  EXPECT_EQ(much.exit_code, 2);
  EXPECT_HAS(much.output, "it printed more than 64 MiB, so that figures may be missing");
}

/// The example of the guide, as it stands there.
TEST_F(CommandGate, RunsTheExampleOfTheGuide) {
  const std::string page = read(RATCHET_DATA_DIR "/../perf/guide/any_command.md");
  std::smatch script;
  ASSERT_TRUE(std::regex_search(page, script, std::regex("```python\n([^`]*)```")));
  write(folder() / "bench.py", script[1]);
  const ProcessResult first = exec("python3 bench.py", {"--launches", "2"});
  EXPECT_EQ(first.exit_code, 0) << first.output;
  for (const char* row : {"bench.py/sort", "bench.py/packed"}) EXPECT_HAS(first.output, row);
}

}  // namespace
}  // namespace ratchet
