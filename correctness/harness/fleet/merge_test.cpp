// `ratchet gate --merge` from outside: nodes' real results in, a verdict and an exit code out.
#include "correctness/harness/gate/gate_fixture.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

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

TEST_F(Merge, S38OneSlowNodeIsNamed) {
  for (const char* name : {"a", "b"}) ASSERT_EQ(node(name, 1e6), 0);
  ASSERT_EQ(node("c", 0.4e6), 1);
  const ProcessResult merged = merge();
  EXPECT_EQ(merged.exit_code, 3) << merged.output;
  EXPECT_HAS(merged.output, "node c differs: demo/cpu/01_a ran at -6");
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
  EXPECT_HAS(merged.output, "node killed is not judged: it left no gate.json");
  EXPECT_HAS(merged.output, "node torn is not judged: " + (nodes() / "torn").string());
  EXPECT_HAS(merged.output, "node twice is not judged: it holds the same run as a");
  EXPECT_HAS(merged.output, "node foreign is not judged: it is of another kind: cpu.model");
  EXPECT_HAS(merged.output, "PARTIAL: 5 of 9 nodes");
  EXPECT_EQ(merged.exit_code, 0) << merged.output;
  EXPECT_EQ(merge({"--strict"}).exit_code, 3);  // what is lost is not passed over
  const ProcessResult more = merge({"--nodes", "10"});
  EXPECT_EQ(more.exit_code, 3) << more.output;
  EXPECT_HAS(more.output, "1 of 10 nodes left no folder");
  EXPECT_HAS(more.output, "5 of 10 nodes compared it: not more than half");
}

TEST_F(Merge, S39ANodeWhereARowFails) {
  for (const char* name : {"a", "b"}) ASSERT_EQ(node(name, 1e6), 0);
  ASSERT_EQ(node("c", 1e6, "failcheck"), 2);
  const ProcessResult merged = merge();
  EXPECT_EQ(merged.exit_code, 2) << merged.output;
  EXPECT_HAS(merged.output, "on c: ");
}

TEST_F(Merge, BadInputIsOneLine) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& word) {
    const ProcessResult result = ratchet(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_HAS(result.errors, word);
  };
  const std::string out = folder() / "merged";
  refused({"gate", "--results", out, "--merge", folder() / "none"}, "none of 1 nodes left results");
  ASSERT_EQ(node("a", 1e6), 0);
  refused({"gate", "--results", out, "--merge", nodes() / "a", nodes()}, "given twice");
  fs::create_directories(folder() / "more");
  fs::copy(nodes() / "a", folder() / "more" / "a");
  refused({"gate", "--results", out, "--merge", nodes() / "a", folder() / "more" / "a"},
          "two nodes are called a");
  refused({"gate", "--results", out, "--filter", "pong", "--merge", nodes()}, "no row of any node");
  refused({"gate", "--merge", nodes(), "--base", "main"}, "--base");
  refused({"gate", "--nodes", "3"}, "--merge");
}

}  // namespace
}  // namespace ratchet
