// `ratchet gate --exec COMMAND`: the figures of any command as rows, against stored baselines and
// other revisions; and its time and memory where it prints none.
#include <regex>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

class CommandGate : public GateFixture {
 protected:
  /// Of constant figures a verdict does not depend on the machine.
  void figures(const std::string& time, const std::string& size, const std::string& score) {
    write(folder() / "figures", "{\"name\": \"time\", \"value\": " + time +
                                    ", \"unit\": \"ms\"}\n{\"name\": \"size\", \"value\": " + size +
                                    ", \"unit\": \"MB\"}\n{\"name\": \"score\", \"value\": " +
                                    score + ", \"unit\": \"points\", \"direction\": \"larger\"}\n");
  }
  std::string printing() const { return "cat " + (folder() / "figures").string(); }
  ProcessResult exec(const std::string& command, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"env", "-C", folder().string(), built_program("perf/ratchet"),
                               "gate", "--exec", command, "--budget-s", "10"});
    ProcessResult result = run_process(more, 60);
    result.output += result.errors;
    return result;
  }
  ProcessResult in_folder(const std::string& command) {
    return run_process({"env", "-C", folder().string(), "sh", "-c", command}, 60);
  }
  std::size_t launches() const {
    const std::string log = read(folder() / "log");
    return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
  }
};

TEST_F(CommandGate, ComparesFiguresWithAStoredBaseline) {
  figures("10", "12", "100");
  const ProcessResult first = exec(printing());
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_HAS(first.output, "NOTHING DECIDED (exit 0): 3 uncompared");
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
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
  EXPECT_HAS(read(folder() / "results/throughput.json"), "1/MB");
  EXPECT_LACKS(read(folder() / "results/tracker.json"), "figures/size");

  EXPECT_HAS(exec(printing(), {"--filter", "score"}).output, "REGRESSION (exit 1): 1 slower");
  write(folder() / "figures", R"({"name": "time", "value": 10, "unit": "ms"})");
  const ProcessResult lost = exec(printing());
  EXPECT_EQ(lost.exit_code, 2) << lost.output;
  EXPECT_HAS(lost.output, "2 missing, 1 same");
}

/// However many rows: each launch is one process.
TEST_F(CommandGate, MeasuresAllRowsInOneProcess) {
  figures("10", "12", "100");
  const std::string counted = "echo >> " + (folder() / "log").string() + "; " + printing();
  EXPECT_EQ(exec(counted, {"--launches", "7"}).exit_code, 0);
  EXPECT_EQ(launches(), 1u + 7u);  // the first lists the rows
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
}

TEST_F(CommandGate, ACommandWithoutFiguresHasItsTimeAndItsMemory) {
  const std::string grab = "python3 -c 'a = bytearray(";
  const auto memory = [&](const std::string& bytes) {
    return exec(grab + bytes + ")'", {"--name", "grab", "--filter", "memory"});
  };
  EXPECT_HAS(memory("50000000").output, "grab/memory");
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
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
  EXPECT_EQ(accept().exit_code, 0);  // they count as verified
}

TEST_F(CommandGate, RefusesWhatItCannotRead) {
  const auto refused = [&](const std::string& command, const std::vector<std::string>& more = {}) {
    const ProcessResult result = exec(command, more);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    const std::size_t line = result.output.rfind("ratchet: ");
    return line == std::string::npos ? result.output : result.output.substr(line);
  };
  EXPECT_HAS(refused("echo lost >&2; exit 3"), "it exited with code 3: lost");
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

TEST_F(CommandGate, S45HoldsFiguresAgainstLimits) {
  figures("10", "12", "100");
  const ProcessResult kept =
      exec(printing(), {"--limit", "time<11ms", "--limit", "size<12100 kB", "--strict", "--results",
                        (folder() / "kept").string()});
  EXPECT_EQ(kept.exit_code, 3) << kept.output;  // for the rows without a baseline
  EXPECT_HAS(table_line(kept.output, "figures/time"), "limit < 11 ms kept: 10 ms (10 ... 10)");
  EXPECT_EQ(exec(printing()).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
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
  EXPECT_HAS(run["run"]["commands"]["repeat"].get<std::string>(), "--limit 'size< 11 MB'");
  const ProcessResult few = exec(printing(), {"--limit", "size<11 MB", "--launches", "4"});
  EXPECT_HAS(few.output, "1 limit undecided");

  for (const auto& [limit, why] : {std::pair("size<11 ms", "does not fit figures/size"),
                                   std::pair("sise<11 MB", "no row of this run has this name"),
                                   std::pair("size", "is not ROWS<VALUE")}) {
    const ProcessResult refused = exec(printing(), {"--limit", limit});
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_HAS(refused.output, why);
  }
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
      "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo '{\"name\": \"a\", \"value\": 1, "
      "\"unit\": \"s\"}'");
  EXPECT_EQ(much.exit_code, 2);
  EXPECT_HAS(much.output, "it printed more than 4 MiB, so that figures may be missing");
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
