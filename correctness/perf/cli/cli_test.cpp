// The program from outside: exit codes, one clear line for every bad input, nothing overwritten.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <regex>
#include <sstream>

#include "correctness/perf/cli/cli_fixture.h"
#include "kernels/contract/counted.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

TEST_F(Cli, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(ratchet({"--help"}).exit_code, 0);
  EXPECT_EQ(ratchet({"gate", "--help"}).exit_code, 0);
  const ProcessResult version = ratchet({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_HAS(version.output, "ratchet ");
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST_F(Cli, HelpFitsAScreenOf24LinesAnd80Columns) {
  const std::string help = ratchet({"--help"}).output;
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24) << help;
  EXPECT_LE(longest_line(help), 80u) << help;
  EXPECT_LT(help.find("The gate:"), help.find("The study of the five articles:")) << help;
  EXPECT_HAS(help, "The study of the five articles:");
  EXPECT_EQ(ratchet({"help"}).output, help);
}

TEST_F(Cli, HelpOfEachCommandHas80ColumnsAndAnExample) {
  const std::string help = ratchet({"--help"}).output;
  const std::regex command("(^|\n)  ([a-z]+) ");
  std::size_t commands = 0;
  for (std::sregex_iterator at(help.begin(), help.end(), command), end; at != end; ++at) {
    const std::string name = (*at)[2];
    const std::string of_command = ratchet({name, "--help"}).output;
    EXPECT_LE(longest_line(of_command), 80u) << of_command;
    EXPECT_HAS(of_command, "\n  ratchet " + name + " ");
    EXPECT_EQ(ratchet({"help", name}).output, of_command);
    ++commands;
  }
  EXPECT_GE(commands, 16u) << help;
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "rows"), "0 rows");
  EXPECT_EQ(counted(2, "launches"), "2 launches");
  for (const auto& [plural, one] :
       {std::pair("rows", "1 row"), std::pair("launches", "1 launch"), std::pair("boxes", "1 box"),
        std::pair("pushes", "1 push"), std::pair("passes", "1 pass"), std::pair("pages", "1 page"),
        std::pair("cell updates", "1 cell update"), std::pair("B", "1 B")})
    EXPECT_EQ(counted(1, plural), one);
}

