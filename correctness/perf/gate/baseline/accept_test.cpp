// ratchet accept, word by word: moves baselines, keeps the old ones' history, is atomic over all
// its files, shows the diff with intervals, and accepts tolerances.
#include "perf/gate/baseline/accept.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Accept : public GateFixture {
 protected:
  json ratchet_of(const fs::path& file) const {
    return read_json(file).at("context").at("ratchet");
  }
};

TEST_F(Accept, OldFiguresStayInTheHistory) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  json history = ratchet_of(stored()).at("history");
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].at("was"), json({{"demo/cpu/01_a", nullptr}, {"demo/cpu/02_b", nullptr}}));
  const double old = read_measurements(stored()).rows.at("demo/cpu/01_a").throughputs()[4];
  plan({"demo/cpu/01_a ok 3e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  ASSERT_EQ(gate({"--launches", "11"}).exit_code, 0);
  ASSERT_EQ(accept({"demo/cpu/01_a"}).exit_code, 0);
  history = ratchet_of(stored()).at("history");
  ASSERT_EQ(history.size(), 2u);
  const json was = history[1].at("was");
  ASSERT_EQ(was.size(), 1u);  // the row that moved, and no other
  EXPECT_NEAR(was.at("demo/cpu/01_a").at("units_per_second").get<double>(), old, 0.01 * old);
  EXPECT_EQ(was.at("demo/cpu/01_a").at("launches"), 9);
  EXPECT_EQ(was.at("demo/cpu/01_a").at("revision"), history[0].at("revision"));
}

TEST_F(Accept, SlowerRowsAreNamedBeforeTheyAreStored) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  plan({"demo/cpu/01_a ok 3e5 1000", "demo/cpu/02_b ok 3e6 1000"});
  ASSERT_EQ(gate({"--launches", "11"}).exit_code, 1);
  const std::string said =
      "slower in this run, and accepted like the others unless ROWS leave it out: ";
  const ProcessResult all = accept({});
  EXPECT_EQ(all.exit_code, 0) << all.output;
  EXPECT_HAS(all.output, said + "demo/cpu/01_a throughput -");
  EXPECT_LACKS(all.output.substr(all.output.find(said)), "demo/cpu/02_b throughput");
  EXPECT_LT(all.output.find(said), all.output.find("accepted: ")) << "before anything is written";
}

/// A file of one accept a row, each at its own revision.
Measurements with_rows(const std::vector<std::string>& names, const std::string& verdict,
                       const std::string& revision) {
  Measurements results;
  results.context = {{"cpu.model", "Box"}, {"cpu.cores", "2"}};
  results.context["ratchet"] = {{"format", 1}, {"revision", revision}, {"rows", json::object()}};
  for (const std::string& name : names) {
    results.context["ratchet"]["rows"][name] = {{"verdict", verdict}};
    results.rows[name] = {
        name,
        {{0, 1.0, 0, 1, {{"units", 1000}, {"units_per_second", 1e6}, {"verified", 1}}}},
        std::nullopt};
  }
  return results;
}

TEST_F(Accept, ResultsWithoutALaunchAreOfNoKnownMachine) {
  Measurements results;
  results.context = nlohmann::json::object();
  AcceptRequest request;
  request.reason = "a test";
  request.limits = {gate::read_limit("demo/cpu/01_a<5ms")};
  EXPECT_HAS(error_of([&] { plan_accept(results, request, BaselineStore(baselines())); }),
             "these results have no launch, so their machine is unknown");
}

/// Nothing could be measured beside such a build later.
TEST_F(Accept, BuildsThatNoCommitDescribesAreAskedFor) {
  const BaselineStore store(baselines());
  AcceptRequest request;
  request.reason = "a test";
  for (const char* revision : {"unknown", "0123456789ab-dirty"}) {
    Measurements results = with_rows({"demo/cpu/01_a"}, "same", revision);
    request.uncommitted = false;
    EXPECT_HAS(
        error_of([&] { plan_accept(results, request, store); }),
        fmt::format("describes the build that measured demo/cpu/01_a (revision \"{}\"); commit",
                    revision));
    request.uncommitted = true;
    EXPECT_EQ(plan_accept(results, request, store).at(0).rows.size(), 1u);
    request.uncommitted = false;
    results.rows.at("demo/cpu/01_a").basis = "items_per_second";  // somebody else's program
    EXPECT_EQ(plan_accept(results, request, store).at(0).rows.size(), 1u);
  }
  EXPECT_EQ(plan_accept(with_rows({"demo/cpu/01_a"}, "same", "0123456789ab"), request, store)
                .at(0)
                .rows.size(),
            1u);
}

