// One interface to SQLite and PostgreSQL, just wide enough for the history. database.cpp
// and store.cpp hold the SQL; the implementations hide the differences.
//
// Every statement is prepared. Parameters are $1, $2, ... in the order of their first use, which
// both databases accept. Errors name the database (never its password), the fault and the remedy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "perf/support/error.h"

namespace ratchet::history {

/// NULL, a whole number, a number or a text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
using Values = std::vector<Value>;

enum class Access { read, write };

/// The connection was lost: whether the server executed the last statement is unknown.
class LostConnection : public Error {
 public:
  using Error::Error;
};

/// What passes without the user: another program's lock, a full disk.
class Passing : public Error {
 public:
  using Error::Error;
};

class Database {
 public:
  virtual ~Database() = default;

  /// Runs one statement and returns its rows. Throws `Error`.
  virtual std::vector<Values> query(const std::string& sql, const Values& values = {}) = 0;
  virtual bool has_table(const std::string& name) = 0;

  /// Begins a writing transaction. `alone`: excludes the transactions of every other ratchet, for
  /// changes of the tables and for writes that depend on earlier reads. Throws `Error`.
  virtual void begin(bool alone) = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  /// Reconnects after a LostConnection, retrying until the timeout. Throws `Error`.
  virtual void reconnect() = 0;

  /// For messages: the file, or the URL without its password.
  virtual std::string name() const = 0;
};

/// Rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database, bool alone = false) : database_(database) {
    database_.begin(alone);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!committed_) database_.rollback();
  }
  void commit() {
    database_.commit();
    committed_ = true;
  }

 private:
  Database& database_;
  bool committed_ = false;
};

/// Runs `act`, which begins and commits a transaction. After a lost connection, reconnects and runs
/// it again, at most four times. `act` must have no effect if its first run was committed.
void despite_lost_connections(Database& database, const std::function<void()>& act);

/// Timeout of a statement that waits for a lock, and of connecting to a server that is starting,
/// stopping, out of connection slots or gone.
constexpr int default_timeout_ms = 30000;

/// Opens `location`: "postgresql://..." or "postgres://...", else the path of an SQLite file.
/// Access::write creates the file and its folder; Access::read requires it. Throws `Error` if it
/// cannot be opened, reached or logged in to, if it is not a database, or for any other URL.
std::unique_ptr<Database> open_database(const std::string& location, Access access,
                                        int timeout_ms = default_timeout_ms);

std::unique_ptr<Database> open_sqlite(const std::string& file, Access access, int timeout_ms);
/// Throws `Error` if this build lacks libpq (package libpq-dev), has_postgres().
std::unique_ptr<Database> open_postgres(const std::string& url, Access access, int timeout_ms);
bool has_postgres();

// The tables of the history, and the migration of older stores.
//
//   ratchet_runs      one gate run: UTC time, revision and commit, machine, fingerprint, mode, exit
//                     code
//   ratchet_rows      the run's verdict on one row, with effect, throughput, ...
//   ratchet_launches  the measurement of one process launch of that row
//   ratchet_schema    the versions of this store, and when each was reached

/// The statements that bring a store from one version to the next.
using Migration = std::vector<std::string>;

/// migrations()[v] leads from version v to v + 1; a new store starts at version 0. A released
/// migration never changes; new ones are appended.
const std::vector<Migration>& migrations();

/// A table, with the columns that this ratchet writes.
struct Table {
  std::string name;
  std::vector<std::string> columns;
};

/// ratchet_runs, ratchet_rows, ratchet_launches: each refers only to earlier ones.
const std::vector<Table>& tables();

/// "INSERT INTO ... (...) VALUES ($1, ...)", with a value for every column in order. A run's
/// place after all others is added.
std::string insert_into(const Table& table);

/// The version of the store; 0 without ratchet's tables.
std::size_t schema_version(Database& database);

/// Throws `Error` if the store's version is newer than `known`.
void refuse_newer(Database& database, std::size_t known = migrations().size());

/// Migrates the store to version `wanted.size()` in one exclusive transaction. Throws `Error`, and
/// changes nothing, if the store is newer.
void migrate(Database& database, const std::vector<Migration>& wanted = migrations());

}  // namespace ratchet::history
