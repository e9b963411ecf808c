// What can be wrong with a history: one clear line each, and never a password.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "correctness/perf/output/history/fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/output/history/database.h"
#include "perf/output/history/keep.h"
#include "perf/support/json_file.h"

namespace ratchet::history {
namespace {

namespace fs = std::filesystem;

class HistoryErrors : public EachStore {};

TEST_P(HistoryErrors, ANewerSchemaIsRefused) {
  writer().append(run_at("2026-02-01", 1));
  open_database(location_, Access::write)
      ->query("INSERT INTO ratchet_schema (version, applied_at) VALUES ($1, $2)",
              {static_cast<std::int64_t>(migrations().size() + 1), utc_now()});
  for (const Access access : {Access::read, Access::write}) {
    const std::string what = message([&] { open_store(location_, access); });
    EXPECT_HAS(what, "use a newer ratchet");
    EXPECT_HAS(what, "version " + std::to_string(migrations().size() + 1));
  }
}

TEST_P(HistoryErrors, MigrationsAreAppliedInTurnAndWhole) {
  const auto database = open_database(location_, Access::write);
  const Migration one = {"CREATE TABLE a (x BIGINT)", "INSERT INTO a (x) VALUES (1)"};
  const Migration two = {"ALTER TABLE a ADD COLUMN y BIGINT", "UPDATE a SET y = x + 1"};
  const Migration broken = {"CREATE TABLE b (x BIGINT)", "INSERT INTO nowhere (x) VALUES (1)"};
  EXPECT_EQ(schema_version(*database), 0u);
  migrate(*database, {one});
  EXPECT_EQ(schema_version(*database), 1u);
  EXPECT_NE(message([&] { migrate(*database, {one, two, broken}); }), "no error");
  EXPECT_EQ(schema_version(*database), 1u);  // the second was undone with the third
  EXPECT_FALSE(database->has_table("b"));
  migrate(*database, {one, two});
  migrate(*database, {one, two});
  EXPECT_EQ(schema_version(*database), 2u);
  EXPECT_EQ(database->query("SELECT y FROM a").at(0).at(0), Value(std::int64_t{2}));
}

TEST(HistoryFile, BelowAFolderThatIsNotThereIsRefused) {
  const ScratchFolder folder;
  std::ostringstream said;
  const fs::path missing = folder.path() / "none";
  const std::string what =
      message([&] { require_usable((missing / "history.sqlite").string(), said); });
  EXPECT_HAS(what, "there is no folder " + missing.string() + "; make it, or --history names");
  EXPECT_FALSE(fs::exists(missing));
  require_usable((folder.path() / "history.sqlite").string(), said);
}

TEST(HistoryFile, ThatIsSpoiledMeanwhileLosesNoRun) {
  const ScratchFolder folder;
  const std::string text = (folder.path() / "text").string();
  write_atomically(text, "no database");
  std::ostringstream said;
  EXPECT_FALSE(
      keep(text, run_at("2026-02-01", 1), folder.path() / "results", ExitCode::failed, said));
  EXPECT_HAS(said.str(), "THIS RUN IS NOT IN THE HISTORY YET");
  const std::string results = (folder.path() / "results").string();
  EXPECT_HAS(said.str(), "`ratchet history --import " + results +
                             "/history-unsent.sqlite --history " + results +
                             "/history-other.sqlite`");
}

TEST_P(HistoryErrors, AnEmptyDatabaseHoldsNoHistory) {
  open_database(location_, Access::write)->query("CREATE TABLE other (x BIGINT)");
  EXPECT_HAS(message([&] { reader(); }), "is not a history");
}

TEST_P(HistoryErrors, ReadingNeverWrites) {
  writer().append(run_at("2026-02-01", 1));
  HistoryStore store = reader();
  const std::string what = message([&] { store.append(run_at("2026-02-02", 2)); });
  EXPECT_HAS(what, "read-only");
  EXPECT_EQ(store.series("demo/cpu/01_a").size(), 1u);
}

TEST_P(HistoryErrors, AHistoryLockedByAnotherIsNamedAfterAWhile) {
  writer().append(run_at("2026-02-01", 1));
  const auto other = open_database(location_, Access::write);
  other->begin(false);
  if (std::string(GetParam()) == "postgresql") other->query("LOCK TABLE ratchet_runs");
  HistoryStore store(open_database(location_, Access::write, 100), Access::write);
  const std::string what = message([&] { store.append(run_at("2026-02-02", 2)); });
  EXPECT_HAS(what, "lock");
  other->rollback();
  store.append(run_at("2026-02-02", 2));
  EXPECT_EQ(store.series("demo/cpu/01_a").size(), 2u);
}

ON_BOTH_STORES(HistoryErrors);

class SqliteErrors : public testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "history.sqlite").string(); }
  std::string refusal(Access access = Access::write) const {
    return message([&] { open_store(file(), access); });
  }
  ScratchFolder folder_;
};

TEST_F(SqliteErrors, FilesThatAreNoDatabase) {
  std::ofstream(file()) << std::string(5000, 'x');
  for (const Access access : {Access::read, Access::write})
    EXPECT_HAS(refusal(access), file() + " is not a history: it is not an SQLite database");
  EXPECT_EQ(fs::file_size(file()), 5000u);  // and were left alone
  fs::remove(file());
  fs::create_directory(file());
  EXPECT_HAS(refusal(), "not a regular file");
  fs::remove(file());
  EXPECT_HAS(refusal(Access::read), "there is no history at " + file() + " yet");
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_HAS(message([&] { open_store(file() + "/", Access::write); }), "history");
}

