// `ratchet gate --merge` from outside: nodes' real results in, a verdict and an exit code out.
#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

const std::string row = "demo/cpu/01_a";

class Merge : public GateFixture {
 protected:
  void SetUp() override {
    GateFixture::SetUp();
    store({row + " ok 1e6 1000"});
  }
  fs::path nodes() const { return folder() / "nodes"; }
  /// The gate's run on one node, where the row has this speed beside its baseline of 1e6.
  int node(const std::string& name, double speed, const std::string& mode = "ok",
           const std::string& digest = "") {
    setenv("RATCHET_FAKE_SEED", name.c_str(), 1);
    plan({row + " " + mode + " " + std::to_string(speed) + " 1000 0.001 " + digest});
    return ratchet({"gate", "--bench", worker(), "--baseline-dir", baselines(), "--history", "none",
                    "--results", nodes() / name, "--stored"})
        .exit_code;
  }
  ProcessResult merge(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"gate", "--results", folder() / "merged", "--merge",
                                          nodes()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ratchet(arguments);
  }
  /// The only section of the page.
  nlohmann::json section() {
    const std::string page = read(folder() / "merged" / "report.html");
    const std::string begin = "id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    const auto data = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
    EXPECT_EQ(data.at("sections").size(), 1u);
    return data.at("sections").at(0);
  }
};

TEST_F(Merge, S33FoldersAreNodesAndASlowerKindIsARegression) {
  for (const char* name : {"north", "south", "east"}) EXPECT_EQ(node(name, 0.5e6), 1);
  const ProcessResult slower = merge();
  EXPECT_EQ(slower.exit_code, 1) << slower.output;
  EXPECT_HAS(slower.output, "FLEET: 3 of 3 nodes (fake-4c); REGRESSION (exit 1): 1 slower");
  const auto fleet = read_json(folder() / "merged" / "fleet.json");
  EXPECT_EQ(fleet.at("exit_code"), 1);
  EXPECT_EQ(fleet.at("nodes").size(), 3u);
  EXPECT_NEAR(fleet.at("rows").at(row).at("nodes").at("east").get<double>(), 0.5, 0.01);
  const auto& of_row = fleet.at("rows").at(row);
  EXPECT_NEAR(of_row.at("before").get<double>(), 1e6, 1e4);  // and the page shows both
  EXPECT_NEAR(section().at("rows").at(0).at("before").get<double>(), 1e6, 1e4);
  EXPECT_HAS(slower.output, " -> 500 k units/s");
  EXPECT_HAS(read(folder() / "merged" / "summary.md"), "1.00 -> 2.00 ms");
  EXPECT_HAS(read(folder() / "merged" / "summary.md"), "1 slower");
  EXPECT_HAS(read(folder() / "merged" / "junit.xml"), "failures=\"1\"");
  // The same, each folder by itself.
  const ProcessResult each = ratchet({"gate", "--results", folder() / "merged", "--merge",
                                      nodes() / "north", nodes() / "south/", nodes() / "east"});
  EXPECT_EQ(each.exit_code, 1) << each.output;
}

TEST_F(Merge, S42UnchangedNodesPass) {
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(node(name, 1e6), 0);
  const ProcessResult same = merge();
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_HAS(same.output, "PASS (exit 0): 1 same");
}

TEST_F(Merge, S41WhatTwoNodesCallSlowerDoesNotPassForDecided) {
  const std::string other = "demo/cpu/02_b ok 1e6 1000 0.001 same";
  store({row + " ok 1e6 1000", other});
  for (const char* name : {"a", "b"}) {
    setenv("RATCHET_FAKE_SEED", name, 1);
    plan({row + " ok 0.5e6 1000", other});
    ASSERT_EQ(ratchet({"gate", "--bench", worker(), "--baseline-dir", baselines(), "--history",
                       "none", "--results", nodes() / name, "--stored"})
                  .exit_code,
              1);
  }
  const ProcessResult merged = merge();
  EXPECT_EQ(merged.exit_code, 0) << merged.output;
  EXPECT_HAS(merged.output,
             "FLEET: 2 of 2 nodes (fake-4c); UNDECIDED (exit 0): 1 undecided, 1 same");
  EXPECT_HAS(merged.output, "at least 3 are needed");
  EXPECT_HAS(merged.output, "slower on 2 of them");
  EXPECT_HAS(read(folder() / "merged" / "summary.md"), "UNDECIDED (exit 0)");
  EXPECT_EQ(section().at("verdict").at("state"), "undecided");
  EXPECT_EQ(section().at("verdict").at("sentence"),
            "1 of 2 rows stayed undecided, and 2 nodes call " + row + " slower.");
}

