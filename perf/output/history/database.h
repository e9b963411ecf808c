// One way to speak to SQLite and to PostgreSQL, just wide enough for the history: the SQL lies in
// schema.cpp and store.cpp, once; what differs between the two lies behind this.
//
// Statements are prepared, always; parameters are written $1, $2, ... in the order of their first
// use, which both understand. Errors name the place (never its password), say what is wrong and
// what to do.
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

/// The server went away in the middle: whether the last statement was heard is not known.
class LostConnection : public Error {
 public:
  using Error::Error;
};

class Database {
 public:
  virtual ~Database() = default;

  /// Runs one statement and returns its rows. Throws `Error`.
  virtual std::vector<Values> query(const std::string& sql, const Values& values = {}) = 0;
  virtual bool has_table(const std::string& name) = 0;

  /// Begins a transaction that writes. `alone`: no other ratchet is between its own begin and
  /// commit meanwhile, for changes of the tables, and such that depend on what was read before.
  /// Throws `Error`.
  virtual void begin(bool alone) = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  /// Connects again after a LostConnection, trying until the timeout is over. Throws `Error`.
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

/// Runs `act`, which begins a transaction and commits it, and runs it once more on a new connection
/// where that was lost: four times at most. `act` must change nothing where its first run had been
/// committed after all.
void despite_lost_connections(Database& database, const std::function<void()>& act);

/// How long a statement waits for another program's lock, and a connection for its server: one that
/// starts, stops or has no connection to spare, and to reconnect one that is away altogether.
constexpr int default_timeout_ms = 30000;

/// Opens `location`: "postgresql://..." or "postgres://...", else the path of an SQLite file, which
/// (with its folder) is made under Access::write and must exist under Access::read. Throws `Error`
/// when it cannot be opened, reached or logged in to, is no database, or for any other URL.
std::unique_ptr<Database> open_database(const std::string& location, Access access,
                                        int timeout_ms = default_timeout_ms);

std::unique_ptr<Database> open_sqlite(const std::string& file, Access access, int timeout_ms);
/// Throws `Error` where this build lacks libpq (package libpq-dev).
std::unique_ptr<Database> open_postgres(const std::string& url, Access access, int timeout_ms);

}  // namespace ratchet::history