/// As after a benchmark was renamed, and its row accepted twice.
TEST_F(Accept, AMissingRowThatTheBaselineNoLongerHoldsIsRefused) {
  AcceptRequest first;
  first.reason = "a test";
  Measurements results = with_rows({"demo/cpu/01_a", "demo/cpu/02_b"}, "same", "r1");
  apply(plan_accept(results, first, BaselineStore(baselines())));
  results.context["ratchet"]["rows"]["demo/cpu/01_a"]["verdict"] = "missing";
  results.rows.erase("demo/cpu/01_a");
  AcceptRequest removal = first;
  removal.rows = {"demo/cpu/01_a"};
  apply(plan_accept(results, removal, BaselineStore(baselines())));
  const BaselineStore store(baselines());
  const std::string why =
      "demo/cpu/01_a (missing in the run, and the baseline no longer holds it: nothing to accept)";
  const std::string refusal = "not accepted, nothing written: " + why;
  EXPECT_EQ(error_of([&] { plan_accept(results, removal, store); }), refusal);
  removal.leave_unfit = true;
  EXPECT_EQ(error_of([&] { plan_accept(results, removal, store); }), refusal);
  removal.rows.push_back("demo/cpu/02_b");
  EXPECT_EQ(plan_accept(results, removal, store).at(0).rows.size(), 1u);
  EXPECT_EQ(unfit_rows(results, removal, store), std::vector<std::string>{why});
  // Nor is there an occasion to add to.
  results = with_rows({"demo/cpu/01_a"}, "same", "r1");
  results.context["ratchet"]["rows"]["demo/cpu/01_a"]["identical_work"] = true;
  AcceptRequest occasion = first;
  occasion.occasion = true;
  occasion.rows = {"demo/cpu/01_a"};
  EXPECT_HAS(error_of([&] { plan_accept(results, occasion, store); }),
             "demo/cpu/01_a (identical work, and the baseline no longer holds it");
  occasion.rows.clear();
  EXPECT_HAS(error_of([&] { plan_accept(results, occasion, store); }),
             "no row of identical work can be added: demo/cpu/01_a (identical work, and the");
}

