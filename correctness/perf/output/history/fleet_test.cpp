// A PostgreSQL server that a fleet shares: many writers at once, connections lost in the middle,
// ratchets of different versions. Nothing is lost, and nothing is there twice.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <thread>

#include "correctness/perf/output/history/fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/output/history/database.h"
#include "perf/output/history/keep.h"

namespace ratchet::history {
namespace {

namespace fs = std::filesystem;

class Fleet : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::instance();
    if (!server_) GTEST_SKIP() << PostgresServer::why_not();
    url_ = server_->fresh_url();
  }
  /// How often each run is recorded, by its throughput; whole, or the test fails.
  std::map<double, int> recorded() const {
    std::map<double, int> counts;
    for (const Point& point : open_store(url_, Access::read).series("demo/cpu/01_a")) {
      ++counts[point.throughput.value_or(0)];
      EXPECT_EQ(point.launches.size(), 3u) << *point.throughput;
    }
    return counts;
  }
  void expect_each_once(int runs) const {
    const auto counts = recorded();
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(runs));
    for (const auto& [figure, count] : counts) EXPECT_EQ(count, 1) << figure;
  }

  PostgresServer* server_ = nullptr;
  std::string url_;
};

/// `count` processes that begin at the same moment; how many of them failed.
int failures_of(int count, const std::function<void(int)>& act) {
  int gate[2];
  EXPECT_EQ(pipe(gate), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i)
    children.push_back(in_a_child([&] {
      close(gate[1]);
      char none;
      if (read(gate[0], &none, 1) != 0) throw Error("the gate is for opening");
      act(i);
    }));
  close(gate[0]);
  close(gate[1]);  // all of them read an end of file
  int failed = 0;
  for (const pid_t child : children) failed += status_of(child) != 0;
  return failed;
}

TEST_F(Fleet, ThirtyTwoWritersLoseNothing) {
  EXPECT_EQ(
      failures_of(
          32,
          [&](int process) {
            for (int i = 0; i < 4; ++i)  // the first to come makes the tables
              open_store(url_, Access::write).append(run_at("2026-02-01", process * 4 + i + 1));
          }),
      0);
  expect_each_once(32 * 4);
}

TEST_F(Fleet, WritersWaitForAServerWithoutAConnectionToSpare) {
  const auto admin = open_database(server_->url(), Access::write);
  admin->query("CREATE ROLE few LOGIN CONNECTION LIMIT 2");
  open_store(url_, Access::write);
  const std::string schema = url_.substr(url_.rfind("%3D") + 3);
  admin->query("GRANT USAGE ON SCHEMA " + schema + " TO few");
  admin->query("GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO few");
  const std::string few = server_->url("few") + url_.substr(url_.find("&options"));
  EXPECT_EQ(failures_of(8,
                        [&](int process) {
                          open_store(few, Access::write).append(run_at("2026-02-01", process + 1));
                        }),
            0);
  expect_each_once(8);
  const auto one = open_database(few, Access::write), two = open_database(few, Access::write);
  EXPECT_HAS(message([&] { open_database(few, Access::write, 300); }), "too many connections");
}

TEST_F(Fleet, ThirtyTwoUpgradeAnOlderHistoryOnce) {
  const Migration one = {"CREATE TABLE a (n BIGINT)", "INSERT INTO a (n) VALUES (0)"};
  const Migration two = {"ALTER TABLE a ADD COLUMN more BIGINT", "UPDATE a SET n = n + 1"};
  const auto database = open_database(url_, Access::write);
  migrate(*database, {one});
  EXPECT_EQ(failures_of(32,
                        [&](int) {
                          migrate(*open_database(url_, Access::write), {one, two});
                        }),
            0);
  EXPECT_EQ(schema_version(*database), 2u);
  EXPECT_EQ(database->query("SELECT n FROM a"), (std::vector<Values>{{std::int64_t{1}}}));
}

TEST_F(Fleet, AHistoryIsNotUpgradedUnderARunThatIsBeingWritten) {
  const auto writing = open_database(url_, Access::write);
  migrate(*writing, {{"CREATE TABLE a (n BIGINT)"}});
  writing->begin(false);
  const auto upgrading = open_database(url_, Access::write, 200);
  const std::vector<Migration> newer = {{}, {"CREATE TABLE b (n BIGINT)"}};
  EXPECT_HAS(message([&] { migrate(*upgrading, newer); }), "lock timeout");
  writing->rollback();
  migrate(*upgrading, newer);
  EXPECT_EQ(schema_version(*upgrading), 2u);
}

TEST_F(Fleet, AnOlderRatchetWritesNothingIntoANewerHistory) {
  HistoryStore older = open_store(url_, Access::write);
  const auto newer = migrations().size() + 1;
  open_database(url_, Access::write)
      ->query("INSERT INTO ratchet_schema (version, applied_at) VALUES ($1, $2)",
              {static_cast<std::int64_t>(newer), utc_now()});
  // Both had been opened before it became newer.
  EXPECT_HAS(message([&] { older.append(run_at("2026-02-01", 1)); }), "use a newer ratchet");
  EXPECT_HAS(message([&] { older.import(run_at("2026-02-01", 1)); }), "use a newer ratchet");
  EXPECT_TRUE(open_database(url_, Access::read)->query("SELECT 1 FROM ratchet_runs").empty());
  // And as the gate meets it: the verdict's code is no longer 0, and the run is kept.
  const ScratchFolder results;
  std::ostringstream out;
  EXPECT_FALSE(keep(url_, run_at("2026-02-01", 1), results.path(), ExitCode::failed, out));
  EXPECT_HAS(out.str(), "the exit code is 2");
  EXPECT_HAS(out.str(), "use a newer ratchet");
  EXPECT_EQ(open_store(unsent_file(results.path()).string(), Access::read).ids().size(), 1u);
}

