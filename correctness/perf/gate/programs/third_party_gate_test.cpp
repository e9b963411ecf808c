// `ratchet gate --bench` on a program that knows nothing of ratchet: stored baselines, what nobody
// checks, and other revisions of another project.
#include <fmt/format.h>
#include <sys/stat.h>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/perf/gate/programs/timeless_program.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/outcome.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

/// Two rows as Google Benchmark would give them; `fast` and `slow` take so many milliseconds a
/// call, and a thousandth more or less.
std::string program_text(double fast, double slow) {
  return "#!/bin/sh\nfast=" + std::to_string(fast) + " slow=" + std::to_string(slow) + R"(
for a; do case $a in
  --ratchet*) echo "unrecognized: $a" >&2; exit 1 ;;
  --benchmark_list_tests=true) echo fast; echo slow; exit ;;
  --benchmark_filter=*) row=$(printf %s "${a#*=}" | tr -d '^$') ;;
  --benchmark_out=*) out=${a#*=} ;;
esac; done
eval "time=\$$row"
time=$(awk -v t="$time" -v seed=$$ 'BEGIN { srand(seed); print t * (0.999 + 0.002 * rand()) }')
echo "{\"context\": {\"num_cpus\": 2}, \"benchmarks\": [{\"name\": \"$row\", \"iterations\": 9,
  \"repetition_index\": 0, \"real_time\": $time, \"cpu_time\": $time, \"time_unit\": \"ms\"}]}" > "$out"
)";
}

class ThirdPartyGate : public GateFixture {
 protected:
  void program(double fast, double slow) {
    write(bench(), program_text(fast, slow));
    chmod(bench().c_str(), 0755);
  }
  fs::path bench() const { return folder() / "my_bench"; }
  ProcessResult gate(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--budget-s", "20"});
    return gate_of(bench(), more);
  }
  /// The one file that was accepted.
  fs::path accepted() const {
    for (const auto& entry : fs::recursive_directory_iterator(baselines()))
      if (entry.path().extension() == ".json") return entry.path();
    return "";
  }
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_F(ThirdPartyGate, ComparesWithAStoredBaseline) {
  program(2, 30);
  const ProcessResult first = gate();
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_EQ(times(first.output, "No test checks what 2 rows compute"), 1u) << first.output;
  EXPECT_HAS(first.output, "my_bench/fast");
  const ProcessResult refused = accept();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.output, "--allow-unverified");
  EXPECT_EQ(accepted(), "");
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  EXPECT_EQ(accepted().filename(), "my_bench.json");
  EXPECT_EQ(read_json(accepted())["context"]["ratchet"]["unverified"], "allowed");

  const ProcessResult same = gate();
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_LACKS(same.output, "slower");
  program(2, 60);
  const ProcessResult slower = gate();
  EXPECT_EQ(slower.exit_code, 1) << slower.output;
  EXPECT_HAS(slower.output, "my_bench/slow");
  // One row alone, by its benchmark's name, without the word --filter.
  const ProcessResult one = gate({"^fast"});
  EXPECT_EQ(one.exit_code, 0) << one.output;
  EXPECT_LACKS(one.output, "my_bench/slow");
  // What was allowed once need not be allowed again.
  gate();
  EXPECT_EQ(accept().exit_code, 0);
  EXPECT_EQ(gate().exit_code, 0);
  // What got faster is to stay so: the command as it is printed.
  program(2, 30);
  const std::string faster = gate().output,
                    purpose = "so that later changes keep what got faster: ";
  ASSERT_NE(faster.find(purpose), std::string::npos) << faster;
  const std::string command = faster.substr(faster.find(purpose) + purpose.size());
  const ProcessResult kept = run_process({"sh", "-c", command.substr(0, command.find('\n'))}, 60);
  EXPECT_EQ(kept.exit_code, 0) << command << kept.output << kept.errors;
  EXPECT_HAS(kept.output, "my_bench/slow");
  EXPECT_LACKS(kept.output, "my_bench/fast");
  EXPECT_HAS(gate().output, "PASS (exit 0): 2 same");
  program(2, 60);
  EXPECT_EQ(gate().exit_code, 1) << "the ratchet holds";
}