TEST_F(Accept, WhatTheBaselineAlreadyHoldsIsNotAccepted) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  const std::string held = read(stored());
  const ProcessResult again = accept({"demo/cpu/01_a", "demo/cpu/02_b"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_HAS(again.output,
             "nothing to accept: the baseline already holds these launches of demo/cpu/01_a and of "
             "1 more\n");
  EXPECT_LACKS(again.output, "accepted: ");
  ASSERT_EQ(read(stored()), held);
  EXPECT_HAS(accept({"demo/cpu/01_a", "--tolerance", "0.05"}).output, "accepted: ");
  EXPECT_HAS(accept({"demo/cpu/01_a", "--tolerance", "0.05"}).output,
             "nothing to accept: the baseline already holds this tolerance of demo/cpu/01_a\n");
}

TEST_F(Accept, ARowThatMeasuresNothingIsStoredWithAWarning) {
  Measurements results = with_rows({"demo/cpu/01_a"}, "new", "r1");
  json& row = results.context["ratchet"]["rows"]["demo/cpu/01_a"];
  row["remarks"] = {"other", "measures nothing: 0.95 ns per call is the time of an empty loop"};
  AcceptRequest request;
  request.reason = "a test";
  const auto said = [&] {
    return describe(plan_accept(results, request, BaselineStore(baselines())));
  };
  EXPECT_HAS(said(),
             "; measures nothing: 0.95 ns per call is the time of an empty loop, and no gate can "
             "judge it\n");
  row["remarks"] = {"other"};
  EXPECT_LACKS(said(), "measures nothing");
}

/// As after a run whose budget ended early.
TEST_F(Accept, TooFewLaunchesInPlaceOfEnoughAreSaid) {
  const auto remark = [&](std::size_t before, std::size_t after) {
    Measurements stored = with_rows({"demo/cpu/01_a"}, "same", "r1");
    Measurements results = stored;
    auto& old = stored.rows.at("demo/cpu/01_a").launches;
    auto& now = results.rows.at("demo/cpu/01_a").launches;
    old.resize(before, old.front());
    now.resize(after, now.front());
    write(baselines() / "box" / "demo.json", to_text(stored));
    AcceptRequest request;
    request.reason = "a test";
    return describe(plan_accept(results, request, BaselineStore(baselines())));
  };
  EXPECT_HAS(remark(9, 1),
             "launches 9 -> 1; too few launches to decide by: stored figures need 4 at least, the "
             "previous ones have 9; measure again with a larger --budget-s\n");
  EXPECT_LACKS(remark(9, 4), "too few launches to decide");
  EXPECT_LACKS(remark(1, 1), "too few launches to decide");
  Measurements results = with_rows({"demo/cpu/01_a"}, "same", "r1");
  auto& launches = results.rows.at("demo/cpu/01_a").launches;
  launches.resize(9, launches.front());
  write(baselines() / "box" / "demo.json", to_text(results));
  launches.resize(3, launches.front());
  results.context["ratchet"]["rows"]["demo/cpu/01_a"]["identical_work"] = true;
  const auto accepting = [&](std::vector<std::string> rows) {
    AcceptRequest request;
    request.reason = "a test";
    request.rows = std::move(rows);
    return describe(plan_accept(results, request, BaselineStore(baselines())));
  };
  EXPECT_HAS(error_of([&] { accepting({"demo/cpu/01_a"}); }),
             "have 9; measure again with --by-time");
}

TEST_F(Accept, S30ContendedLaunchesAreNoBaselineUnlessAskedFor) {
  Measurements results = with_rows({"demo/cpu/01_a", "demo/cpu/02_b"}, "same", "r1");
  Launch& launch = results.rows.at("demo/cpu/01_a").launches[0];
  launch.counters["one_cpu"] = 1;
  launch.cpu_ms = 0.5;  // of 1 ms
  const BaselineStore store(baselines());
  AcceptRequest request;
  request.reason = "a test";
  EXPECT_HAS(
      error_of([&] { plan_accept(results, request, store); }),
      "demo/cpu/01_a (other processes used its CPU; measure again, or accept it with --contended)");
  request.leave_unfit = true;
  auto changes = plan_accept(results, request, store);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].rows.size(), 1u);
  request.leave_unfit = false;
  request.contended = true;
  EXPECT_EQ(plan_accept(results, request, store).at(0).rows.size(), 2u);
}

TEST_F(Accept, WhatNobodyJudgedAtItsPointIsNoBaselineUnlessAskedFor) {
  Measurements results = with_rows({"demo/cpu/01_a", "demo/cpu/02_b"}, "new", "r1");
  results.rows.at("demo/cpu/01_a").launches[0].counters["verified_in_situ"] = 0;
  results.rows.at("demo/cpu/02_b").launches[0].counters["verified_in_situ"] = 1;
  const BaselineStore store(baselines());
  AcceptRequest request;
  request.reason = "a test";
  EXPECT_HAS(error_of([&] { plan_accept(results, request, store); }),
             "demo/cpu/01_a (no in-situ check");
  request.unchecked = true;
  EXPECT_EQ(plan_accept(results, request, store).at(0).rows.size(), 2u);
  // Rows of before say nothing of it, and stay readable and acceptable.
  request.unchecked = false;
  results.rows.at("demo/cpu/01_a").launches[0].counters.erase("verified_in_situ");
  EXPECT_EQ(plan_accept(results, request, store).at(0).rows.size(), 2u);
}

TEST_F(Accept, InterleavedLaunchesAreNoBaseline) {
  Measurements results = with_rows({"demo/cpu/01_a"}, "faster", "r1");
  results.rows.at("demo/cpu/01_a").launches[0].counters["slices"] = 40;
  AcceptRequest request;
  request.reason = "a test";
  request.contended = true;
  EXPECT_HAS(error_of([&] { plan_accept(results, request, BaselineStore(baselines())); }),
             "demo/cpu/01_a (its launches were interleaved with another build");
}

