#include "perf/output/history/unsent.h"

#include <system_error>

namespace ratchet::history {

std::filesystem::path unsent_file(const std::filesystem::path& results) {
  return results / "history-unsent.sqlite";
}

void keep_unsent(const std::filesystem::path& file, const RunRecord& run) {
  const bool was_there = std::filesystem::exists(file);
  try {
    open_store(file.string(), Access::write).append(run);
  } catch (const std::exception&) {
    // A full disk leaves a truncated, unreadable database.
    std::error_code ignored;
    if (!was_there)
      for (const char* part : {"", "-journal", "-wal", "-shm"})
        std::filesystem::remove(file.string() + part, ignored);
    throw;
  }
}

std::size_t send_unsent(const std::filesystem::path& file, HistoryStore& history) {
  if (!std::filesystem::exists(file)) return 0;
  std::size_t sent = 0;
  {
    HistoryStore unsent = open_store(file.string(), Access::write);
    const auto ids = unsent.ids();
    history.merge(unsent);
    // Deleted last: a run in both is recognised by its id, a run in neither is lost.
    for (const std::string& id : ids) unsent.remove(id);
    sent = ids.size();
  }
  std::filesystem::remove(file);
  return sent;
}

}  // namespace ratchet::history
