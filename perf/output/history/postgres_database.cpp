#if RATCHET_HAVE_POSTGRES
// The history on a PostgreSQL server, for several runners that share one.
#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "perf/output/history/database.h"
#include "perf/support/error.h"

namespace ratchet::history {
namespace {

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

// The number of the advisory lock ("ratchet" in ASCII). Writers share the lock, so that the tables
// do not change under them; a transaction that must be alone takes it exclusively.
constexpr const char* lock_together = "SELECT pg_advisory_xact_lock_shared(32195299856901492)";
constexpr const char* lock_alone = "SELECT pg_advisory_xact_lock(32195299856901492)";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The parts of the URL, parsed by libpq.
class Url {
 public:
  explicit Url(const std::string& url) {
    // libpq's own message quotes parts of the URL, and so may quote the password.
    options_.reset(PQconninfoParse(url.c_str(), nullptr));
    if (!options_)
      throw Error(
          "the history's URL is malformed; the form is "
          "postgresql://user@host:port/database (special characters as %XX)");
  }
  std::string value(const std::string& key) const {
    for (const PQconninfoOption* option = options_.get(); option->keyword; ++option) {
      if (key == option->keyword) return option->val ? option->val : "";
    }
    return "";
  }
  std::string shown() const {
    const std::string user = value("user");
    const std::string host = value("host"), port = value("port");
    const bool address = host.find(':') != std::string::npos;  // of IPv6
    return fmt::format("postgresql://{}{}{}/{}", user.empty() ? "" : user + "@",
                       address ? "[" + host + "]" : host, port.empty() ? "" : ":" + port,
                       value("dbname"));
  }

 private:
  std::unique_ptr<PQconninfoOption, FreeOptions> options_;
};

std::optional<std::string> text_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::nullopt;
}

Value column(const PGresult* result, int row, int index) {
  constexpr Oid int8 = 20, int2 = 21, int4 = 23, float4 = 700, float8 = 701;
  if (PQgetisnull(result, row, index)) return {};
  const std::string text(PQgetvalue(result, row, index),
                         static_cast<std::size_t>(PQgetlength(result, row, index)));
  const Oid type = PQftype(result, index);
  if (type == int8 || type == int4 || type == int2) {
    std::int64_t whole = 0;
    std::from_chars(text.data(), text.data() + text.size(), whole);
    return whole;
  }
  if (type == float8 || type == float4) {
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  return text;
}

class PostgresDatabase final : public Database {
 public:
  PostgresDatabase(const std::string& address, Access access, int timeout_ms)
      : url_(address), address_(address), access_(access), timeout_ms_(timeout_ms) {
    connect([this] { return refused_for_now(); });
  }

  std::vector<Values> query(const std::string& sql, const Values& values) override {
    std::vector<std::optional<std::string>> texts;
    std::vector<const char*> pointers;
    for (const Value& value : values) texts.push_back(text_of(value));
    for (const auto& text : texts) pointers.push_back(text ? text->c_str() : nullptr);
    const std::string& statement = prepared(sql);
    const Result result(PQexecPrepared(connection_.get(), statement.c_str(),
                                       static_cast<int>(pointers.size()), pointers.data(), nullptr,
                                       nullptr, 0));
    check(result.get());
    std::vector<Values> rows(static_cast<std::size_t>(PQntuples(result.get())));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (int i = 0; i < PQnfields(result.get()); ++i)
        rows[row].push_back(column(result.get(), static_cast<int>(row), i));
    }
    return rows;
  }

  bool has_table(const std::string& name) override {
    // Not to_regclass: within a transaction it misses a table that another client has created
    // since.
    return !query(
                "SELECT 1 FROM pg_catalog.pg_class WHERE relname = $1 AND relkind = 'r' "
                "AND pg_catalog.pg_table_is_visible(oid)",
                {name})
                .empty();
  }
  void begin(bool alone) override {
    query("BEGIN", {});
    try {
      query(alone ? lock_alone : lock_together, {});
    } catch (const Error&) {
      rollback();
      throw;
    }
  }
  void commit() override { query("COMMIT", {}); }
  void rollback() noexcept override { const Result ignored(PQexec(connection_.get(), "ROLLBACK")); }
  void reconnect() override {
    connect([] { return true; });
  }
  std::string name() const override { return url_.shown(); }

 private:
  /// Retries until it is connected, the timeout passes, or the fault is permanent (worth_another).
  void connect(const std::function<bool()>& worth_another) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms_);
    while (!try_to_connect()) {
      if (std::chrono::steady_clock::now() >= end || !worth_another())
        throw Error(fmt::format("the history {} cannot be reached: {}", url_.shown(),
                                scrubbed(PQerrorMessage(connection_.get()))));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    // Suppresses the server's notices on stderr ("relation exists, skipping").
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    query(fmt::format("SET lock_timeout = {}", timeout_ms_), {});
    query(fmt::format("SET statement_timeout = {}", 2 * timeout_ms_), {});
    if (access_ == Access::read) query("SET default_transaction_read_only = on", {});
  }

