// The history store: the same tests on SQLite and on a real PostgreSQL.
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <set>

#include "correctness/perf/output/history/fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/output/history/database.h"
#include "perf/output/history/render.h"

namespace ratchet::history {
namespace {

const std::string row = "demo/cpu/01_a", another = "demo/cpu/02_b";

TEST_P(EachStore, GivesBackWhatWasAppended) {
  RunRecord run = run_at("2026-01-31T12:00:00Z", 5e5);
  run.rows[0].detectable.reset();
  writer().append(run);
  const std::vector<Point> points = reader().series(row);
  ASSERT_EQ(points.size(), 1u);
  const Point& point = points[0];
  EXPECT_EQ(point.run_id, run.id);
  EXPECT_EQ(point.time, "2026-01-31T12:00:00.000Z");
  EXPECT_EQ(point.revision, "abc123");
  EXPECT_EQ(point.mode, "stored");
  EXPECT_EQ(point.machine, "box-2c");
  EXPECT_EQ(point.fingerprint_hash, run.rows[0].fingerprint_hash);
  EXPECT_EQ(point.verdict, gate::Verdict::same);
  EXPECT_EQ(point.reason, "for a test");
  EXPECT_EQ(point.ratio, 0.99);
  EXPECT_EQ(point.throughput, 5e5);
  EXPECT_EQ(point.units, 1000);
  EXPECT_EQ(point.launches, (std::vector<double>{5e5 * 0.999, 5e5, 5e5 * 1.001}));
}

TEST_P(EachStore, KeepsEveryColumn) {
  RunRecord run = run_at("2026-01-31T12:00:00Z", 1.0 / 3);
  run.exit_code = 3;
  run.rows[0].code_hash = "c0de";
  run.rows[0].launches[1].control_per_second = 2.5;
  writer().append(run);
  const auto database = open_database(location_, Access::read);
  const Values of_run =
      database->query("SELECT exit_code, rule_version, fingerprint, machine FROM ratchet_runs")
          .at(0);
  EXPECT_EQ(of_run.at(0), Value(std::int64_t{3}));
  EXPECT_EQ(of_run.at(1), Value(std::int64_t{1}));
  EXPECT_HAS(std::get<std::string>(of_run.at(2)), "\"os.kernel\":\"Test 1\"");
  EXPECT_EQ(of_run.at(3), Value("box-2c"));
  const Values of_row = database
                            ->query(
                                "SELECT low, high, detectable, tolerance, code_hash, launches, "
                                "throughput FROM ratchet_rows")
                            .at(0);
  const Values expected = {0.98,   1.01, Value(), 0.03, std::string("c0de"), std::int64_t{3},
                           1.0 / 3};
  EXPECT_EQ(of_row, expected);  // doubles to the last bit
  const auto launches = database->query(
      "SELECT position, real_ms, reference_per_second, side FROM ratchet_launches ORDER BY "
      "position");
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[1].at(1), Value(1e6 / (1.0 / 3)));
  EXPECT_EQ(launches[1].at(2), Value(2.5));
  EXPECT_EQ(launches[0].at(2), Value());
  EXPECT_EQ(launches[2].at(3), Value("now"));
}

TEST_P(EachStore, ARunKeepsItsCommit) {
  Measurements results = results_of(row, 1e6);
  results.context["ratchet"]["run"]["commits"]["now"] = {
      {"subject", "it's \"fast\" <b> é"}, {"branch", "topic"}, {"build", "build"}};
  const RunRecord run = record_of(results, {});
  writer().append(run);
  writer().append(run_at("2026-02-01", 1));
  const std::map<std::string, std::map<std::string, std::string>> expected = {
      {run.id, {{"subject", "it's \"fast\" <b> é"}, {"branch", "topic"}}}};
  EXPECT_EQ(reader().commits(), expected);
  const ScratchFolder folder;
  HistoryStore other = open_store((folder.path() / "other.sqlite").string(), Access::write);
  HistoryStore from = reader();
  EXPECT_EQ(other.merge(from), 2u);
  EXPECT_EQ(other.commits(), expected);
}

TEST_P(EachStore, PointsStandByTheDateOfTheirCommit) {
  const auto run = [&](const std::string& time, const std::string& date, double speed) {
    RunRecord record = run_at(time, speed);
    if (!date.empty()) record.commit["date"] = *utc_time(date);
    return record;
  };
  HistoryStore store = writer();
  store.append(run("2026-02-05", "2026-02-02", 2));
  store.append(run("2026-02-07", "2026-02-02", 3));
  EXPECT_EQ(store.series(row).size(), 2u);           // dates are read to sort two, and kept
  store.append(run("2026-02-06", "2026-02-01", 1));  // an older commit, measured later
  store.append(run("2026-02-04", "", 4));
  std::vector<double> speeds;
  for (const Point& point : store.series(row)) speeds.push_back(*point.throughput);
  EXPECT_EQ(speeds, (std::vector<double>{1, 2, 3, 4}));
}

/// A rebase makes commits of one second; imported results have no time but theirs.
TEST_P(EachStore, PointsOfOneTimeStandInTheOrderOfAdding) {
  std::vector<double> added;
  for (int i = 1; i <= 12; ++i) {
    RunRecord record = run_at("2026-02-05", i);
    record.commit["date"] = *utc_time("2026-02-02");
    writer().append(record);
    added.push_back(i);
  }
  const auto speeds = [&](HistoryStore store) {
    std::vector<double> all;
    for (const Point& point : store.series(row)) all.push_back(*point.throughput);
    return all;
  };
  EXPECT_EQ(speeds(reader()), added);
  const ScratchFolder folder;
  HistoryStore other = open_store((folder.path() / "other.sqlite").string(), Access::write);
  HistoryStore from = reader();
  EXPECT_EQ(other.merge(from), 12u);
  EXPECT_EQ(speeds(std::move(other)), added);
}

TEST_P(EachStore, APointKeepsWhatItsRowExecutedAndWhatItWasComparedWith) {
  Measurements results = results_of(row, 1e6);
  results.context["ratchet"]["rows"][row]["work"] = "d1ce";
  results.context["ratchet"]["run"]["commits"] = {{"now", {{"commit", "c2"}}},
                                                  {"base", {{"commit", "c1"}}}};
  writer().append(record_of(results, {}));
  const Point point = reader().series(row).at(0);
  EXPECT_EQ(point.work, "d1ce");
  EXPECT_EQ(point.commit, "c2");
  EXPECT_EQ(point.against, "c1");
  results.context["ratchet"].erase("rows");  // a baseline
  results.context["ratchet"]["work"][row] = "d2ce";
  EXPECT_EQ(record_of(results, {}).rows.at(0).work, "d2ce");
}

TEST_P(EachStore, AThroughputHasTheUnitAndTheClockOfItsRow) {
  Measurements results = results_of(row, 1e6);
  results.rows.at(row).basis = "bytes_per_second";
  results.rows.at(row).clock = Clock::wall;
  writer().append(record_of(results, {}));
  EXPECT_EQ(reader().series(row).at(0).unit, "B");
  EXPECT_EQ(reader().rows().at(0).unit, "B");
  results.rows.at(row).clock = Clock::cpu;
  writer().append(record_of(results, {}));
  std::multiset<std::string> clocks;
  for (const Point& point : reader().series(row)) clocks.insert(point.clock);
  EXPECT_EQ(clocks, (std::multiset<std::string>{"cpu", "wall"}));
  EXPECT_TRUE(reader().rows().at(0).clocks_differ);
  EXPECT_HAS(list_table(reader().rows()), " 1.00 MB/s  ");
}

TEST_P(EachStore, AnAcceptedSlowdownIsSaidToBeOne) {
  Measurements results = results_of(row, 1e6, "slower");
  nlohmann::json& entry = results.context["ratchet"]["rows"][row];
  entry["accepted"] = {
      {"commit", "0123456789abcdef"}, {"share", 0.03}, {"reason", "it checks"}, {"holds", true}};
  writer().append(record_of(results, {}));
  const std::string text = "commit 0123456789ab accepts it, up to -3 %: it checks";
  EXPECT_EQ(reader().series(row).at(0).accepted, text);
  EXPECT_EQ(reader().rows().at(0).accepted, text);
  EXPECT_HAS(list_table(reader().rows()), "slower, accepted\n");
  EXPECT_EQ(list_json(reader().rows())[0]["last_accepted"], text);
  const Series series{reader().rows().at(0), "", reader().series(row), {}};
  EXPECT_HAS(series_table(series, 0), "slower, accepted  for a test; " + text);
  EXPECT_EQ(series_json(series, 0.01)["points"][0]["accepted"], text);
  entry["accepted"]["holds"] = false;  // it is slower than that
  EXPECT_EQ(record_of(results, {}).rows.at(0).accepted, "");
}

TEST_P(EachStore, AnOlderHistoryIsReadAsItIsAndMigratedByTheNextRun) {
  const auto database = open_database(location_, Access::write);
  migrate(*database, {migrations().front()});
  database->query(
      "INSERT INTO ratchet_runs (id, time, revision, machine, fingerprint, fingerprint_hash, mode, "
      "exit_code, rule_version) VALUES ('a', '2026-02-01T00:00:00.000Z', 'abc', 'box', '{}', 'f', "
      "'stored', 0, 1)");
  database->query(
      "INSERT INTO ratchet_rows (run_id, name, machine, fingerprint_hash, verdict, launches, "
      "throughput, reason, code_hash, measurement) VALUES ('a', $1, 'box', 'f', 'same', 0, 5, '', "
      "'', '')",
      {row});
  HistoryStore old = reader();
  ASSERT_EQ(old.series(row).size(), 1u);
  EXPECT_EQ(old.series(row).at(0).unit, "units");
  EXPECT_EQ(old.series(row).at(0).clock, "");
  EXPECT_EQ(old.series(row).at(0).work, "");
  EXPECT_EQ(old.rows().at(0).accepted, "");
  EXPECT_TRUE(old.commits().empty());
  const ScratchFolder folder;
  HistoryStore other = open_store((folder.path() / "other.sqlite").string(), Access::write);
  EXPECT_EQ(other.merge(old), 1u);
  EXPECT_EQ(other.series(row).at(0).throughput, 5);
  EXPECT_EQ(schema_version(*database), 1u);  // reading changed nothing
  writer().append(run_at("2026-02-02", 2));
  EXPECT_EQ(schema_version(*database), migrations().size());
  EXPECT_EQ(reader().series(row).size(), 2u);
}

TEST_P(EachStore, SeriesWithoutLaunchesHaveTheSameFigures) {
  writer().append(run_at("2026-02-01", 7));
  const std::vector<Point> points = reader().series(row, "", false);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].throughput, 7);
  EXPECT_TRUE(points[0].launches.empty());
}