/// Four stored launches show that a row is the same; that it is slower takes eleven of this build.
TEST_F(ThirdPartyGate, ABaselineOfFourLaunchesDecidesWithMoreOfThisBuild) {
  program(2, 30);
  gate({"--launches", "4"});
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  EXPECT_HAS(gate({"--launches", "4"}).output, "PASS (exit 0): 2 same");
  program(2, 60);
  EXPECT_HAS(gate({"--launches", "4"}).output, "8 launches are too few, at least 11 are needed");
  EXPECT_HAS(gate().output, "REGRESSION (exit 1): 1 slower, 1 same");
}

/// A row of 9 ns in all, stored and now, decides nothing; one that begins to measure something
/// does.
TEST_F(ThirdPartyGate, ARowThatMeasuresNothingDecidesNothing) {
  program(1e-6, 30);
  gate();
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  program(3e-6, 30);
  const ProcessResult noise = gate();
  EXPECT_EQ(noise.exit_code, 0) << noise.output;
  EXPECT_HAS(noise.output, "unavailable  my_bench/fast");
  EXPECT_HAS(noise.output, "measures nothing: 27 ns in total is below the clock's resolution");
  program(2, 30);
  const ProcessResult slower = gate();
  EXPECT_EQ(slower.exit_code, 1) << slower.output;
  EXPECT_HAS(slower.output, "my_bench/fast");
  // Nor is one unavailable that measures nothing any more: the compiler may have left its loop out.
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  program(1e-6, 30);
  const ProcessResult emptied = gate();
  EXPECT_HAS(emptied.output, "faster");
  EXPECT_LACKS(emptied.output, "unavailable");
}

std::string nothing_in(const Row& row) {
  const auto nothing = gate::measures_nothing(row);
  return nothing ? to_string(gate::Reason(*nothing)) : "";
}

/// One kernel of 4 us is a measurement by CUPTI, and none by the CPU's clock.
TEST(MeasuresNothing, DependsOnTheClock) {
  const auto told = [](ThroughputBasis basis, const std::map<std::string, double>& counters) {
    const nlohmann::json context = nlohmann::json::object();
    nlohmann::json row = {{"name", "row"},
                          {"iterations", 1},
                          {"real_time", 4000.0},
                          {"cpu_time", 4000.0},
                          {"time_unit", "ns"}};
    for (const auto& [name, value] : counters) row[name] = value;
    Row read = parse_third_party({{"context", context}, {"benchmarks", {row}}}, "here", {})
                   .measured.rows.at("row");
    read.basis = to_string(basis);
    return nothing_in(read);
  };
  EXPECT_HAS(told(ThroughputBasis::real_time, {}), "4e+03 ns in total");
  EXPECT_EQ(told(ThroughputBasis::device_time, {}), "");
  EXPECT_EQ(told(ThroughputBasis::gpu_samples, {}), "");
  EXPECT_EQ(told(ThroughputBasis::real_time, {{"kernels", 1}}), "");
  EXPECT_EQ(told(ThroughputBasis::real_time, {{"samples", 2}}), "");
  EXPECT_HAS(told(ThroughputBasis::real_time, {{"samples", 1}, {"kernels", 0}}), "ns in total");
}

/// Three times the work in a batch whose calls are too short to be slices of a loop; and an empty
/// loop that is laid out in another way.
TEST(MeasuresNothing, IsToldByATurnAndNotByTheQuotient) {
  const auto row = [](double ns, const std::vector<std::int64_t>& iterations) {
    Row made;
    made.name = "row";
    made.basis = "1/real_time";
    for (const std::int64_t count : iterations) {
      made.launches.push_back({static_cast<int>(made.launches.size()),
                               ns * 1e-6,
                               ns * 1e-6,
                               count,
                               {{"units", 1}, {"units_per_second", 1e9 / ns}}});
    }
    return made;
  };
  const std::vector<std::int64_t> odd = {10000019, 20000003, 30000001, 10000079,
                                         24999983, 12345677, 10000103, 10000121};
  std::vector<std::int64_t> batches = odd;
  for (std::int64_t& count : batches) count *= 4096;
  EXPECT_HAS(nothing_in(row(0.3, odd)), "an empty loop");
  EXPECT_EQ(nothing_in(row(0.3, batches)), "");
  EXPECT_EQ(nothing_in(row(0.03, odd)), "");
  const auto verdict = [&](double before, double now, const std::vector<std::int64_t>& counts) {
    return gate::judge(gate::facts_of(row(before, counts), row(now, counts),
                                      gate::Comparison::stored, 0.01,
                                      stats::plan_stored(1, 1).front()))
        .verdict;
  };
  EXPECT_EQ(verdict(0.25, 0.5, odd), gate::Verdict::unavailable);
  EXPECT_EQ(verdict(0.25, 0.75, odd), gate::Verdict::slower);
  EXPECT_EQ(verdict(0.25, 0.5, batches), gate::Verdict::slower);
  EXPECT_EQ(verdict(0.03, 0.09, odd), gate::Verdict::slower);
}