/// A database whose server cuts the connection before its n-th statement, or behind that commit.
class CutOff final : public Database {
 public:
  CutOff(std::unique_ptr<Database> real, PostgresServer& server)
      : real_(std::move(real)), server_(server) {}
  std::vector<Values> query(const std::string& sql, const Values& values) override {
    step();
    return real_->query(sql, values);
  }
  bool has_table(const std::string& name) override { return real_->has_table(name); }
  void begin(bool alone) override {
    step();
    real_->begin(alone);
  }
  void commit() override {
    step();
    real_->commit();
    if (left_-- == 0) {  // committed, but the answer is lost
      server_.end_connections();
      throw LostConnection("the answer was lost");
    }
  }
  void rollback() noexcept override { real_->rollback(); }
  void reconnect() override {
    real_->reconnect();
    ++reconnected;
  }
  std::string name() const override { return real_->name(); }
  void cut_after(int statements) { left_ = statements; }

  int reconnected = 0;

 private:
  void step() {
    if (left_-- == 0) server_.end_connections();
  }
  std::unique_ptr<Database> real_;
  PostgresServer& server_;
  int left_ = -1;
};

TEST_F(Fleet, AConnectionThatIsCutAnywhereLosesNothing) {
  int cuts = 0;
  for (const bool imported : {false, true}) {
    for (int statements = 0;; ++statements) {
      const int figure = ++cuts;
      auto database = std::make_unique<CutOff>(open_database(url_, Access::write), *server_);
      CutOff& fate = *database;
      HistoryStore store(std::move(database), Access::write);
      fate.cut_after(statements);
      const RunRecord run = run_at("2026-02-01", figure);
      if (imported)
        EXPECT_EQ(store.import(run), 1u);
      else
        store.append(run);
      if (fate.reconnected == 0) break;  // beyond the last statement
      EXPECT_EQ(fate.reconnected, 1);
    }
  }
  // Begin, version, is it known?, run, row, three launches, commit, its answer; twice, and once
  // more each without any cut.
  EXPECT_GE(cuts, 2 * 11);
  expect_each_once(cuts);
}

TEST_F(Fleet, AServerThatIsRestartedInTheMiddleIsWaitedFor) {
  open_store(url_, Access::write).append(run_at("2026-02-01", 1));
  const ScratchFolder folder;
  const fs::path enough = folder.path() / "enough", done = folder.path() / "done";
  write_atomically(done, "");
  const pid_t child = in_a_child([&] {
    HistoryStore store = open_store(url_, Access::write);
    for (int run = 2; !fs::exists(enough); ++run) {
      store.append(run_at("2026-02-01", run));
      std::ofstream(done, std::ios::app) << '.';  // one for each run
    }
  });
  const auto wait_for_further_runs = [&] {
    const auto wanted = fs::file_size(done) + 3;
    for (int tries = 0; tries < 6000 && fs::file_size(done) < wanted; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_GE(fs::file_size(done), wanted);
  };
  for (int restarts = 0; restarts < 2; ++restarts) {
    wait_for_further_runs();
    server_->stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server_->start_again();
  }
  wait_for_further_runs();
  write_atomically(enough, "");
  EXPECT_EQ(status_of(child), 0);
  const int runs = 1 + static_cast<int>(fs::file_size(done));
  expect_each_once(runs);
}

TEST_F(Fleet, WhatAServerThatStaysAwayMissedIsSentLaterAndOnce) {
  const ScratchFolder results;
  const fs::path unsent = unsent_file(results.path());
  HistoryStore opened(open_database(url_, Access::write, 300), Access::write);
  server_->stop();
  EXPECT_HAS(message([&] { opened.append(run_at("2026-02-01", 1)); }), "cannot be reached");
  for (const int figure : {1, 2}) {
    std::ostringstream out;
    EXPECT_FALSE(keep(url_, run_at("2026-02-01", figure), results.path(), ExitCode::failed, out));
    EXPECT_HAS(out.str(), "It is stored in " + unsent.string());
    EXPECT_HAS(out.str(), "cannot be reached");
  }
  RunRecord slower = run_at("2026-02-01", 3);
  slower.exit_code = 1;
  std::ostringstream out;
  EXPECT_FALSE(keep(url_, slower, results.path(), ExitCode::regression, out));
  EXPECT_HAS(out.str(), "the exit code is 1");
  server_->start_again();
  // Sent, and broken off before they were struck off; then sent again.
  const fs::path copy = results.path() / "copy";
  fs::copy_file(unsent, copy);
  HistoryStore store = open_store(url_, Access::write);
  EXPECT_EQ(send_unsent(copy, store), 3u);
  std::ostringstream later;
  EXPECT_TRUE(keep(url_, run_at("2026-02-01", 4), results.path(), ExitCode::failed, later));
  EXPECT_HAS(later.str(), "3 earlier unsent runs");
  EXPECT_FALSE(fs::exists(unsent));
  expect_each_once(4);
  EXPECT_EQ(open_database(url_, Access::read)
                ->query("SELECT exit_code FROM ratchet_runs ORDER BY exit_code"),
            (std::vector<Values>{
                {std::int64_t{0}}, {std::int64_t{0}}, {std::int64_t{0}}, {std::int64_t{1}}}));
}

}  // namespace
}  // namespace ratchet::history