TEST_P(EachStore, SeriesAreInOrderOfTime) {
  HistoryStore store = writer();
  store.append(run_at("2026-02-02T00:00:00Z", 2));
  store.append(run_at("2026-02-03T00:00:00Z", 3));
  store.append(run_at("2026-02-02T00:30:00+01:00", 1));  // the evening before
  std::vector<double> figures;
  for (const Point& point : store.series(row)) figures.push_back(*point.throughput);
  EXPECT_EQ(figures, (std::vector<double>{1, 2, 3}));
}

TEST_P(EachStore, FingerprintsAreKeptApart) {
  HistoryStore store = writer();
  store.append(run_at("2026-02-01", 1, row, "Box"));
  store.append(run_at("2026-02-02", 2, row, "Other"));
  store.append(run_at("2026-02-03", 3, row, "Box"));
  store.append(run_at("2026-02-04", 4, "demo/cpu/02_b", "Box"));
  const auto series = store.rows();
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].machine, "box-2c");
  EXPECT_EQ(series[0].runs, 2u);
  EXPECT_EQ(series[0].last_time, "2026-02-03T00:00:00.000Z");
  EXPECT_EQ(series[0].last_throughput, 3);
  EXPECT_EQ(series[0].last_verdict, gate::Verdict::same);
  EXPECT_EQ(series[1].machine, "other-2c");
  EXPECT_EQ(series[2].name, "demo/cpu/02_b");
  const auto points = store.series(row, series[0].fingerprint_hash);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].throughput, 3);
  EXPECT_EQ(points[1].launches.size(), 3u);
  EXPECT_EQ(store.series(row).size(), 3u);
  EXPECT_TRUE(store.series("demo/cpu/03_c").empty());
}