TEST_F(Cli, UsageErrorsExitWithTwo) {
  const ProcessResult bare = ratchet({});
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_HAS(bare.output, "The gate:");
  // A build without them says what these are (`of_the_study` in ratchet.cpp).
  const std::string study = bare.output.substr(bare.output.rfind(":\n"));
  for (const char* command :
       {"list", "metrics", "peaks", "profile", "reproduce", "run", "tables", "timesink"})
    EXPECT_HAS(study, std::string("\n  ") + command + " ");
  std::size_t commands = 0;
  for (std::size_t at = study.find("\n  "); at != study.npos; at = study.find("\n  ", at + 1))
    ++commands;
  EXPECT_EQ(commands, 8u) << study;
  expect_error(ratchet({"gaet"}), 2, {"no command gaet; did you mean gate?"});
  expect_error(ratchet({"frobnicate"}), 2, {"no command frobnicate (`ratchet --help`"});
  expect_error(gate({"--fliter", "a"}), 2, {"gate has no option --fliter; did you mean --filter?"});
  // A second word is neither dropped nor given to the program, which may ignore it.
  expect_error(gate({"Dot", "Words"}), 2,
               {"gate takes no further argument Words", "'A|B'", "after --"});
  expect_error(ratchet({"selftest", "Dot"}), 2, {"selftest takes no further argument Dot"});
  expect_error(ratchet({"compare", "a", "b", "c"}), 2, {"compare takes no further argument c"});
  expect_error(gate({"-Dot"}), 2, {"gate has no option -Dot; to leave rows out: --filter -Dot"});
  expect_error(ratchet({"accept", "-Dot"}), 2,
               {"accept has no option -Dot; to leave rows out: -- -Dot"});
  expect_error(ratchet({"history", "--last", "-1"}), 2,
               {"--last: -1 is not a whole number from 0 to"});
  expect_error(ratchet({"history", "-Dot"}), 2, {"; to leave rows out: -- -Dot"});
  expect_error(gate({"--budget-s", "5", "--budget-s", "6"}), 2, {"--budget-s is given twice"});
  expect_error(gate({"--bench"}), 2, {"--bench has no value; give it one"});
  expect_error(gate({"--budget-s", "abc"}), 2,
               {"--budget-s: abc is not a number from 0.1 to 86400 ("});
  expect_error(gate({"--undecided", "maybe"}), 2, {"--undecided: maybe is none of pass,fail"});
  expect_error(ratchet({"selftest", "--seed", "1.5"}), 2,
               {"--seed: 1.5 is not a number of its kind"});
  expect_error(ratchet({"--fliter", "a"}), 2, {"a command must come before --fliter"});
  expect_error(ratchet({"--versoin"}), 2, {"--versoin; did you mean --version?"});
  expect_error(ratchet({"--hlep"}), 2, {"--hlep; did you mean --help?"});
  expect_error(ratchet({"gate", "--hlep"}), 2, {"gate has no option --hlep; did you mean --help?"});
  expect_error(ratchet({"gaet", "--help"}), 2, {"no command gaet; did you mean gate?"});
  expect_error(ratchet({"help", "gaet"}), 2, {"no command gaet; did you mean gate?"});
  expect_error(ratchet({"help", "gate", "compare"}), 2, {"no further argument compare"});
  expect_error(ratchet({"--version", "gate"}), 2, {"--version takes no further argument gate"});
  EXPECT_EQ(ratchet({"--help", "gate"}).output, ratchet({"gate", "--help"}).output);
  expect_error(gate({"--launches", "-1"}), 2, {"--launches"});
  expect_error(gate({"--launches", "2.5"}), 2,
               {"--launches: 2.5 is not a whole number from 1 to 1000 ("});
  expect_error(gate({"--peaks", "nothere.json"}), 2, {"--peaks", "nothere.json"});
  write(folder() / "peaks.json", "{");
  expect_error(gate({"--peaks", folder() / "peaks.json"}), 2, {"peaks.json"});
  write(folder() / "peaks.json", R"({"measured_by": "a test", "peaks": []})");
  expect_error(
      ratchet({"gate", "--peaks", folder() / "peaks.json", "--results", folder() / "results",
               "--bench", built_program("correctness/third_party_bench")}),
      2, {"has no stages", "leave --peaks out"});
  expect_error(ratchet({"run", "life", "play", "a.rle", "foo=1"}), 2, {"'foo'", "width", "gif"});
  expect_error(gate({"--build-dir", "nothere"}), 2, {"nothere/CMakeCache.txt", "--build-dir"});
  expect_error(gate({"--launches", "many"}), 2, {"--launches"});
  expect_error(gate({"--backend", "fpga"}), 2, {"--backend"});
  expect_error(gate({"--no-such-option"}), 2, {"--no-such-option"});
  expect_error(ratchet({"tables"}), 2, {"family"});
  expect_error(ratchet({"tables", "--site", "a.html"}), 2, {"--site", "names a file: a.html"});
  plan({});
  expect_error(ratchet({"tables", "life", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines",
                        "--site", plan() / "site"}),
               2, {(plan() / "site").string() + ": Not a directory", "name another place"});
  for (const char* file : {"a.pdf", "report", "a.html.zip"})
    expect_error(ratchet({"report", folder(), "-o", file}), 2,
                 {std::string("-o ") + file, "ends in .html, or a folder"});
  expect_error(ratchet({"report", folder(), "-o", "x.html", "--filter", "life"}), 2,
               {"--filter has no effect with --output; leave one of them out"});
  expect_error(ratchet({"report", "x.json", "--history", "h"}), 2,
               {"--history has no effect without"});
  expect_error(ratchet({"report", "x.json", "-o", "x.html", "--baseline-dir", "b"}), 2,
               {"--baseline-dir has no effect on one page; name a folder"});
  expect_error(ratchet({"report", "x.json", "--baseline-dir", "b"}), 2,
               {"--baseline-dir has no effect without --output; add that, or leave it out"});
  expect_error(ratchet({"run", "bmn", "replay", "--", "A", "K"}), 2, {"one DEAL, and 2 are given"});
  expect_error(ratchet({"run", "bmn", "replay", "--", "-A-"}), 2, {"'-A-' has 3 cards"});
  expect_error(ratchet({"run", "bmn", "replay", "--", "-"}), 2, {"'-' has 1 card;"});
  expect_error(ratchet({"tables", "--check"}), 2, {"--readme"});
  expect_error(ratchet({"tables", "pong", "--baseline-dir", baselines()}), 2, {"pong"});
}