TEST_F(Merge, S33AMergedRunIsNoNode) {
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(node(name, 1e6), 0);
  const auto merge_into = [&](const fs::path& results, const fs::path& from) {
    return ratchet({"gate", "--results", results, "--history", "none", "--merge", from});
  };
  const fs::path inside = nodes() / "merged";
  for (int again = 0; again < 2; ++again)
    EXPECT_HAS(merge_into(inside, nodes()).output, "FLEET: 3 of 3 nodes");
  const ProcessResult beside = merge_into(folder() / "other", nodes());
  EXPECT_HAS(beside.output, inside.string() + " holds a merged run, not a node\n");
  EXPECT_HAS(beside.output, "FLEET: 3 of 3 nodes");
  const ProcessResult named = merge_into(folder() / "other", inside);
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_HAS(named.errors, "merged run (fleet.json), not a node; name the folders of its nodes");
  for (int again = 0; again < 2; ++again)  // beside its nodes
    EXPECT_HAS(merge_into(nodes(), nodes()).output, "FLEET: 3 of 3 nodes");
}

/// By the fleet's own interval, whatever each node could decide.
TEST_F(Merge, S46ACommitAcceptsASlowdownOfTheFleetToo) {
  const auto accept_in = [&](const std::string& name, double share) {
    const fs::path file = nodes() / name / "gate.json";
    nlohmann::json gate = read_json(file);
    gate["context"]["ratchet"]["run"]["accepts"] = {
        {{"rows", row}, {"commit", "0123456789abcdef"}, {"share", share}, {"reason", "it checks"}}};
    write(file, gate.dump());
  };
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_EQ(node(name, 0.5e6), 1);
    accept_in(name, 0.6);
  }
  const ProcessResult accepted = merge({"--history", (folder() / "h.sqlite").string()});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.output;
  EXPECT_HAS(accepted.output, "PASS (exit 0): 1 slower; 1 of the slower accepted by a commit");
  EXPECT_HAS(accepted.output, "commit 0123456789ab accepts it, up to -60 %: it checks");
  const auto fleet = read_json(folder() / "merged" / "fleet.json");
  EXPECT_EQ(fleet.at("rows").at(row).at("accepted").at("holds"), true);
  EXPECT_EQ(section().at("verdict").at("state"), "pass");
  EXPECT_HAS(ratchet({"history", "--history", (folder() / "h.sqlite").string()}).output,
             "slower, accepted");
  for (const char* name : {"a", "b", "c"}) accept_in(name, 0.1);
  const ProcessResult more = merge();
  EXPECT_EQ(more.exit_code, 1);
  EXPECT_HAS(more.output, "accepts -10 %, and this is more");
}