TEST_P(EachStore, RowsWithoutFiguresAreKeptToo) {
  Measurements results = results_of(row, 1e6, "failed");
  results.rows.clear();
  writer().append(record_of(results, {}));
  const auto points = reader().series(row);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].verdict, gate::Verdict::failed);
  EXPECT_FALSE(points[0].throughput);
  EXPECT_TRUE(points[0].launches.empty());
}

TEST_P(EachStore, AVerdictOfANewerRatchetIsRefusedByName) {
  writer().append(run_at("2026-02-01", 1));
  open_database(location_, Access::write)->query("UPDATE ratchet_rows SET verdict = 'sluggish'");
  EXPECT_HAS(message([&] { reader().series(row); }),
             "a verdict of " + row + " that this version of ratchet");
  EXPECT_HAS(message([&] { reader().rows(); }), "\"sluggish\"");
}

TEST_P(EachStore, TextsAreNeverTakenForSql) {
  const std::string name = "demo/cpu/'; DROP TABLE ratchet_runs; --";
  RunRecord run = run_at("2026-02-01", 1, name);
  run.revision = "\"$1\" %s \\ é→";
  HistoryStore store = writer();
  store.append(run);
  const auto points = store.series(name);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].revision, run.revision);
  EXPECT_TRUE(store.series("' OR '1'='1").empty());
}