/// Nine launches of a row of calls, stated by one of its two times.
Row row_of_calls(Clock clock, double real_ms, double cpu_ms) {
  Row row;
  row.name = "p/row";
  row.clock = clock;
  row.basis = clock == Clock::cpu ? "1/cpu_time" : "1/real_time";
  for (int i = 0; i < 9; ++i) {
    const double off = 1 + 1e-4 * i;
    Launch launch{i, real_ms * off, cpu_ms * off, 100, {{"units", 1}}};
    launch.counters["units_per_second"] = 1e3 / call_ms(launch, clock);
    row.launches.push_back(launch);
  }
  return row;
}

/// The baseline was accepted before rows stated their clock; now others use half of the CPU.
TEST(Clocks, AnOldBaselineOfWallTimeIsComparedByTheClockOfNow) {
  const Row before = row_of_calls(Clock::unknown, 10, 5), now = row_of_calls(Clock::cpu, 20, 5);
  const auto plan = stats::plan_stored(9, 1).front();
  for (const auto comparison : {gate::Comparison::stored, gate::Comparison::paired}) {
    const gate::Facts facts = gate::facts_of(before, now, comparison, 0.03, plan);
    EXPECT_FALSE(is_given(facts.changed)) << to_string(facts.changed);
    ASSERT_TRUE(facts.by_launches);
    EXPECT_NEAR(facts.by_launches->ratio, 1, 1e-9);
    EXPECT_EQ(to_string(facts.clock), "cpu");
    EXPECT_NEAR(facts.before.call_s, 5e-3, 1e-5);
    EXPECT_NEAR(facts.now.throughput, 200, 0.1);
  }
  // Of two rows, wall time counts where one of them is timed by it, whichever comes first.
  const Row wall = row_of_calls(Clock::wall, 10, 5);
  for (const auto& [one, other] : {std::pair(wall, now), std::pair(now, wall)}) {
    const gate::Facts facts = gate::facts_of(one, other, gate::Comparison::rows, 0.03, plan);
    EXPECT_EQ(to_string(facts.clock), "wall");
    EXPECT_NEAR(facts.now.call_s + facts.before.call_s, 30e-3, 1e-4);
  }
  // A clock of the program's own is another thing.
  const Row manual = row_of_calls(Clock::manual, 10, 5);
  EXPECT_EQ(to_string(gate::facts_of(row_of_calls(Clock::wall, 10, 5), manual,
                                     gate::Comparison::stored, 0.03, plan)
                          .changed),
            "throughput is by manual time, before by wall time");
}

TEST_F(ThirdPartyGate, ArgumentsReachTheProgram) {
  program(2, 30);
  std::string text = read(bench());
  text.replace(text.find("for a; do case $a in\n") + 21, 0,
               "  --v=1) : > " + folder().string() + "/seen ;;\n");
  write(bench(), text);
  for (const std::vector<std::string>& order : std::vector<std::vector<std::string>>{
           {"--", "--v=1"}, {"fast", "--", "--v=1"}, {"--filter", "fast", "--", "--v=1", ""}}) {
    fs::remove(folder() / "seen");
    EXPECT_EQ(gate(order).exit_code, 0) << order.front();
    EXPECT_TRUE(fs::exists(folder() / "seen")) << order.front();
  }
}

TEST_F(ThirdPartyGate, OddNamesAreAcceptedToo) {
  program(2, 30);
  std::string text = read(bench());
  const std::string big(1100, 'T');
  for (std::size_t at = 0; (at = text.find("slow", at)) != text.npos; at += big.size())
    text.replace(at, 4, big);
  write(bench(), text);
  ASSERT_EQ(gate().exit_code, 0);
  EXPECT_EQ(accept({"--allow-unverified", "fast"}).exit_code, 0);
  EXPECT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  EXPECT_HAS(gate().output, "my_bench/" + big.substr(0, 60));
}