/// What a command line names has an effect, or the line is refused, before any file is written.
TEST_F(Cli, WhatHasNoEffectIsRefused) {
  const std::string program = built_program("correctness/third_party_bench");
  const std::filesystem::path junit = folder() / "results" / "junit.xml";
  write(junit, "of an earlier run");
  const auto refused = [&](std::vector<std::string> words, const std::vector<std::string>& said) {
    words.insert(words.end(), {"--results", folder() / "results"});
    expect_error(ratchet(words), 2, said);
    EXPECT_EQ(read(junit), "of an earlier run");
  };
  refused({"gate", program}, {"is a program, and names no row; did you mean --bench " + program});
  refused({"gate", "--filter", program}, {"did you mean --bench " + program});
  refused({"bisect", "HEAD~1", "HEAD", program}, {"did you mean --bench " + program});
  const std::vector<std::string> merge = {"gate", "--merge", folder()};
  for (const std::vector<std::string>& idle :
       std::vector<std::vector<std::string>>{{"--bench", program},
                                             {"--build-cmd", "true"},
                                             {"--by-time"},
                                             {"--gpus", "0"},
                                             {"--launches", "5"},
                                             {"--budget-s", "5"},
                                             {"--backend", "cpu"},
                                             {"--name", "x"}}) {
    std::vector<std::string> words = merge;
    words.insert(words.end(), idle.begin(), idle.end());
    refused(words, {idle.front() + " has no effect with --merge; leave one of them out"});
  }
  expect_error(ratchet({"gate", "--merge", folder(), "--", "--flag"}), 2,
               {"arguments after -- have no effect with --merge"});
  refused({"gate", "--stored", "--build-cmd", "true"}, {"--build-cmd has no effect with --stored"});
  refused({"gate", "--base", "HEAD", "--launches", "5"}, {"--launches has no effect with --base"});
  refused({"gate", "--base", "HEAD", "--strict-machine"}, {"--strict-machine has no effect with"});
  refused({"gate", "--build-cmd", "true", "--target", "x"}, {"--target has no effect with"});
  refused({"bisect", "A", "B", "--build-cmd", "true", "--target", "x"}, {"--target has no effect"});
  refused({"gate", "-q", "--all-rows"}, {"--all-rows has no effect with --quiet"});
  refused({"gate", "--allow-new"}, {"--allow-new requires --strict"});
  refused({"compare", "a", "b", "--budget-s", "5"}, {"--budget-s has no effect on files"});
  refused({"compare", "a", "b", "--all-rows"}, {"--all-rows has no effect on files"});
  refused({"compare", "--exec", "a", "--exec", "b", "--across-machines"},
          {"--across-machines has no effect with --exec"});
  for (const std::vector<std::string>& second :
       {std::vector<std::string>{"--exec", "b"}, {"--rows", "sort", "packed"}}) {
    std::vector<std::string> words = {"compare", "--exec", "python3 bench.py"};
    words.insert(words.end(), second.begin(), second.end());
    refused(words, {"'python3 bench.py' is none, nor a file",
                    "`ratchet gate --exec 'python3 bench.py' --base REV`"});
  }
  refused({"compare", "--exec", "a", "--rows", "sort"}, {"--rows takes 2 values, and has 1;"});
  refused({"explain", "row", "--exec", "python3 bench.py"},
          {"not know of a command; name the program that it runs: --bench FILE"});
  refused({"gate", "--exec", "true", "--metric", "memory"},
          {"--metric has no effect with --exec", "print this one, too"});
  plan({"demo/cpu/01_a ok 1e6 1000"});
  expect_error(gate({"--name", "other"}), 2, {"is a ratchet program", "leave --name out"});
}

