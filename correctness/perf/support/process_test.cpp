// Running other programs: limits, ends, output; and the filters that select one of their rows.

#include "perf/support/process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <sstream>
#include <string>

#include "perf/gate/run/bench_program.h"
#include "perf/support/child_process.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/machine/cpu_affinity.h"
#include "perf/support/proc_stat.h"

namespace ratchet::gate {
namespace {

TEST(Processes, LimitsEndAndOutputAreReported) {
  const ProcessResult slow = run_process({"sh", "-c", "sleep 30 & sleep 30"}, 0.2);
  EXPECT_TRUE(slow.timed_out);
  EXPECT_LT(slow.seconds, 10);
  EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"}, 10).signal, 11);
  const ProcessResult told =
      run_process({"sh", "-c", "echo out; echo first >&2; echo last >&2; exit 4"}, 10);
  EXPECT_EQ(told.output, "out\n");
  EXPECT_EQ(told.describe(), "exited with code 4: last");
  // Of much that is said of an error the end is kept.
  const ProcessResult wordy =
      run_process({"sh", "-c", "yes | head -c 200000 >&2; echo last >&2; exit 4"}, 20);
  EXPECT_EQ(wordy.describe(), "exited with code 4: last");
  // A child left behind that holds the pipe does not hold the gate.
  EXPECT_LT(run_process({"sh", "-c", "sleep 30 & echo done"}, 20).seconds, 10);
  EXPECT_THROW(run_process({"/nowhere/program"}, 10), Error);
  EXPECT_EQ(run_process({"sh", "-c", "yes | head -c 90000000; true"}, 60).output.size(), 64u << 20);
}

/// Whether a file appears within some seconds.
bool appears(const std::filesystem::path& file) {
  for (int i = 0; i < 500 && !std::filesystem::exists(file); ++i) usleep(10'000);
  return std::filesystem::exists(file);
}

/// As a build tool does: starts a compiler in a group of its own, and ends it when asked to end.
/// A signal just before `wait` would not end that. Whoever read what the shell says of a killed
/// command may be gone.
std::vector<std::string> build_tool(const std::filesystem::path& folder) {
  return {"sh", "-c",
          "trap '' PIPE; cd \"$1\"; setsid sleep 60 & job=$!; trap 'kill $job; touch ended; exit "
          "1' TERM; touch "
          "begun; while :; do sleep 0.05; done",
          "sh", folder.string()};
}

TEST(Processes, AWarningOfTheBuildIsNoReason) {
  ProcessResult result;
  result.signal = 11;
  result.errors =
      "Running ./bench\nRun on (2 X 2000 MHz CPU s)\n  L1 Data 32 KiB (x1)\nLoad Average: 1, 2, "
      "3\n***WARNING*** built as "
      "DEBUG\n\n";
  EXPECT_EQ(result.describe(), "was killed by signal 11 (Segmentation fault)");
  result.errors += "assertion failed \r\n***WARNING*** built as DEBUG\n";
  EXPECT_EQ(result.last_error(), "assertion failed");
  result.errors += "Running out of memory\n";
  EXPECT_EQ(result.last_error(), "Running out of memory");
}

TEST(Processes, WhatAKilledProcessWasRunningIsAskedToEnd) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const ScratchFolder folder;
    const pid_t parent = fork();
    if (parent == 0) {
      run_process(build_tool(folder.path()), 60);
      _exit(0);
    }
    ASSERT_TRUE(appears(folder.path() / "begun"));
    kill(parent, signal);
    waitpid(parent, nullptr, 0);
    EXPECT_TRUE(appears(folder.path() / "ended")) << strsignal(signal);
  }
}

TEST(Processes, AProcessWhoseTimeIsOverIsAskedToEnd) {
  const ScratchFolder folder;
  const ProcessResult result = run_process(build_tool(folder.path()), 0.5);
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "ended"));
  const ProcessResult deaf = run_process({"sh", "-c", "trap '' TERM; sleep 60"}, 0.2);
  EXPECT_TRUE(deaf.timed_out);
  EXPECT_EQ(deaf.signal, SIGKILL);
}