  bool try_to_connect() {
    const std::string seconds = std::to_string(std::max(2, timeout_ms_ / 1000));
    // Keys before "dbname", which carries the URL, are defaults.
    const char* timeout = std::getenv("PGCONNECT_TIMEOUT") ? nullptr : seconds.c_str();
    const char* keys[] = {"connect_timeout", "application_name", "dbname", "client_encoding",
                          nullptr};
    const char* values[] = {timeout, "ratchet", address_.c_str(), "UTF8", nullptr};
    statements_.clear();
    connection_.reset(PQconnectdbParams(keys, values, 1));
    return PQstatus(connection_.get()) == CONNECTION_OK;
  }

  /// The server is starting, stopping or out of connection slots. libpq has no code for the last,
  /// so its English message decides. With a server of another language there is no retry.
  bool refused_for_now() const {
    const std::string why = PQerrorMessage(connection_.get());
    if (why.find("too many") != std::string::npos ||
        why.find("remaining connection slots") != std::string::npos)
      return true;
    return PQping(address_.c_str()) == PQPING_REJECT;
  }

  const std::string& prepared(const std::string& sql) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return known->second;
    const std::string name = "ratchet_" + std::to_string(statements_.size());
    const Result result(PQprepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr));
    check(result.get());
    return statements_.emplace(sql, name).first->second;
  }

  void check(const PGresult* result) const {
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return;
    const char* primary = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
    const std::string why = scrubbed(primary ? primary : PQerrorMessage(connection_.get()));
    if (PQstatus(connection_.get()) != CONNECTION_OK)
      throw LostConnection(fmt::format("the history {}: the connection to the server was lost: {}",
                                       url_.shown(), why));
    throw Error(fmt::format("the history {}: {}", url_.shown(), why));
  }

  /// One line without the password, even if the server's message repeats it.
  std::string scrubbed(const std::string& message) const {
    std::string line = first_line(message);
    const std::string password = url_.value("password");
    for (std::size_t at = 0;
         !password.empty() && (at = line.find(password, at)) != std::string::npos; at += 3)
      line.replace(at, password.size(), "***");
    return line;
  }

  Url url_;
  std::string address_;
  Access access_;
  int timeout_ms_;
  std::unique_ptr<PGconn, CloseConnection> connection_;
  std::map<std::string, std::string> statements_;
};

}  // namespace

std::unique_ptr<Database> open_postgres(const std::string& url, Access access, int timeout_ms) {
  return std::make_unique<PostgresDatabase>(url, access, timeout_ms);
}

bool has_postgres() { return true; }

}  // namespace ratchet::history

#else  // a build without libpq
#include "perf/output/history/database.h"
#include "perf/support/error.h"

namespace ratchet::history {

std::unique_ptr<Database> open_postgres(const std::string&, Access, int) {
  throw Error(
      "this ratchet was built without PostgreSQL; install libpq-dev and build it again, or "
      "name a file");
}

bool has_postgres() { return false; }

}  // namespace ratchet::history
#endif