TEST_F(Accept, EveryRowRemembersItsOwnRevision) {
  const auto accept_now = [&](const std::vector<std::string>& rows, const std::string& revision) {
    const AcceptRequest request = {{}, "because", "", "2026-01-01T00:00:00Z", std::nullopt};
    apply(plan_accept(with_rows(rows, "new", revision), request, BaselineStore(baselines())));
  };
  accept_now({"demo/cpu/01_a", "demo/cpu/02_b"}, "rev1");
  accept_now({"demo/cpu/02_b"}, "rev2");
  accept_now({"demo/cpu/01_a", "demo/cpu/02_b"}, "rev3");
  const json ratchet = ratchet_of(baselines() / "box-2c" / "demo.json");
  const json was = ratchet.at("history").at(2).at("was");
  EXPECT_EQ(was.at("demo/cpu/01_a").at("revision"), "rev1");
  EXPECT_EQ(was.at("demo/cpu/02_b").at("revision"), "rev2");
  EXPECT_EQ(ratchet.at("revisions").dump(), R"({"rev3":["demo/cpu/01_a","demo/cpu/02_b"]})");
}

TEST_F(Accept, FilesOfBeforeSayOnlyWhatTheyKnow) {
  Measurements stored = with_rows({"demo/cpu/01_a"}, "new", "x");
  stored.context["ratchet"] = {{"history", {{{"revision", "only"}}}}};
  EXPECT_EQ(revision_of_row(stored, "demo/cpu/01_a"), "only");
  stored.context["ratchet"]["history"].push_back({{"revision", "second"}});
  EXPECT_EQ(revision_of_row(stored, "demo/cpu/01_a"), "unknown");  // either may be the row's
  stored.context["ratchet"]["revisions"] = {{"demo/cpu/01_a", "third"}};
  EXPECT_EQ(revision_of_row(stored, "demo/cpu/01_a"), "third") << "as files had it, row by row";
}

TEST_F(Accept, TheHistoryIsBounded) {
  const fs::path file = baselines() / "box-2c" / "demo.json";
  for (int i = 0; i < 105; ++i) {
    const AcceptRequest request = {
        {}, "no " + std::to_string(i), "", "2026-01-01T00:00:00Z", std::nullopt};
    apply(plan_accept(with_rows({"demo/cpu/01_a"}, "same", "rev"), request,
                      BaselineStore(baselines())));
  }
  const json history = ratchet_of(file).at("history");
  ASSERT_EQ(history.size(), 100u);
  EXPECT_EQ(history.back().at("reason"), "no 104");
  EXPECT_TRUE(history[80].contains("was"));
  EXPECT_FALSE(history[79].contains("was"));
  EXPECT_TRUE(history[79].contains("reason"));
}