/// A row that the program skips is no failure for ever; that it had figures before is said.
TEST_F(ThirdPartyGate, ARowThatIsSkippedOnPurpose) {
  program(2, 30);
  gate();
  ASSERT_EQ(accept({"--allow-unverified", "fast"}).exit_code, 0);
  std::string text = read(bench());
  const std::string row = "\\\"iterations\\\": 9,";
  ASSERT_NE(text.find(row), text.npos);
  const auto skipping = [&](const std::string& name) {
    std::string changed = text;
    changed.replace(
        changed.find("time=$(awk"), 0,
        "[ $row = " + name + " ] && skip='\"skipped\": true, \"skip_message\": \"no GPU\", '\n");
    changed.replace(changed.find(row), 0, "$skip");
    write(bench(), changed);
    return gate();
  };
  const ProcessResult fresh = skipping("slow");
  EXPECT_EQ(fresh.exit_code, 0) << fresh.output;
  EXPECT_HAS(fresh.output, "skipped: no GPU");
  const ProcessResult had = skipping("fast");
  EXPECT_EQ(had.exit_code, 2);
  EXPECT_HAS(had.output, "in the baseline, now skipped: no GPU");
}

TEST_F(ThirdPartyGate, ABaselineSaysThatNobodyChecks) {
  program(2, 30);
  gate();
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  std::string text = read(accepted());
  const std::string words = "\"unverified\": \"allowed\"";
  ASSERT_NE(text.find(words), std::string::npos) << text;
  text.replace(text.find(words), words.size(), "\"unverified\": \"no\"");
  write(accepted(), text);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(result.output, "my_bench/fast: no test checked its results");
}

