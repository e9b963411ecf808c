// The history in one SQLite file. A rollback journal, not a write-ahead log: appends are rare, a CI
// cache saves one file, and a file in a read-only folder stays readable.
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "perf/output/history/database.h"
#include "perf/support/error.h"

namespace ratchet::history {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

/// Resets a statement on every exit, ready for its next use.
class Use {
 public:
  explicit Use(sqlite3_stmt* statement) : statement_(statement) {}
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

 private:
  sqlite3_stmt* statement_;
};

int bind(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return sqlite3_bind_int64(statement, index, *whole);
  if (const auto* number = std::get_if<double>(&value))
    return sqlite3_bind_double(statement, index, *number);
  if (const auto* text = std::get_if<std::string>(&value))
    return sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  return sqlite3_bind_null(statement, index);
}

Value column(sqlite3_stmt* statement, int index) {
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement, index));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, index);
    case SQLITE_NULL:
      return {};
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, index));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, index)));
    }
  }
}

std::filesystem::path folder_of(const std::string& file) {
  return std::filesystem::absolute(file).parent_path();
}

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const std::string& file, Access access, int timeout_ms)
      : file_(file), timeout_ms_(timeout_ms) {
    const int flags =
        access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(database_.get(), 1);
    sqlite3_busy_timeout(database_.get(), timeout_ms);
    query("PRAGMA foreign_keys = ON");
    query("SELECT count(*) FROM sqlite_master");  // reads the file: is it a database?
  }

  std::vector<Values> query(const std::string& sql, const Values& values) override {
    sqlite3_stmt* statement = prepared(sql);
    const Use use(statement);
    for (std::size_t i = 0; i < values.size(); ++i)
      check(bind(statement, static_cast<int>(i) + 1, values[i]));
    std::vector<Values> rows;
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
      Values& row = rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(statement); ++i) row.push_back(column(statement, i));
    }
    if (code != SQLITE_DONE) fail(code);
    return rows;
  }
  using Database::query;

  bool has_table(const std::string& name) override {
    return !query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1", {name}).empty();
  }
  void begin(bool) override { query("BEGIN IMMEDIATE", {}); }  // one writer at a time, always
  void commit() override { query("COMMIT", {}); }
  void rollback() noexcept override {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  void reconnect() override {}
  std::string name() const override { return file_; }

 private:
  void query(const char* sql) { query(sql, {}); }

  sqlite3_stmt* prepared(const std::string& sql) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return known->second.get();
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                             nullptr));
    return statements_.emplace(sql, Statement(statement)).first->second.get();
  }
  void check(int code) const {
    if (code != SQLITE_OK) fail(code);
  }

  [[noreturn]] void fail(int code) const {
    int number = database_ ? sqlite3_system_errno(database_.get()) : 0;
    // SQLite tries again without writing, and then finds no file.
    if (number == ENOENT && access(folder_of(file_).c_str(), W_OK) != 0) number = errno;
    const std::string system = number ? std::string(": ") + std::strerror(number) : "";
    const std::string detail = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
    switch (code & 0xff) {
      case SQLITE_NOTADB:
        throw Error(file_ + " is not a history: it is not an SQLite database; name another file");
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        throw Passing(
            fmt::format("the history {} stayed locked by another program for {:g} s; try "
                        "again when that program has finished",
                        file_, timeout_ms_ / 1e3));
      case SQLITE_READONLY:
        throw Error(
            fmt::format("the history {} is read-only; make it and its folder writable, or "
                        "name another with --history",
                        file_));
      case SQLITE_FULL:
        throw Passing(
            fmt::format("the history {} cannot be written: the disk is full; make room", file_));
      case SQLITE_CANTOPEN:
        throw Error(fmt::format("the history {} cannot be opened{}", file_, system));
      case SQLITE_CORRUPT:
        throw Error(fmt::format(
            "the history {} is damaged ({}); move it away, and the next run begins a new one",
            file_, detail));
      default:
        throw Error(fmt::format("the history {}: {}{}", file_, detail, system));
    }
  }

  std::string file_;
  int timeout_ms_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::map<std::string, Statement> statements_;  // after the database: finished before it closes
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::string& file, Access access, int timeout_ms) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path(file);
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(file + " is not a history: it is not a regular file; name another (--history)");
  if (access == Access::read && !fs::exists(status))
    throw Error(fmt::format(
        "there is no history at {} yet: every `ratchet gate` adds to it, and "
        "where baselines are stored, `ratchet history --import-git` begins one from them",
        file));
  if (access == Access::write && path.has_parent_path()) {
    fs::create_directories(path.parent_path(), error);
    if (error)
      throw Error(fmt::format("the folder {} cannot be made: {}", path.parent_path().string(),
                              error.message()));
  }
  return std::make_unique<SqliteDatabase>(file, access, timeout_ms);
}

}  // namespace ratchet::history
