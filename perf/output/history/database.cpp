#include "perf/output/history/database.h"

#include <fmt/format.h>

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

}  // namespace ratchet::history
