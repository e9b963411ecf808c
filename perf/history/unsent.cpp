#include "perf/history/unsent.h"

namespace ratchet::history {

std::filesystem::path unsent_file(const std::filesystem::path& results) {
  return results / "history-unsent.sqlite";
}

void keep_unsent(const std::filesystem::path& file, const RunRecord& run) {
  open_store(file.string(), Access::write).append(run);
}

std::size_t send_unsent(const std::filesystem::path& file, HistoryStore& history) {
  if (!std::filesystem::exists(file)) return 0;
  std::size_t sent = 0;
  {
    HistoryStore unsent = open_store(file.string(), Access::write);
    const auto ids = unsent.ids();
    history.merge(unsent);
    // Only now: a run that lies in both is recognised by its id, one that lies in neither is lost.
    for (const std::string& id : ids) unsent.remove(id);
    sent = ids.size();
  }
  std::filesystem::remove(file);
  return sent;
}

}  // namespace ratchet::history