/// Of every option of a number in the help texts: no number below 0, none without bound, and 0 only
/// where the help says what it does.
TEST_F(Cli, NumbersOutOfRangeAreRefusedByEveryOption) {
  const std::string help = ratchet({"--help"}).output;
  const std::regex command("(^|\n)  ([a-z]+) ");
  const std::regex option("\n  (?:-., )?(--(?!gpus|seed)[a-z-]+) (?:N|P|SECONDS|SHARE|LIST)\\b");
  std::size_t options = 0;
  for (std::sregex_iterator at(help.begin(), help.end(), command), end; at != end; ++at) {
    const std::string name = (*at)[2];
    const std::string text = ratchet({name, "--help"}).output;
    for (std::sregex_iterator one(text.begin(), text.end(), option); one != end; ++one, ++options) {
      const std::string word = (*one)[1];
      const std::size_t begin = static_cast<std::size_t>(one->position()) + 1;
      const std::string described = text.substr(begin, text.find("\n  -", begin) - begin);
      for (const std::string value : {"-1", "1e30", "0"})
        if (value != "0" || !std::regex_search(described, std::regex("[^0-9.]0\\s+[a-z]+s\\b")))
          expect_error(ratchet({name, word + "=" + value}), 2, {word});
    }
  }
  EXPECT_GE(options, 20u);
}

/// An empty value is a variable that is not set: no command takes it for no option.
TEST_F(Cli, EmptyValuesAreRefusedEverywhere) {
  const std::vector<std::vector<std::string>> calls = {{"gate", "--base", ""},
                                                       {"gate", "--base="},
                                                       {"gate", "--filter", ""},
                                                       {"compare", "a", "b", "--filter="},
                                                       {"accept", "--reason", ""},
                                                       {"bisect", "HEAD", "HEAD", "--target", ""},
                                                       {"history", "--history", ""},
                                                       {"report", "--results="},
                                                       {"doctor", "--bench="},
                                                       {"selftest", "--record", ""},
                                                       {"explain", "row", "--base", ""},
                                                       {"tables", "life", "--baseline-dir", ""},
                                                       {"run", "bmn", "exhaust", "--records", ""}};
  for (const auto& call : calls)
    expect_error(ratchet(call), 2, {"has an empty value (an unset variable?)"});
  expect_error(ratchet({"gate", ""}), 2, {"an argument is empty"});
  const std::vector<std::vector<std::string>> lists = {{"gate", "--metric", "a,,b"},
                                                       {"gate", "--metric=,size"},
                                                       {"gate", "--gpus", "0,"},
                                                       {"compare", "a.json,,b.json", "c.json"}};
  for (const auto& call : lists)
    expect_error(ratchet(call), 2, {" has an empty item", "leave the comma out"});
  expect_error(gate({"--strict=maybe"}), 2, {"--strict takes no value, but has maybe"});
  expect_error(gate({"--by-time=2"}), 2, {"--by-time takes no value, but has 2"});
  expect_error(gate({"--budget-s", "nan"}), 2, {"nan is not a finite number"});
}

TEST_F(Cli, ProfileTakesRowsAndRefusesWhatNsightComputeCannotSee) {
  const auto has = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), "profile");
    const ProcessResult printed = ratchet(words);
    EXPECT_EQ(printed.exit_code, 0) << printed.errors;
    EXPECT_HAS(printed.output, part);
  };
  has({"life/cuda/07_sparse/settle:12000"}, "regex:ratchet@life.cuda.07_sparse.settle.12000/");
  has({"life/cuda/07_sparse/settle:12000"}, "--ratchet_set=settle=12000 --ratchet_profile");
  has({"graveler/mpi/02_gpus/ranks:2"}, "-n 2 ncu ");
  has({"life/opencl/01_basic", "--tool", "nsys"}, "--nvtx-capture=life/opencl/01_basic@ratchet");
  for (const char* stage : {"life/opencl/01_basic", "life/mpi/01_halo_rows", "life/cpu/05_simd"})
    expect_error(ratchet({"profile", stage, "--tool", "ncu"}), 2, {stage, "use --tool nsys"});
  has({"life/cpu/05_simd"},  // as a report offers it of every row
      "perf record --call-graph=dwarf --output=life_cpu_05_simd.perf -- ");
  expect_error(ratchet({"profile", "BM_x/1024"}), 2, {"BM_x/1024", "--bench FILE"});
  const std::string other = built_program("correctness/third_party_bench");
  has({"third_party_bench/items/100", "--bench", other},
      "--output=third_party_bench_items_100.perf -- " + other +
          " '--benchmark_filter=^items/100$'");
  has({"mine/plain", "--name", "mine", "--tool", "ncu", "--bench", other},
      "ncu --clock-control none ");
  expect_error(ratchet({"profile", "items", "--bench", other}), 2, {"selects 2 rows", "name one"});
  expect_error(ratchet({"profile", "life/cuda/07_sparse/settled:1"}), 2, {"settled"});
}