/// Not there, or dead and not yet waited for.
bool has_ended(const std::string& pid) {
  std::ifstream stat("/proc/" + pid + "/stat");
  std::string text;
  return !std::getline(stat, text) || text.substr(text.rfind(')') + 2, 1) == "Z";
}

TEST(Processes, WhatAProcessLeavesBehindIsEnded) {
  const ProcessResult left = run_process({"sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!"}, 20);
  ASSERT_TRUE(left.ok()) << left.describe();
  const std::string pid = left.output.substr(0, left.output.find('\n'));
  for (int i = 0; i < 500 && !has_ended(pid); ++i) usleep(10'000);
  EXPECT_TRUE(has_ended(pid));
}

TEST(Filters, NamesAreMatchedExactly) {
  EXPECT_EQ(exact_filter("f/cpu/01_a/threads:4"), "^f/cpu/01_a/threads:4$");
  EXPECT_EQ(exact_filter("a.b+c"), "^a\\.b\\+c$");
}

TEST(Processes, VariablesAreTheChildsAlone) {
  EXPECT_EQ(run_process({"sh", "-c", "echo $RATCHET_TRIED"}, 5, {{"RATCHET_TRIED", "7"}}).output,
            "7\n");
  EXPECT_EQ(getenv("RATCHET_TRIED"), nullptr);
}

TEST(Children, AreSpokenToLineByLine) {
  ChildProcess child({"sh", "-c", "while read a; do echo \"<$a>\"; done; echo last; exit 3"}, {},
                     Stdin::open);
  child.write_line("one");
  EXPECT_EQ(child.read_line(10), "<one>");
  EXPECT_EQ(child.read_line(0.05), std::nullopt);  // it has nothing to say, and is there
  EXPECT_TRUE(child.has_output());
  child.write_line("two");
  EXPECT_EQ(child.read_line(10), "<two>");
  const ProcessResult result = child.finish(10);  // its stdin ends
  EXPECT_EQ(result.output, "last\n");
  EXPECT_EQ(result.exit_code, 3);
}

/// A program that starts three threads when it is told to; told again, each says where it may run.
TEST(Children, DISABLED_ThreadsThatSayWhereTheyMayRun) {
  const auto wait = [](const char* at) {
    std::cout << at << std::endl;
    std::string line;
    std::getline(std::cin, line);
  };
  const auto say = [] {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    return CPU_COUNT(&allowed) == 1 ? "one " : "several ";
  };
  wait("alone");
  std::promise<void> told;
  const std::shared_future<void> go(told.get_future());
  std::vector<std::future<const char*>> said;
  for (int i = 0; i < 3; ++i)
    said.push_back(std::async(std::launch::async, [&] { return go.wait(), say(); }));
  wait("started");
  told.set_value();
  for (auto& each : said) std::cout << each.get();
  std::cout << say() << std::endl;
}

std::string where_threads_run(const std::string& spread_at, const std::vector<int>& cpus) {
  ChildProcess child(
      {own_executable().string(), "--gtest_also_run_disabled_tests",
       "--gtest_filter=Children.DISABLED_*"},
      {{"GTEST_TOTAL_SHARDS", "1"}, {"GTEST_SHARD_INDEX", "0"}},  // not those of this one
      Stdin::open);
  for (const char* at : {"alone", "started"}) {
    std::optional<std::string> line;
    do line = child.read_line(20);
    while (line && *line != at);
    child.pause();
    if (at == spread_at) child.spread_threads(cpus);
    child.resume();
    child.write_line("go on");
  }
  return child.finish(20).output;
}

TEST(Children, ThreadsAreSpreadOverCpusButTheFirstMayStartOthersAnywhere) {
  const std::vector<int> cpus = timing::allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "one CPU";
  const std::string spread = where_threads_run("started", cpus);
  const std::string alone = where_threads_run("alone", cpus);
  EXPECT_NE(spread.find("one one one several"), std::string::npos) << spread;
  EXPECT_NE(alone.find("several several several several"), std::string::npos) << alone;
}

TEST(Children, ThreadsOnOneCpuAreThereWithTheFirst) {
  if (timing::allowed_cpus().size() < 2) GTEST_SKIP() << "one CPU";
  const std::string one = where_threads_run("started", {timing::allowed_cpus().back()});
  EXPECT_NE(one.find("one one one one"), std::string::npos) << one;
}

TEST(Children, OneThatIsGoneIsToldInVain) {
  // What a grandchild holds open says nothing of the child.
  for (const char* command : {"exit 4", "sleep 60 & exit 4"}) {
    ChildProcess child({"sh", "-c", command}, {}, Stdin::open);
    EXPECT_EQ(child.read_line(10), std::nullopt);
    EXPECT_FALSE(child.has_output()) << command;
    for (int i = 0; i < 100; ++i) child.write_line("are you there");  // no SIGPIPE
    EXPECT_EQ(child.finish(10).exit_code, 4);
  }
}

TEST(Children, StandStillWhilePaused) {
  ChildProcess child({"sh", "-c", "while read a; do echo \"<$a>\"; done"}, {}, Stdin::open);
  child.write_line("one");
  EXPECT_EQ(child.read_line(10), "<one>");
  child.pause();
  child.write_line("two");
  EXPECT_EQ(child.read_line(0.1), std::nullopt);
  child.resume();
  EXPECT_EQ(child.read_line(10), "<two>");
}

TEST(Children, EndWithTheObject) {
  pid_t pid = 0;
  {
    ChildProcess child({"sh", "-c", "echo $$; sleep 100"}, {});
    pid = std::stoi(child.read_line(10).value());
    child.pause();  // a stopped one, too
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

}  // namespace

}  // namespace ratchet::gate

namespace ratchet {
namespace {

ProcStat parsed(const std::string& text) {
  std::istringstream stat(text);
  return read_proc_stat(stat, 100);
}

TEST(ProcStat, ReadsTheSumOfAllCpus) {
  const CpuTimes all =
      parsed("cpu  1000 200 300 40000 500 60 70 800 90 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n").all.value();
  EXPECT_DOUBLE_EQ(all.busy_s, 16.3);
  EXPECT_DOUBLE_EQ(all.idle_s, 405);
  EXPECT_DOUBLE_EQ(all.steal_s, 8);
  EXPECT_DOUBLE_EQ(parsed("cpu 100 0 0 300\n").all.value().steal_s, 0);  // an old kernel
}

TEST(ProcStat, ReadsEachCpu) {
  const auto each = parsed(
                        "cpu  300 0 100 900 0 0 0 50 0 0\n"
                        "cpu0 100 10 20 500 30 4 6 60 0 0\n"
                        "cpu12 200 0 80 400 0 0 0 0 7 7\n"
                        "cpufreq 1 2 3 4 5 6 7 8\nintr 5 6\n")
                        .each;
  ASSERT_EQ(each.size(), 2u);
  EXPECT_DOUBLE_EQ(each.at(0).busy_s, 1.4);  // user, nice, system, irq, softirq
  EXPECT_DOUBLE_EQ(each.at(0).idle_s, 5.3);  // idle and wait
  EXPECT_DOUBLE_EQ(each.at(0).steal_s, 0.6);
  EXPECT_DOUBLE_EQ(each.at(12).busy_s, 2.8);
  EXPECT_FALSE(proc_stat().each.empty());  // of this machine
}

TEST(ProcStat, NothingIsReadFromWhatIsNotProcStat) {
  for (const char* text :
       {"", "cpu", "cpu 1 2", "cpu a b c d", "intr 1 2 3 4 5", "nonsense\ncpu1 2 3"}) {
    EXPECT_FALSE(parsed(text).all) << text;
    EXPECT_TRUE(parsed(text).each.empty()) << text;
  }
  EXPECT_FALSE(parsed("cpu0 1 2 3 4 5").all);
}

}  // namespace

}  // namespace ratchet