TEST_F(Accept, TheDiffShowsIntervals) {
  store({"demo/cpu/01_a ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 2e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  const std::string text = accept({"demo/cpu/01_a"}).output;
  const std::size_t line = text.find("demo/cpu/01_a");
  const std::string diff = text.substr(line, text.find('\n', line) - line);
  const std::regex figures(
      "[0-9.]+ [kM] units/s \\(± [0-9.]+ %\\) -> 2.00 M units/s \\(± [0-9.]+ %\\), throughput "
      "\\+[0-9.]+ % \\(\\+[0-9.]+ ... \\+[0-9.]+ %\\)");
  EXPECT_TRUE(std::regex_search(diff, figures)) << diff;
  EXPECT_HAS(diff, "launches 9 -> 9");
  EXPECT_HAS(diff, "+100");  // percent, 50 or so
  // One launch has no interval, and the diff says so.
  const std::string few = describe(plan_accept(
      with_rows({"demo/cpu/01_a"}, "same", "r"),
      {{}, "because", "fake-4c", "2026-01-01", std::nullopt}, BaselineStore(folder() / "none")));
  EXPECT_HAS(few, "(no interval)");
}

/// Of four launches a side the extreme ratios alone are an interval of 95 %: the next ones would be
/// crossed by 2 of the 70 orders.
TEST_F(Accept, TheIntervalOfADiffIsThatOfItsHeading) {
  const AcceptRequest request = {{}, "because", "", "2026-01-01T00:00:00Z", std::nullopt};
  const auto measured = [](std::initializer_list<double> throughputs) {
    Measurements results = with_rows({"demo/cpu/01_a"}, "faster", "0123456789ab");
    Row& row = results.rows.at("demo/cpu/01_a");
    const Launch one = row.launches.front();
    row.launches.clear();
    for (const double throughput : throughputs) {
      Launch& launch = row.launches.emplace_back(one);
      launch.index = static_cast<int>(row.launches.size()) - 1;
      launch.counters["units_per_second"] = throughput;
      launch.real_ms = 1e3 * launch.counters.at("units") / throughput;
    }
    return results;
  };
  apply(plan_accept(measured({1.0e6, 1.1e6, 1.2e6, 1.3e6}), request, BaselineStore(baselines())));
  const std::string diff = describe(
      plan_accept(measured({3.0e6, 3.1e6, 3.2e6, 3.3e6}), request, BaselineStore(baselines())));
  EXPECT_HAS(diff, "95 % intervals");
  EXPECT_HAS(diff, "(+130.77 ... +230.00 %)");
}

/// Figures of a build whose work is unknown are not those of the work that was stored.
TEST_F(Accept, WhatWasExecutedBeforeIsNotSaidOfWhatIsAccepted) {
  const AcceptRequest request = {{}, "because", "", "2026-01-01T00:00:00Z", std::nullopt};
  const auto accept_now = [&](const json& entry) {
    Measurements results = with_rows({"demo/cpu/01_a"}, "same", "0123456789ab");
    results.context["ratchet"]["rows"]["demo/cpu/01_a"].update(entry);
    apply(plan_accept(results, request, BaselineStore(baselines())));
    return ratchet_of(baselines() / "box-2c" / "demo.json");
  };
  const json known = accept_now({{"work", "aa"}, {"code_hash", "bb"}});
  EXPECT_EQ(known.at("work"), json({{"demo/cpu/01_a", "aa"}}));
  EXPECT_EQ(known.at("code"), json({{"demo/cpu/01_a", "bb"}}));
  const json unknown = accept_now(json::object());
  EXPECT_EQ(unknown.at("work"), json::object());
  EXPECT_EQ(unknown.at("code"), json::object());
}

TEST_F(Accept, RowsThatCannotBeAcceptedAreLeftWhereAsked) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  plan({"demo/cpu/01_a ok 3e6 1000", "demo/cpu/02_b unverified 2e6 1000"});
  ASSERT_NE(gate().exit_code, 0);
  const std::string before = read(stored());
  EXPECT_EQ(accept().exit_code, 2);  // all or none, unless asked
  EXPECT_EQ(read(stored()), before);
  const double old = read_measurements(stored()).rows.at("demo/cpu/02_b").throughputs()[4];
  const ProcessResult result = accept({"--leave-unfit"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_HAS(result.output, "not accepted: demo/cpu/02_b (");
  EXPECT_LACKS(result.output, "not accepted: demo/cpu/01_a");
  const Measurements after = read_measurements(stored());
  EXPECT_GT(after.rows.at("demo/cpu/01_a").throughputs()[4], 2.5e6);
  EXPECT_EQ(after.rows.at("demo/cpu/02_b").throughputs()[4], old);
  // Where nothing else is left, that is an error.
  const ProcessResult none = accept({"demo/cpu/02_b", "--leave-unfit"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_HAS(none.errors, "nothing written: demo/cpu/02_b (");
  // Nor is its occasion added: the same option is named.
  json left = read_json(results());
  for (auto& [name, row] : left["context"]["ratchet"]["rows"].items()) row["identical_work"] = true;
  write_atomically(results(), left.dump());
  const ProcessResult occasion = accept({"demo/cpu/02_b", "--occasion"});
  EXPECT_EQ(occasion.exit_code, 2);
  EXPECT_HAS(occasion.errors, "or accept them with --allow-unverified");
}

TEST_F(Accept, WhereAllIsUndecidedNothingIsLeftToAccept) {
  store({"demo/cpu/01_a ok 1e6 1000 0.2"});
  gate();
  const ProcessResult none = accept({"--leave-unfit"});
  EXPECT_EQ(none.exit_code, 0) << none.output;
  EXPECT_HAS(none.output, "not accepted: demo/cpu/01_a (undecided)\nnothing to accept: no other");
  EXPECT_LACKS(none.output, "accepted: a test");
  EXPECT_EQ(accept().exit_code, 2);
  const ProcessResult named = accept({"demo/cpu/01_a"});
  EXPECT_EQ(named.exit_code, 0) << named.errors;
  EXPECT_HAS(named.output,
             "undecided: a loss that this run could not exclude becomes the baseline");
}

TEST_F(Accept, WhereAllIsIdenticalWorkNothingIsToBeAccepted) {
  Measurements results = with_rows({"demo/cpu/01_a", "demo/cpu/02_b"}, "same", "r1");
  for (auto& [name, entry] : results.context["ratchet"]["rows"].items())
    entry["identical_work"] = true;
  const BaselineStore store(baselines());
  AcceptRequest request;
  request.reason = "a test";
  EXPECT_TRUE(plan_accept(results, request, store).empty());
  AcceptRequest occasion = request;
  occasion.occasion = true;
  EXPECT_HAS(error_of([&] {
               plan_accept(with_rows({"demo/cpu/01_a"}, "same", "r1"), occasion, store);  // by time
             }),
             "--occasion adds only such rows; measure the program of the baseline with `ratchet "
             "gate`, without --by-time");
  request.leave_unfit = true;  // as a script does, that cannot know whether there will be any
  EXPECT_TRUE(plan_accept(results, request, store).empty());
  json& other = results.context["ratchet"]["rows"]["demo/cpu/02_b"];
  other.erase("identical_work");
  other["verdict"] = "undecided";  // what is left out leaves nothing
  EXPECT_TRUE(plan_accept(results, request, store).empty());
  request.rows = {"demo/cpu/01_a"};  // asked for by name, it is taken
  EXPECT_EQ(plan_accept(results, request, store).at(0).rows.size(), 1u);
  request.rows = {"demo/cpu/03_c"};
  EXPECT_HAS(error_of([&] { plan_accept(results, request, store); }), "matches no row");
}

TEST_F(Accept, ResultsOfTwoBuildsSideBySideAreNoBaseline) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  for (const char* mode : {"base", "compare"}) {
    json file = read_json(results());
    file["context"]["ratchet"]["run"]["mode"] = mode;
    write(results(), file.dump());
    const ProcessResult result = accept();
    EXPECT_EQ(result.exit_code, 2) << mode;
    EXPECT_HAS(result.errors, "is of two builds side by side");
  }
}

TEST_F(Accept, ARowWithoutALaunchIsNoBaseline) {
  Measurements results = with_rows({"demo/cpu/01_a", "demo/cpu/02_b"}, "new", "r1");
  results.rows.erase("demo/cpu/02_b");
  AcceptRequest request;
  request.reason = "a test";
  EXPECT_HAS(error_of([&] { plan_accept(results, request, BaselineStore(baselines())); }),
             "demo/cpu/02_b (these results have no launch of it");
}

TEST_F(Accept, AToleranceIsAcceptedByItself) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000 0.05"});
  plan({"demo/cpu/01_a ok 0.5e6 1000", "demo/cpu/02_b ok 1e6 1000 0.05"});
  ASSERT_EQ(gate().exit_code, 1);
  const std::vector<double> before =
      read_measurements(stored()).rows.at("demo/cpu/01_a").throughputs();
  // An undecided row too: that is what wider tolerances are for.
  const ProcessResult result = accept({"demo/cpu/01_a", "demo/cpu/02_b", "--tolerance", "0.6"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "tolerance the default -> 60 %");
  EXPECT_HAS(result.output, "stays");
  const Measurements after = read_measurements(stored());
  EXPECT_EQ(after.rows.at("demo/cpu/01_a").tolerance, 0.6);
  EXPECT_EQ(after.rows.at("demo/cpu/02_b").tolerance, 0.6);
  EXPECT_EQ(after.rows.at("demo/cpu/01_a").throughputs(), before);
  const json ratchet = ratchet_of(stored());
  const json entry = ratchet.at("history").at(1);
  EXPECT_EQ(entry.at("tolerance"), 0.6);
  EXPECT_EQ(entry.at("was").at("demo/cpu/01_a"), json({{"tolerance", nullptr}}));
  EXPECT_EQ(entry.at("reason"), "a test");
  EXPECT_EQ(gate({"--filter", "demo/cpu/01_a"}).exit_code, 0);  // the gate obeys it
}

TEST_F(Accept, DigestsAreRenewedByThemselves) {
  // What a program executes, as its --ratchet_list_work prints it.
  const auto listed = [&](const char* name, const std::string& digest) {
    write(folder() / name, R"({"context":{}})"
                           "\n"
                           R"({"row":"demo/cpu/02_b","work":"stays"})"
                           "\n"
                           R"({"row":"demo/cpu/01_a","work":")" +
                               digest + "\"}\n");
    return (folder() / name).string();
  };
  const auto stored_of = [](const char* machine, const char* digest) {
    Measurements content = with_rows({"demo/cpu/01_a", "demo/cpu/02_b"}, "same", "0123456789ab");
    content.context["cpu.model"] = machine;
    content.context["ratchet"]["work"] = {{"demo/cpu/01_a", digest}, {"demo/cpu/02_b", "stays"}};
    return to_text(content);
  };
  write(baselines() / "box/demo.json", stored_of("Box", "old"));
  write(baselines() / "other/demo.json", stored_of("Other", "old"));
  write(baselines() / "third/demo.json", stored_of("Third", "older"));
  const std::string third = read(baselines() / "third/demo.json");
  const std::string was = listed("was", "old"), is = listed("is", "new");
  const ProcessResult result = accept({"--work-was", was, "--work-is", is});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_HAS(result.output, "has the new digest and keeps its figures");
  for (const char* machine : {"box", "other"}) {
    const fs::path file = baselines() / machine / "demo.json";
    const json ratchet = ratchet_of(file);
    EXPECT_EQ(ratchet.at("work"), json({{"demo/cpu/01_a", "new"}, {"demo/cpu/02_b", "stays"}}));
    EXPECT_EQ(ratchet.at("history").back().at("was"), json({{"demo/cpu/01_a", {{"work", "old"}}}}));
    EXPECT_EQ(ratchet.at("history").back().at("reason"), "a test");
    EXPECT_EQ(read_measurements(file).rows.at("demo/cpu/01_a").launches.size(), 1u);
  }
  EXPECT_EQ(read(baselines() / "third/demo.json"), third);  // of another program
  // Again, there is nothing left; and neither file alone, nor others, will do.
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{
           {"--work-was", was, "--work-is", is},
           {"demo/cpu/02_b", "--work-was", was, "--work-is", is},
           {"--work-was", was},
           {"--work-was", was, "--work-is", (baselines() / "box/demo.json").string()},
           {"--work-was", was, "--work-is", (folder() / "none").string()}})
    EXPECT_EQ(accept(bad).exit_code, 2) << bad.back();
  const std::string newer = listed("newer", "newest");
  write(baselines() / "box/demo.json", stored_of("Box", "new"));
  EXPECT_HAS(accept({"demo/cpu/01_a", "nowhere", "--work-was", is, "--work-is", newer}).output,
             "\"nowhere\" matches no row");
  EXPECT_EQ(accept({"demo/cpu/01_a", "--work-was", is, "--work-is", newer}).exit_code, 0);
}

TEST_F(Accept, WhatOneStoredOccasionCannotDecideCanBeAccepted) {
  store({"demo/cpu/01_a ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 0.9e6 1000"});
  ASSERT_EQ(gate({"--strict"}).exit_code, 3);
  ASSERT_EQ(accept().exit_code, 0);
  EXPECT_LT(read_measurements(stored()).rows.at("demo/cpu/01_a").throughputs()[4], 0.95e6);
}

TEST_F(Accept, BadTolerancesAreRefused) {
  store({"demo/cpu/01_a ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/03_c ok 1e6 1000"});
  gate();
  const std::string before = read(stored());
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& word) {
    const ProcessResult result = accept(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_HAS(result.errors, word);
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(read(stored()), before);
  };
  for (const char* value : {"0", "1", "-0.1", "nan", "1e9"})
    refused({"demo/cpu/01_a", std::string("--tolerance=") + value}, "--tolerance: ");
  refused({"demo/cpu/01_a", "--tolerance", "wide"}, "--tolerance");
  refused({"--tolerance", "0.1"}, "names of rows");
  refused({"demo/cpu/03_c", "--tolerance", "0.1"}, "no stored row");
  setenv("RATCHET_FAKE_CPU", "Other Box", 1);  // another machine's baseline is left alone
  gate();
  refused({"demo/cpu/01_a", "--tolerance", "0.1"}, "no stored row");
}

TEST_F(Accept, AToleranceBelowTheNoiseIsRemarkedOn) {
  store({"demo/cpu/01_a ok 1e6 1000 0.05"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.05"});
  setenv("RATCHET_FAKE_SEED", "2", 1);
  gate();
  EXPECT_HAS(accept({"demo/cpu/01_a", "--tolerance", "0.001"}).output, "the noise of its launches");
  EXPECT_LACKS(accept({"demo/cpu/01_a", "--tolerance", "0.9"}).output, "the noise of its launches");
}

}  // namespace
}  // namespace ratchet