/// Without being told how: what the last run left is a column beside published and stored.
TEST_F(Cli, TablesShowTheLastRun) {
  const auto folder_of_results = results().parent_path();
  const auto tables = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"tables", "life", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines",
                               "--results", folder_of_results});
    return ratchet(more).output;
  };
  EXPECT_EQ(tables({}).find("| here |"), std::string::npos) << "nothing ran yet";
  plan({"life/cpu/01_trivial ok 1.234e9 1000", "demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  const std::string shown = tables({});
  EXPECT_HAS(shown, "| here |");
  EXPECT_HAS(shown, "The column \"here\" is the last run on this machine: " + results().string());
  EXPECT_LACKS(shown, "demo/cpu") << "of this family alone";
  const std::string other =
      ratchet({"tables", "bmn", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines", "--results",
               folder_of_results})
          .output;
  EXPECT_LACKS(other, "| here |") << "the run had nothing of it";
  write(results(), "{");
  expect_error(ratchet({"tables", "life", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines",
                        "--results", folder_of_results}),
               2, {results().string()});
}

/// Before any device is asked for: the same with a GPU and without.
TEST_F(Cli, TimeSinkRefusesWhatItDoesNotKnow) {
  const std::string stage = "graveler/cuda/04_warp_reduce";
  if (ratchet({"list", stage}).exit_code != 0) GTEST_SKIP() << "a build without " << stage;
  expect_error(ratchet({"timesink", stage, "battles"}), 2, {"battles", "name=value", stage});
  expect_error(ratchet({"timesink", stage, "battle=1"}), 2, {"battle", "battles", stage});
  expect_error(ratchet({"timesink", stage, "battles=-1"}), 2, {"battles"});
  expect_error(ratchet({"timesink", stage, "--first", "cudaBegin"}), 2, {"--first", "cudaMalloc"});
}

TEST_F(Cli, AClockIsAutoCpuOrWall) {
  for (const std::vector<std::string>& call : {std::vector<std::string>{"gate"},
                                               {"compare", "a", "b"},
                                               {"bisect", "HEAD", "HEAD"},
                                               {"selftest"}})
    for (const char* clock : {"sun", ""}) {
      std::vector<std::string> words = call;
      words.insert(words.end(), {"--clock", clock});
      expect_error(ratchet(words), 2, {"--clock"});
    }
}

TEST_F(Cli, ReportsFilesOfAnyGoogleBenchmark) {
  const std::string file = RATCHET_DATA_DIR "/perf/gate/baseline/data/google_benchmark_1.7.1.json";
  const ProcessResult all = ratchet({"report", file});
  EXPECT_EQ(all.exit_code, 2);  // one of its rows failed
  EXPECT_HAS(all.output, "Failed: `refuse`: no such \"device\"");
  EXPECT_HAS(all.output, "| `stated` | 10.00 ms | 100.0 | 1/real_time | manual | - | 1 | no |");
  EXPECT_EQ(ratchet({"report", file, "--filter", "items"}).output.find("stated"),
            std::string::npos);
  expect_error(ratchet({"report", "/nowhere.json"}), 2, {"/nowhere.json"});
}

TEST_F(Cli, ProgramsWhereFilesAreWanted) {
  expect_error(ratchet({"compare", worker(), worker()}), 2,
               {"is a program", "compare --exec " + worker() + " --exec"});
}

/// What ci/gpu-visit takes out of it with awk.
TEST_F(Cli, ListForScripts) {
  std::istringstream lines(ratchet({"list", "--tsv"}).output);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "stage\tavailable\tmachine\tsurvey_points\tskip_sanitizers");
  std::size_t stages = 0;
  for (; std::getline(lines, line); ++stages)
    EXPECT_TRUE(std::regex_match(
        line, std::regex("[^\t]+/[^\t]+/[^\t]+\t(yes|no)\t[^\t]+\t[0-9]+\t[a-z,]*")))
        << line;
  EXPECT_GT(stages, 0u);
}