TEST_F(Merge, AFileInPlaceOfAFolderIsToldWhatIsExpected) {
  ASSERT_EQ(node("a", 1e6), 0);
  const ProcessResult result =
      ratchet({"gate", "--results", folder() / "merged", "--merge", nodes() / "a" / "gate.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(result.output, "gate.json is a file; --merge takes the folder of each node's results");
}

TEST_F(Merge, AcceptSaysWhatToTakeInPlaceOfAMergedRun) {
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(node(name, 1e6), 0);
  ASSERT_EQ(merge().exit_code, 0);
  const ProcessResult result =
      ratchet({"accept", "--from", folder() / "merged" / "fleet.json", "--baseline-dir",
               baselines(), "--yes", "--reason", "a test"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(result.output,
             "fleet.json is a merged run, which has no launches to store; accept "
             "the gate.json of one of its nodes (--from NODE/gate.json)");
}

TEST_F(Merge, S38OneSlowNodeIsNamed) {
  for (const char* name : {"a", "b"}) ASSERT_EQ(node(name, 1e6), 0);
  ASSERT_EQ(node("c", 0.4e6), 1);
  EXPECT_EQ(merge().exit_code, 0);
  const ProcessResult merged = merge({"--strict"});
  EXPECT_EQ(merged.exit_code, 3) << merged.output;
  EXPECT_HAS(merged.output, "node c differs: demo/cpu/01_a ran -6");
}

TEST_F(Merge, S40LostNodesAreToldALineEach) {
  for (const char* name : {"a", "b", "c", "d"}) ASSERT_EQ(node(name, 1e6), 0);
  fs::create_directories(nodes() / "killed");
  ASSERT_EQ(node("torn", 1e6), 0);
  fs::resize_file(nodes() / "torn" / "gate.json", 1000);
  ASSERT_EQ(node("odd", 1e6, "ok", "d1"), 0);
  fs::copy(nodes() / "a", nodes() / "twice");
  setenv("RATCHET_FAKE_CPU", "Other CPU", 1);
  node("foreign", 1e6);
  unsetenv("RATCHET_FAKE_CPU");
  const ProcessResult merged = merge();
  EXPECT_HAS(merged.output, "node killed is left out: it left no gate.json");
  EXPECT_HAS(merged.output, "node torn is left out: " + (nodes() / "torn").string());
  EXPECT_HAS(merged.output, "node twice is left out: it holds the same run as a");
  EXPECT_HAS(merged.output, "node foreign is left out: it is another kind of machine: cpu.model");
  EXPECT_HAS(merged.output, "PARTIAL: 5 of 9 nodes");
  EXPECT_EQ(merged.exit_code, 0) << merged.output;
  EXPECT_EQ(merge({"--strict"}).exit_code, 3);  // what is lost is not passed over
  EXPECT_EQ(merge({"--nodes", "10"}).exit_code, 0);
  const ProcessResult more = merge({"--nodes", "10", "--strict"});
  EXPECT_EQ(more.exit_code, 3) << more.output;
  EXPECT_HAS(more.output, "1 of 10 nodes left no folder");
  EXPECT_HAS(more.output, "5 of 10 nodes compared it, more than half are needed");
}

TEST_F(Merge, S39ANodeWhereARowFails) {
  for (const char* name : {"a", "b"}) ASSERT_EQ(node(name, 1e6), 0);
  ASSERT_EQ(node("c", 1e6, "failcheck"), 2);
  const ProcessResult merged = merge();
  EXPECT_EQ(merged.exit_code, 2) << merged.output;
  EXPECT_HAS(merged.output, "on c: ");
}

/// What `ratchet history` has of the row after merges into the same results.
class MergeKept : public Merge {
 protected:
  nlohmann::json points() {
    const ProcessResult found =
        ratchet({"history", row, "--json", "--history", folder() / "merged" / "history.sqlite"});
    EXPECT_EQ(found.exit_code, 0) << found.output;
    return nlohmann::json::parse(found.output).at(0).at("points");
  }
};

TEST_F(MergeKept, S42AVerdictIsInTheHistoryOnce) {
  for (const char* name : {"north", "south", "east"}) ASSERT_EQ(node(name, 0.5e6), 1);
  for (int again = 0; again < 2; ++again) {
    ASSERT_EQ(merge().exit_code, 1);
    const auto found = points();
    ASSERT_EQ(found.size(), 1u) << found;
    EXPECT_EQ(found[0].at("mode"), "fleet");
    EXPECT_EQ(found[0].at("verdict"), "slower");
    EXPECT_NEAR(found[0].at("units_per_second").get<double>(), 0.5e6, 5e3);
    EXPECT_EQ(found[0].at("launches").size(), 3u);  // a node each
    const auto fleet = read_json(folder() / "merged" / "fleet.json");
    EXPECT_EQ(found[0].at("time"), fleet.at("began"));
  }
  ASSERT_EQ(node("west", 0.5e6), 1);  // others were judged: another verdict
  ASSERT_EQ(merge().exit_code, 1);
  EXPECT_EQ(points().size(), 2u);
}

TEST_F(MergeKept, AHistoryThatTakesNothingCostsNoVerdict) {
  const auto into_none = [&] { return merge({"--history", "postgresql://127.0.0.1:1/x"}); };
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(node(name, 1e6), 0);
  const ProcessResult passed = into_none();
  EXPECT_EQ(passed.exit_code, 2) << passed.output;
  EXPECT_HAS(passed.output, "FAILED (exit 2): 1 same");
  const std::string lost = "THIS RUN IS NOT IN THE HISTORY YET";
  EXPECT_HAS(passed.output, lost);
  // As of the plain gate, every file states the exit code of the lost history.
  const auto fleet = read_json(folder() / "merged" / "fleet.json");
  EXPECT_EQ(fleet.at("exit_code"), 2);
  EXPECT_HAS(fleet.at("note").dump(), lost);
  const std::string summary = read(folder() / "merged" / "summary.md");
  EXPECT_HAS(summary, "FAILED (exit 2): 1 same");
  EXPECT_HAS(summary, lost);
  EXPECT_HAS(read(folder() / "merged" / "junit.xml"), "<error message=\"" + lost);
  EXPECT_HAS(section().at("notes").dump(), lost);
  for (const char* name : {"a", "b", "c"}) {
    fs::remove_all(nodes() / name);
    ASSERT_EQ(node(name, 0.5e6), 1);
  }
  EXPECT_EQ(into_none().exit_code, 1);
  fs::remove_all(folder() / "merged" / "history.sqlite");
  ASSERT_EQ(merge().exit_code, 1);  // adds what was not taken, too
  EXPECT_EQ(points().size(), 2u);
}

TEST_F(MergeKept, AReportShowsRowsByNode) {
  for (const char* name : {"a", "b"}) ASSERT_EQ(node(name, 1e6), 0);
  ASSERT_EQ(node("c", 0.4e6), 1);
  const ProcessResult merged = merge({"--nodes", "5"});
  EXPECT_HAS(merged.output, "report: " + (folder() / "merged" / "report.html").string());
  const auto page = section();
  EXPECT_EQ(page.at("title"), "Fleet");
  EXPECT_EQ(page.at("verdict").at("state"), "undecided");
  EXPECT_EQ(page.at("facts").at(1), (nlohmann::json{"nodes", "3 of 5 judged"}));
  EXPECT_EQ(page.at("facts").at(2), (nlohmann::json{"nodes that differ", "c"}));
  EXPECT_HAS(page.at("notes").dump(), "2 of 5 nodes left no folder");
  const auto shown = page.at("rows").at(0);
  EXPECT_EQ(shown.at("name"), row);
  EXPECT_EQ(shown.at("nodes").size(), 3u);
  EXPECT_EQ(shown.at("nodes").at(2).at(0), "c");
  EXPECT_NEAR(shown.at("nodes").at(2).at(1).get<double>(), 0.4, 0.01);
  EXPECT_EQ(page.at("history").at("rows").at(row).at("points").size(), 1u);
  // The same by hand; and what is torn is named.
  const fs::path again = folder() / "again.html";
  EXPECT_EQ(ratchet({"report", folder() / "merged", "-o", again}).exit_code, 0);
  EXPECT_HAS(read(again), "3 of 5 judged");
  auto torn = read_json(folder() / "merged" / "fleet.json");
  torn["rows"][row]["nodes"]["c"] = "slow";
  write(folder() / "merged" / "fleet.json", torn.dump());
  const ProcessResult refused = ratchet({"report", folder() / "merged", "-o", again});
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_HAS(refused.output, "rows.demo/cpu/01_a.nodes.c");
}

TEST_F(MergeKept, LostNodesThatDoNotPassAreTheReportsSentence) {
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(node(name, 1e6), 0);
  ASSERT_EQ(merge({"--nodes", "4", "--strict"}).exit_code, 3);
  EXPECT_EQ(section().at("verdict").at("sentence"),
            "Nothing got slower on 3 nodes, but 1 of 4 are lost, which fails here.");
}

TEST_F(Merge, BadInputIsOneLine) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& word) {
    const ProcessResult result = ratchet(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_HAS(result.errors, word);
  };
  const std::string out = folder() / "merged";
  refused({"gate", "--results", out, "--merge", folder() / "none"},
          "none of 1 node left usable results");
  ASSERT_EQ(node("a", 1e6), 0);
  refused({"gate", "--results", out, "--merge", nodes() / "a", nodes()}, "given twice");
  fs::create_directories(folder() / "more");
  fs::copy(nodes() / "a", folder() / "more" / "a");
  refused({"gate", "--results", out, "--merge", nodes() / "a", folder() / "more" / "a"},
          "two folders are called a");
  refused({"gate", "--results", out, "--filter", "pong", "--merge", nodes()}, "no row of any node");
  refused({"gate", "--merge", nodes(), "--base", "main"}, "--base");
  refused({"gate", "--nodes", "3"}, "--merge");
}

}  // namespace
}  // namespace ratchet