TEST_F(SqliteErrors, DamagedFilesAreNamed) {
  open_store(file(), Access::write).append(run_at("2026-02-01", 1));
  fs::resize_file(file(), 4096 + 100);
  EXPECT_HAS(message([&] { open_store(file(), Access::read).rows(); }), "damaged");
}

TEST_F(SqliteErrors, AFullDiskLeavesTheStoreWhole) {
  open_store(file(), Access::write).append(run_at("2026-02-01", 1));
  const auto size = fs::file_size(file());
  const int status = status_of(in_a_child([&] {
    // A limit on the size of files fails a write as a full disk does.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {size + 8192, size + 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
    RunRecord large = run_at("2026-02-02", 2);
    large.rows.front().reason = std::string(100'000, 'x');
    HistoryStore store = open_store(file(), Access::write);
    const std::string what = message([&] { store.append(large); });
    if (what.find(file()) == std::string::npos || what.find("rror") == std::string::npos)
      throw Error("said: " + what);
  }));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(open_store(file(), Access::read).series("demo/cpu/01_a").size(), 1u);
  // The page limit is SQLite's own full disk.
  const auto database = open_database(file(), Access::write);
  database->query("PRAGMA max_page_count = 1");
  EXPECT_HAS(message([&] {
               database->query("CREATE TABLE more (x TEXT)");
               database->query("INSERT INTO more (x) VALUES ($1)", {std::string(1'000'000, 'x')});
             }),
             "the disk is full");
}

TEST_F(SqliteErrors, AFullDiskLeavesNoEmptyHistory) {
  const int status = status_of(in_a_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {8192, 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::ostringstream out;
    if (keep(file(), run_at("2026-02-01", 1), folder_.path(), ExitCode::failed, out))
      throw Error("kept");
    if (out.str().find("THIS RUN IS NOT IN THE HISTORY: ") != 0) throw Error("said: " + out.str());
  }));
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(SqliteErrors, AReadOnlyFileIsReadAndNotWritten) {
  open_store(file(), Access::write).append(run_at("2026-02-01", 1));
  fs::permissions(file(), fs::perms(0444));
  fs::permissions(folder_.path(), fs::perms(0555));
  const int status = status_of(in_a_child([&] {
    // Root may write anything; anybody else may not.
    if (geteuid() == 0 && setuid(65534) != 0) throw Error("setuid");
    if (open_store(file(), Access::read).series("demo/cpu/01_a").size() != 1) throw Error("read");
    const std::string what =
        message([&] { open_store(file(), Access::write).append(run_at("2026-02-02", 2)); });
    if (what.find("is read-only") == std::string::npos) throw Error("said: " + what);
  }));
  EXPECT_EQ(status, 0);
  fs::permissions(folder_.path(), fs::perms(0700));
}

class PostgresErrors : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::instance();
    if (!server_) GTEST_SKIP() << PostgresServer::why_not();
  }
  static std::string refusal(const std::string& url) {
    return message([&] { open_store(url, Access::write); });
  }
  PostgresServer* server_ = nullptr;
};

TEST_F(PostgresErrors, AWrongPasswordIsNeverShown) {
  const std::string what = refusal(server_->url("guarded") + "&password=s3cr3t");
  EXPECT_HAS(what, "password authentication failed");
  EXPECT_HAS(what, "postgresql://guarded@");
  EXPECT_LACKS(what, "s3cr3t");
  // Nor in an error of a server that repeats it.
  const std::string right = server_->url("guarded") + "&password=right";
  const auto database = open_database(right, Access::read);
  EXPECT_LACKS(message([&] { database->query("SELECT 1 FROM \"right\""); }), "right");
  EXPECT_LACKS(database->name(), "right");
}

TEST_F(PostgresErrors, AMalformedUrlIsNeverRepeated) {
  for (const std::string url :
       {"postgresql://user:s3cr3t@[::1/x", "postgresql://user:s3cr3t@host:port:1/x?y",
        "postgresql://user@host/x?password=s3cr3t&nonsense"}) {
    const std::string what = refusal(url);
    EXPECT_HAS(what, "URL is malformed");
    EXPECT_LACKS(what, "s3cr3t");
  }
}

TEST_F(PostgresErrors, AServerThatIsAway) {
  const std::string what = refusal("postgresql:///x?host=/nowhere&user=a&password=s3cr3t");
  EXPECT_HAS(what, "cannot be reached");
  EXPECT_LACKS(what, "s3cr3t");
  EXPECT_HAS(refusal(server_->url() + "&dbname=nowhere"), "\"nowhere\" does not exist");
}

TEST(HistoryLocation, OtherUrlsAreRefused) {
  EXPECT_HAS(message([] { open_store("mysql://u:s3cr3t@h/x", Access::write); }), "\"mysql://\"");
  EXPECT_LACKS(message([] { open_store("mysql://u:s3cr3t@h/x", Access::write); }), "s3cr3t");
  EXPECT_NE(message([] { open_store("", Access::write); }), "no error");
}

}  // namespace
}  // namespace ratchet::history