TEST_F(Cli, WorkerThatIsNotThereOrNoProgram) {
  expect_error(ratchet({"gate", "--bench", "/nowhere/bench"}), 2, {"/nowhere/bench", "--bench"});
  expect_error(ratchet({"gate", "--bench", RATCHET_DATA_DIR}), 2, {"--bench"});
  write(folder() / "text", "no program");
  expect_error(ratchet({"gate", "--bench", folder() / "text"}), 2, {"cannot be executed"});
  expect_error(ratchet({"gate", "--bench", "/bin/false"}), 2, {"/bin/false", "list"});
}

TEST_F(Cli, FilterThatMatchesNothingOrIsNoExpression) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  expect_error(gate({"--filter", "pong"}), 2, {"pong", "matches"});
  expect_error(gate({"--filter", "("}), 2, {"regular expression"});
  // Rows named behind an option that may be repeated are rows, and none of its values.
  for (const auto& [option, value] :
       {std::pair("--tolerance", "0.3"), std::pair("--gpus", "0"), std::pair("--backend", "cpu")}) {
    const ProcessResult refused = gate({option, value, "pong"});
    if (refused.exit_code == 77)  // no GPU here
      expect_error(refused, 77, {"--gpus names GPU 0"});
    else
      expect_error(refused, 2, {"pong", "matches"});
  }
}

TEST_F(Cli, AMisspeltRowGetsTheMostSimilarName) {
  plan({"demo/cpu/01_first ok 1e6 1000", "demo/cpu/02_second ok 1e6 1000"});
  for (const auto& [word, meant] :
       {std::pair("demo/cpu/01_frist", "demo/cpu/01_first"), std::pair("02_secnd", "02_second"),
        std::pair("cpu/02_secondd", "cpu/02_second"), std::pair("-demmo", "demo")}) {
    const std::string suggestion = std::string("did you mean ") + meant + "?";
    if (*word != '-') expect_error(gate({"--filter", word}), 2, {"no row matches", suggestion});
    EXPECT_HAS(did_you_mean_row(word, {"demo/cpu/01_first", "demo/cpu/02_second"}), suggestion);
  }
  EXPECT_EQ(gate({"--filter", "nowhere"}).errors.find("did you mean"), std::string::npos);
  expect_error(gate({"--tolerance", "02_secnd=0.1"}), 2, {"--tolerance", "mean 02_second?"});
  ASSERT_EQ(gate().exit_code, 0);
  expect_error(ratchet({"accept", "--yes", "--reason", "x", "--from", results(), "--baseline-dir",
                        baselines(), "01_frist"}),
               2, {"matches no row of the results", "did you mean 01_first?"});
  expect_error(ratchet({"report", results(), "--filter", "01_frist"}), 2, {"mean 01_first?"});
  expect_error(ratchet({"compare", results(), results(), "--filter", "01_frist"}), 2,
               {"mean 01_first?"});
  expect_error(
      ratchet({"history", "--history", results().parent_path() / "history.sqlite", "01_frist"}), 2,
      {"mean 01_first?"});
  expect_error(ratchet({"list", "demo/cpu/01_frist"}), 2, {"no stage matches"});
}

TEST_F(Cli, StageAskedForThatCannotRunHere) {
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cuda/01_b unavailable"});
  const ProcessResult result = gate({"--filter", "demo/cuda/01_b"});
  EXPECT_EQ(result.exit_code, 77) << result.output;
  EXPECT_HAS(result.output, "no such device");
  EXPECT_EQ(gate({"--backend", "cuda"}).exit_code, 77);
}

