#include "perf/output/history/database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perf/support/clock.h"
#include "perf/support/error.h"

namespace ratchet::history {

std::unique_ptr<Database> open_database(const std::string& location, Access access,
                                        int timeout_ms) {
  if (location.empty()) throw Error("the history needs a file or a URL: --history FILE|URL|none");
  const std::size_t scheme = location.find("://");
  if (scheme == std::string::npos) return open_sqlite(location, access, timeout_ms);
  const std::string kind = location.substr(0, scheme);
  if (kind == "postgresql" || kind == "postgres")
    return open_postgres(location, access, timeout_ms);
  throw Error(
      fmt::format("the history cannot be kept in \"{}://\": it takes a file (SQLite) or "
                  "postgresql://user@host/database",
                  kind));
}

void despite_lost_connections(Database& database, const std::function<void()>& act) {
  constexpr int most = 5;
  for (int attempt = 1;; ++attempt) {
    try {
      if (attempt > 1) database.reconnect();
      return act();
    } catch (const LostConnection&) {
      if (attempt == most) throw;
    }
  }
}

namespace {

// Types that SQLite and PostgreSQL share. Runs have random keys, so that histories can be merged
// without renumbering.
const Migration first = {
    R"(CREATE TABLE ratchet_runs (
         id TEXT PRIMARY KEY,
         time TEXT NOT NULL,
         revision TEXT NOT NULL,
         machine TEXT NOT NULL,
         fingerprint TEXT NOT NULL,
         fingerprint_hash TEXT NOT NULL,
         mode TEXT NOT NULL,
         exit_code BIGINT,
         rule_version BIGINT NOT NULL))",
    R"(CREATE TABLE ratchet_rows (
         run_id TEXT NOT NULL REFERENCES ratchet_runs (id) ON DELETE CASCADE,
         name TEXT NOT NULL,
         machine TEXT NOT NULL,
         fingerprint_hash TEXT NOT NULL,
         verdict TEXT NOT NULL,
         ratio DOUBLE PRECISION,
         low DOUBLE PRECISION,
         high DOUBLE PRECISION,
         detectable DOUBLE PRECISION,
         launches BIGINT NOT NULL,
         throughput DOUBLE PRECISION,
         units DOUBLE PRECISION,
         tolerance DOUBLE PRECISION,
         reason TEXT NOT NULL,
         code_hash TEXT NOT NULL,
         measurement TEXT NOT NULL,
         PRIMARY KEY (run_id, name)))",
    R"(CREATE TABLE ratchet_launches (
         run_id TEXT NOT NULL,
         row_name TEXT NOT NULL,
         side TEXT NOT NULL,
         position BIGINT NOT NULL,
         units_per_second DOUBLE PRECISION NOT NULL,
         real_ms DOUBLE PRECISION NOT NULL,
         reference_per_second DOUBLE PRECISION,
         PRIMARY KEY (run_id, row_name, side, position),
         FOREIGN KEY (run_id, row_name) REFERENCES ratchet_rows (run_id, name)
           ON DELETE CASCADE))",
    "CREATE INDEX ratchet_rows_by_name ON ratchet_rows (name, fingerprint_hash)",
    "CREATE INDEX ratchet_rows_by_measurement ON ratchet_rows (measurement)"};

// A JSON object of texts (record.h), empty where nothing is known.
const Migration second = {
    "ALTER TABLE ratchet_runs ADD COLUMN commit_facts TEXT NOT NULL DEFAULT ''"};

// Of a row's throughput, "calls", "B"; empty where unknown.
const Migration third = {"ALTER TABLE ratchet_rows ADD COLUMN unit TEXT NOT NULL DEFAULT ''"};

// Of a row's throughput, "wall", "cpu"; empty where unknown.
const Migration fourth = {"ALTER TABLE ratchet_rows ADD COLUMN clock TEXT NOT NULL DEFAULT ''"};

// RowRecord::accepted
const Migration fifth = {"ALTER TABLE ratchet_rows ADD COLUMN accepted TEXT NOT NULL DEFAULT ''"};

// RowRecord::work; and the order in which runs were added, 0 of those before.
const Migration sixth = {"ALTER TABLE ratchet_rows ADD COLUMN work TEXT NOT NULL DEFAULT ''",
                         "ALTER TABLE ratchet_runs ADD COLUMN place BIGINT NOT NULL DEFAULT 0"};

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"ratchet_runs",
       {"id", "time", "revision", "machine", "fingerprint", "fingerprint_hash", "mode", "exit_code",
        "rule_version", "commit_facts"}},
      {"ratchet_rows", {"run_id",      "name",  "machine",   "fingerprint_hash", "verdict",
                        "ratio",       "low",   "high",      "detectable",       "launches",
                        "throughput",  "units", "tolerance", "reason",           "code_hash",
                        "measurement", "unit",  "clock",     "accepted",         "work"}},
      {"ratchet_launches",
       {"run_id", "row_name", "side", "position", "units_per_second", "real_ms",
        "reference_per_second"}}};
  return all;
}

std::string insert_into(const Table& table) {
  std::string parameters;
  for (std::size_t i = 1; i <= table.columns.size(); ++i)
    parameters += fmt::format("{}${}", i == 1 ? "" : ", ", i);
  // A run's place is that in this history, also where it is copied from another.
  const bool run = table.name == tables().front().name;
  return fmt::format("INSERT INTO {} ({}{}) VALUES ({}{})", table.name,
                     fmt::join(table.columns, ", "), run ? ", place" : "", parameters,
                     run ? ", (SELECT coalesce(max(place), 0) + 1 FROM ratchet_runs)" : "");
}

void refuse_newer(Database& database, std::size_t known) {
  const std::size_t version = schema_version(database);
  if (version > known)
    throw Error(
        fmt::format("the history {} has tables of version {}, and this ratchet reads version {}; "
                    "use a newer ratchet",
                    database.name(), version, known));
}

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> all = {first, second, third, fourth, fifth, sixth};
  return all;
}

std::size_t schema_version(Database& database) {
  if (!database.has_table("ratchet_schema")) return 0;
  const auto rows = database.query("SELECT max(version) FROM ratchet_schema");
  const auto* version = std::get_if<std::int64_t>(&rows.at(0).at(0));
  return version ? static_cast<std::size_t>(*version) : 0;
}

void migrate(Database& database, const std::vector<Migration>& wanted) {
  // Before taking a lock: a current store opens without one.
  refuse_newer(database, wanted.size());
  if (schema_version(database) == wanted.size()) return;
  Transaction transaction(database, true);
  if (!database.has_table("ratchet_schema"))
    database.query(
        "CREATE TABLE ratchet_schema (version BIGINT PRIMARY KEY, applied_at TEXT NOT NULL)");
  refuse_newer(database, wanted.size());  // another process may have migrated it meanwhile
  const std::size_t version = schema_version(database);
  for (std::size_t next = version; next < wanted.size(); ++next) {
    for (const std::string& statement : wanted[next]) database.query(statement);
    database.query("INSERT INTO ratchet_schema (version, applied_at) VALUES ($1, $2)",
                   {static_cast<std::int64_t>(next + 1), utc_now()});
  }
  transaction.commit();
}

}  // namespace ratchet::history