TEST_P(EachStore, ImportingTwiceAddsNothing) {
  HistoryStore store = writer();
  store.append(run_at("2026-02-01T10:00:00Z", 1e6));
  // The same figures, read from the file that the run left: another time, another id.
  EXPECT_EQ(store.import(run_at("2026-02-01T09:58:00Z", 1e6)), 0u);
  EXPECT_EQ(store.import(run_at("2026-02-02", 1.1e6)), 1u);
  EXPECT_EQ(store.import(run_at("2026-02-02", 1.1e6)), 0u);
  // Rows without figures cannot be told apart, and so are not imported.
  Measurements failed = results_of(row, 1e6, "failed");
  failed.rows.clear();
  EXPECT_EQ(store.import(record_of(failed, {})), 0u);
  EXPECT_EQ(store.series(row).size(), 2u);
  // The results of a run hold other launches of rows that were measured in pairs.
  RunFacts facts;
  Measurements results = results_of(row, 1.2e6);
  results.context["ratchet"]["run"] = {{"id", "0123456789abcdef0123456789abcdef"}};
  const RunRecord judged = record_of(results, facts);
  EXPECT_EQ(judged.id, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(store.import(judged), 1u);
  results.rows = results_of(row, 1.2e6, "same", 5).rows;
  EXPECT_EQ(store.import(record_of(results, facts)), 0u);
  // Those of older versions have no id; one row that is there shows the run.
  Measurements older = results_of(row, 1.1e6);
  older.rows[another] = results_of(another, 3e6).rows.at(another);
  older.context["ratchet"]["rows"][another] = {{"verdict", "same"}};
  EXPECT_EQ(store.import(record_of(older, facts)), 0u);
  EXPECT_TRUE(store.series(another).empty());
  facts.mode = "accepted";  // a baseline holds rows of several runs
  EXPECT_EQ(store.import(record_of(older, facts)), 1u);
  EXPECT_EQ(store.series(row).size(), 3u);
  // A run that is appended is never taken for another, however alike.
  store.append(run_at("2026-02-03", 1.1e6));
  store.append(run_at("2026-02-03", 1.1e6));
  EXPECT_EQ(store.series(row).size(), 5u);
}

TEST_P(EachStore, ARunThatCannotBeRecordedLeavesNothing) {
  HistoryStore store = writer();
  RunRecord twice = run_at("2026-02-01", 1);
  twice.rows.push_back(twice.rows.front());  // one row twice: the second is refused
  EXPECT_NE(message([&] { store.append(twice); }), "no error");
  EXPECT_TRUE(store.series(row).empty());
  EXPECT_TRUE(open_database(location_, Access::read)->query("SELECT 1 FROM ratchet_runs").empty());
  store.append(run_at("2026-02-02", 2));  // and the store is as usable as before
  EXPECT_EQ(reader().series(row).size(), 1u);
}

TEST_P(EachStore, EightProcessesLoseNothing) {
  constexpr int processes = 8;
  constexpr int runs = 20;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(in_a_child([&] {
      for (int i = 0; i < runs; ++i)  // the first to come makes the tables
        writer().append(run_at("2026-02-01", process * runs + i + 1));
    }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  std::set<double> figures;
  for (const Point& point : reader().series(row)) {
    figures.insert(*point.throughput);
    EXPECT_EQ(point.launches.size(), 3u);
  }
  EXPECT_EQ(figures.size(), static_cast<std::size_t>(processes * runs));
  EXPECT_EQ(reader().rows().at(0).runs, static_cast<std::size_t>(processes * runs));
}

/// A database whose process is killed at its n-th statement, as by the machine's power.
class Mortal final : public Database {
 public:
  explicit Mortal(std::unique_ptr<Database> real) : real_(std::move(real)) {}
  std::vector<Values> query(const std::string& sql, const Values& values) override {
    step();
    return real_->query(sql, values);
  }
  bool has_table(const std::string& name) override { return real_->has_table(name); }
  void begin(bool alone) override { real_->begin(alone); }
  void commit() override {
    step();
    real_->commit();
  }
  void rollback() noexcept override { real_->rollback(); }
  void reconnect() override { real_->reconnect(); }
  std::string name() const override { return real_->name(); }
  void die_after(int statements) { left_ = statements; }

 private:
  void step() {
    if (left_-- == 0) raise(SIGKILL);
  }
  std::unique_ptr<Database> real_;
  int left_ = -1;
};

TEST_P(EachStore, AKilledProcessLeavesTheStoreWhole) {
  writer().append(run_at("2026-02-01", 1));
  // The version, whether the run is known, the run, its row, three launches, and the commit: killed
  // before each of the eight.
  for (int statements = 0; statements < 8; ++statements) {
    const pid_t child = in_a_child([&] {
      auto mortal = std::make_unique<Mortal>(open_database(location_, Access::write));
      Mortal& fate = *mortal;
      HistoryStore store(std::move(mortal), Access::write);
      fate.die_after(statements);
      store.append(run_at("2026-02-02", 2));
    });
    const int status = status_of(child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << statements;
    ASSERT_EQ(reader().series(row).size(), 1u) << statements;
    for (const char* table : {"ratchet_runs", "ratchet_rows"})
      EXPECT_EQ(open_database(location_, Access::read)
                    ->query(std::string("SELECT 1 FROM ") + table)
                    .size(),
                1u);
  }
  writer().append(run_at("2026-02-03", 3));
  EXPECT_EQ(reader().series(row).size(), 2u);
}

ON_BOTH_STORES(EachStore);

}  // namespace
}  // namespace ratchet::history