TEST_F(ThirdPartyGate, ACommandOfTheUsersChecks) {
  program(2, 30);
  const ProcessResult checked = gate({"--check-cmd", "test -x " + bench().string()});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_LACKS(checked.output, "No test checks");
  ASSERT_EQ(accept().exit_code, 0);
  EXPECT_FALSE(read_json(accepted())["context"]["ratchet"].contains("unverified"));
  const ProcessResult failed =
      gate({"--check-cmd", "echo '  7 - parser (Failed)'; echo 3 of 9 tests failed >&2; exit 8"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_HAS(failed.errors, "check:   7 - parser (Failed)");  // as ctest names it, on stdout
  EXPECT_HAS(failed.output, "3 of 9 tests failed");
  EXPECT_HAS(failed.output, "nothing was timed");
}

TEST_F(ThirdPartyGate, ExplainNamesWhatItCannotExplain) {
  program(1e6, 1e6);
  const ProcessResult result = run_process(
      {built_program("perf/ratchet"), "explain", "ROW", "--bench", bench().string()}, 60);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(result.errors,
             "programs that a compiler made, and " + bench().string() + " is a script");
  EXPECT_LACKS(result.errors, "bisect") << "no revision can be built here";
}

TEST_F(ThirdPartyGate, NamesThatBaselinesCannotHave) {
  program(2, 30);
  for (const char* name : {"limits", "cache_sweep_bench", "a/b"}) {
    const ProcessResult result = gate({"--name", name});
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_HAS(result.output, "--name");
  }
}

/// A project of somebody else's with a build system of its own.
class ThirdPartyProject : public ThirdPartyGate {
 protected:
  void SetUp() override {
    ThirdPartyGate::SetUp();
    write(project() / "build.sh",
          "mkdir -p out && cp source out/my_bench && chmod +x out/my_bench\n");
    ASSERT_TRUE(in_project("git init -q").ok());
  }
  fs::path project() const { return folder() / "project"; }
  ProcessResult in_project(const std::string& command) const {
    return run_process({"env", "-C", project().string(), "sh", "-c", command}, 300);
  }
  void commit(double fast, double slow) {
    write(project() / "source", program_text(fast, slow));
    ASSERT_TRUE(in_project("git add build.sh source && git -c user.name=a -c user.email=a@b "
                           "commit -qm \"slow takes " +
                           std::to_string(slow) + "\"")
                    .ok());
  }
  ProcessResult ratchet_in_project(const std::string& arguments) const {
    return in_project(built_program("perf/ratchet") + " " + arguments);
  }
};

TEST_F(ThirdPartyProject, AnotherRevisionIsBuiltByACommand) {
  commit(2, 30);
  write(project() / "source", program_text(2, 60));
  ASSERT_TRUE(in_project("sh build.sh").ok());
  const std::string gate = "gate --bench out/my_bench --base HEAD --budget-s 20 --build-cmd ";
  const ProcessResult slower = ratchet_in_project(gate + "'sh build.sh'");
  EXPECT_EQ(slower.exit_code, 1) << slower.output << slower.errors;
  EXPECT_HAS(slower.output, "my_bench/slow");
  EXPECT_LACKS(slower.output, "which commit");  // the change is not committed
  const ProcessResult broken = ratchet_in_project(gate + "'echo no compiler >&2; exit 1'");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_HAS(broken.errors, "does not build: no compiler");
}

/// What a pipeline gives for the commit before: none yet, one that is gone, one without the
/// program.
TEST_F(ThirdPartyProject, NoBaseThereIs) {
  commit(2, 30);
  ASSERT_TRUE(in_project("sh build.sh").ok());
  const auto against = [&](const std::string& base, const std::string& more = "") {
    ProcessResult result = ratchet_in_project(
        "gate --bench out/my_bench --budget-s 10 --build-cmd "
        "'sh build.sh' --base " +
        base + " " + more);
    result.output += result.errors;
    return result;
  };
  const ProcessResult none = against(std::string(40, '0'));
  EXPECT_EQ(none.exit_code, 0) << none.output;
  EXPECT_HAS(none.output, "NOTHING WAS COMPARED.");
  EXPECT_HAS(none.output, "the pipeline gave no base revision");
  const ProcessResult alone =
      ratchet_in_project("gate --bench out/my_bench --base " + std::string(40, '0'));
  const std::string reason = "the pipeline gave no base revision";
  EXPECT_EQ(alone.output.find(reason), alone.output.rfind(reason)) << "once: " << alone.output;
  EXPECT_HAS(read(project() / "results" / "gate.json"), reason);
  EXPECT_LACKS(none.output, " launches of ") << "each row is launched once";
  EXPECT_EQ(against(std::string(40, '0'), "--strict").exit_code, 3);
  const ProcessResult gone = against(std::string(40, 'a'));
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_HAS(gone.output, "as after a force-push");
}

TEST_F(ThirdPartyProject, TheCommitThatMadeItSlower) {
  for (const auto& [fast, slow] :
       std::vector<std::pair<double, double>>{{2, 30}, {2.001, 30}, {2.001, 60}, {2, 60}})
    commit(fast, slow);
  ASSERT_TRUE(in_project("sh build.sh").ok());
  const std::string output =
      ratchet_in_project(
          "gate --bench out/my_bench --base HEAD~3 --build-cmd 'sh build.sh' --budget-s 20")
          .output;
  const std::string words = "which commit: ";
  const std::size_t start = output.find(words);
  ASSERT_NE(start, std::string::npos) << output;
  const std::string command =
      output.substr(start, output.find('\n', start) - start).substr(words.size());
  const auto commit_of = [&](const std::string& revision) {
    return in_project("git rev-parse --short=12 " + revision).output.substr(0, 12);
  };
  EXPECT_TRUE(command.ends_with(" bisect " + commit_of("HEAD~3") + " " + commit_of("HEAD") +
                                " my_bench/slow --bench out/my_bench --build-cmd 'sh build.sh'"))
      << command;
  const ProcessResult found = in_project(command);  // as printed
  EXPECT_EQ(found.exit_code, 1) << found.output << found.errors;
  const std::string culprit = commit_of("HEAD~1");
  EXPECT_HAS(found.output, culprit);
  const auto conclusion = read_json(project() / "results" / "bisect.json")["conclusion"];
  const std::string explain = conclusion["rows"][0]["explain"];
  EXPECT_TRUE(explain.ends_with("ratchet explain my_bench/slow --base " + commit_of("HEAD~2") +
                                " --bench out/my_bench --build-cmd 'sh build.sh'"))
      << explain;
  EXPECT_EQ(in_project(explain + " --help").exit_code, 0) << "its options exist";
  // Between a commit and the next there is nothing to search.
  gate::GateCall call;
  call.baselines = project() / "baselines";
  const auto offered = [&](const std::string& good) {
    return gate::offer_bisect(call, project(), commit_of(good));
  };
  EXPECT_NE(offered("HEAD~2").command, "");
  EXPECT_EQ(offered("HEAD~1").command, "");
  // What is stored changes no build, staged or not. Other changes do, and are named.
  write(call.baselines / "demo.json", "{}");
  ASSERT_TRUE(in_project("git add baselines").ok());
  EXPECT_NE(offered("HEAD~2").command, "");
  ASSERT_TRUE(in_project("echo >> build.sh && git add build.sh").ok());
  EXPECT_EQ(offered("HEAD~2").command, "");
  EXPECT_HAS(offered("HEAD~2").why_not, "build.sh has uncommitted changes");
  EXPECT_EQ(offered("HEAD~1").why_not, "");
}

/// The few launches against the stored figures are not what such a verdict rests on.
TEST_F(ThirdPartyProject, TrackersAndHistoryHaveTheFiguresOfThePairs) {
  write(project() / "build.sh", "mkdir -p out && c++ -x c++ source -o out/my_bench\n");
  const auto built = [&](int time_us) {
    write(project() / "source",
          fmt::format("#define SKIP 0\n#define TIME_US {}\n", time_us) + timeless_program);
    EXPECT_TRUE(in_project("git add build.sh source && git -c user.name=a -c user.email=a@b "
                           "commit -qm next && sh build.sh")
                    .ok());
  };
  const std::string gate = "gate --bench out/my_bench --budget-s 20 --build-cmd 'sh build.sh'";
  built(30);
  ASSERT_EQ(ratchet_in_project(gate).exit_code, 0);
  ASSERT_EQ(ratchet_in_project("accept --from results/gate.json --yes "
                               "--allow-unverified --reason first")
                .exit_code,
            0);
  built(60);
  const ProcessResult slower = ratchet_in_project(gate + " --launches 4");
  EXPECT_EQ(slower.exit_code, 1) << slower.output << slower.errors;
  const auto left = [&](const char* file) { return read_json(project() / "results" / file); };
  const auto kept = left("gate.json");
  const auto row = kept["context"]["ratchet"]["rows"]["my_bench/work"];
  EXPECT_TRUE(row.contains("paired")) << row << slower.errors;
  // Not the folder, which `accept` changes.
  const std::string before = in_project("git rev-parse --short=12 HEAD~1").output.substr(0, 12);
  const auto explain = kept["context"]["ratchet"]["run"]["commands"].value("explain", "");
  EXPECT_HAS(explain, " --base " + before);
  EXPECT_LACKS(explain, "--baseline-dir");
  EXPECT_EQ(row["call_ms"], 0.06);
  EXPECT_EQ(row["call_before_ms"], 0.03);
  EXPECT_GT(row["launches"], 4);
  for (const char* file : {"gate.json", "compare_new.json"})
    EXPECT_EQ(left(file)["benchmarks"].size(), row["launches"]) << file;
  const auto median = kept["benchmarks"][0]["units_per_second"];
  EXPECT_EQ(left("bencher.json")["my_bench/work"]["throughput"]["value"], median);
  EXPECT_EQ(left("throughput.json")[0]["value"], median);
  EXPECT_EQ(left("tracker.json")["benchmarks"][0]["launches"], row["launches"]);
  const std::string history = "history my_bench/work --json --history results/history.sqlite";
  const auto point = nlohmann::json::parse(ratchet_in_project(history).output)[0]["points"].back();
  EXPECT_EQ(point["units_per_second"], median);
  EXPECT_EQ(point["launches"].size(), row["launches"]);
  EXPECT_HAS(read(project() / "results/report.html"),
             "\"now\":{\"median\":" + median.dump() + ",\"ppm\":[0,0,0,0,0");
}

TEST_F(ThirdPartyProject, FaultsAreSaidBeforeAnotherRevisionIsBuilt) {
  commit(2, 30);
  commit(2, 60);
  ASSERT_TRUE(in_project("sh build.sh").ok());
  const std::string program = "--bench out/my_bench --build-cmd 'sh build.sh'";
  const ProcessResult checked =
      ratchet_in_project("gate --base HEAD~1 --check-cmd 'exit 3' " + program);
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_HAS(checked.errors, "the check failed, so nothing was timed: exit 3");
  const ProcessResult searched = ratchet_in_project("bisect HEAD~1 HEAD no_row " + program);
  EXPECT_EQ(searched.exit_code, 2);
  EXPECT_HAS(searched.errors, "no row matches filter \"no_row\"; `");
  EXPECT_HAS(searched.errors, "/out/my_bench --benchmark_list_tests` lists them");
  EXPECT_FALSE(fs::exists(project() / "results" / "base"));
}

}  // namespace
}  // namespace ratchet