TEST_F(Cli, BadBaselinesAreNamedBeforeAnythingIsMeasured) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "not valid JSON"},
      {"{\"context\": {\"ratchet\": {\"format\": 1}}, \"benchmarks\": [", "not valid JSON"},
      {"[1, 2]", "is not a file of ratchet"},
      {"{\"context\": {\"executable\": \"other\"}, \"benchmarks\": []}",
       "is not a file of ratchet"},
      {"{\"context\": {\"ratchet\": {\"format\": 2}}, \"benchmarks\": []}", "format"},
      {std::string(100'000, '['), "deeper"}};
  for (const auto& [text, word] : bad) {
    write(stored(), text);
    expect_error(gate(), 2, {stored().string(), word});
    EXPECT_EQ(read(stored()), text);
    EXPECT_FALSE(std::filesystem::exists(plan().string() + ".order"));  // no launch was made
  }
}

TEST_F(Cli, HugeBaselineIsRefusedUnread) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  write(stored(), "{");
  std::filesystem::resize_file(stored(), std::uintmax_t{1} << 30);  // sparse: takes no space
  expect_error(gate(), 2, {stored().string(), "larger than 512 MiB"});
}

TEST_F(Cli, ResultsThatCannotBeWritten) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  write(folder() / "file", "");
  const ProcessResult result = ratchet({"gate", "--bench", worker(), "--baseline-dir", baselines(),
                                        "--results", folder() / "file" / "sub", "--launches", "2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(result.output, "cannot be made");

  std::filesystem::create_directories(results());  // a folder in the place of the file
  const ProcessResult lost = gate();
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_HAS(lost.output, "the results could not be written");
  EXPECT_LACKS(lost.output, "accept --from");
}

TEST_F(Cli, AcceptRefusesWithoutAReasonOrAnswer) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  const std::vector<std::string> base = {"accept",  "--uncommitted",  "--from",
                                         results(), "--baseline-dir", baselines()};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return ratchet(more);
  };
  expect_error(with({"--yes"}), 2, {"reason"});
  expect_error(with({"--yes", "--reason", "  "}), 2, {"reason"});
  expect_error(with({"--reason", "because"}), 2, {"--yes"});
  expect_error(with({"--yes", "--reason", "because", "pong"}), 2, {"pong", "matches no row"});
  expect_error(with({"--yes", "--reason", "because", "--machine", "../up"}), 2, {"--machine"});
  EXPECT_FALSE(std::filesystem::exists(stored()));
}

TEST_F(Cli, AcceptFromBadResults) {
  expect_error(accept(), 2, {results().string(), "does not exist"});
  write(results(), "{\"context\": {\"ratchet\": {\"format\": 1}}, \"benchmarks\": []}");
  expect_error(accept(), 2, {"no results of a gate run"});
  write(results(), "not JSON");
  expect_error(accept(), 2, {results().string(), "not valid JSON"});
}

TEST_F(Cli, AcceptShowsTheDiffAndKeepsTheHistory) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  plan({"demo/cpu/01_a ok 2e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  ASSERT_TRUE(std::filesystem::exists(stored()));
  const std::string before = read(stored());
  const ProcessResult result = accept({"demo/cpu/01_a"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "demo/cpu/01_a");
  EXPECT_HAS(result.output, "(+");
  EXPECT_LACKS(result.output, "demo/cpu/02_b");
  const std::string after = read(stored());
  EXPECT_LACKS(after, "secret");  // the host's name stays at home
  // Objects of the row not accepted are the same, byte for byte, if a list of them needs more lines
  // now; the history has both accepts.
  std::istringstream lines(before);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("02_b") == std::string::npos) continue;
    const std::size_t begin = line.find('{'), end = line.rfind('}');
    ASSERT_LT(begin, end) << line;
    EXPECT_HAS(after, line.substr(begin, end + 1 - begin));
  }
  std::size_t accepts = 0;
  for (std::size_t at = 0; (at = after.find("\"reason\":\"a test\"", at)) != std::string::npos;
       ++at)
    ++accepts;
  EXPECT_EQ(accepts, 2u);
}

TEST_F(Cli, TwoAcceptsAtOnce) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  std::filesystem::create_directories(baselines());
  const int other = open(baselines().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  expect_error(accept(), 2, {"another ratchet is accepting", baselines().string()});
  EXPECT_FALSE(std::filesystem::exists(stored()));
  close(other);
  EXPECT_EQ(accept().exit_code, 0);
}

TEST_F(Cli, AcceptLeavesABrokenBaselineAlone) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  write(stored(), "half a fi");
  expect_error(accept(), 2, {stored().string(), "not valid JSON"});
  EXPECT_EQ(read(stored()), "half a fi");
}

}  // namespace
}  // namespace ratchet
