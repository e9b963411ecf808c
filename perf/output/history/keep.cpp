#include "perf/output/history/keep.h"

#include <fmt/format.h>

#include <exception>
#include <ostream>

#include "perf/output/history/store.h"
#include "perf/output/history/unsent.h"
#include "perf/support/clock.h"

namespace ratchet::history {

std::string location_or_default(const std::string& wanted, const std::filesystem::path& results) {
  return wanted.empty() ? (results / "history.sqlite").string() : wanted;
}

void warn_if_unusable(const std::string& location, std::ostream& progress) {
  if (location == no_history) return;
  try {
    open_store(location, Access::write);
  } catch (const std::exception& error) {
    progress << "ratchet: " << error.what() << "; measuring goes on" << std::endl;
  }
}

namespace {

/// Stores a run that the history refused among the unsent ones, and returns the message.
std::string kept_elsewhere(const std::filesystem::path& unsent, const RunRecord& run,
                           const std::string& why) {
  try {
    keep_unsent(unsent, run);
    return fmt::format(
        "THIS RUN IS NOT IN THE HISTORY YET: {0}\nIt is stored in {1}: the next run with this "
        "results folder adds it, and so does `ratchet history --import {1}`.",
        why, unsent.string());
  } catch (const std::exception& error) {
    return fmt::format(
        "THIS RUN IS NOT IN THE HISTORY: {}\nIt could not be stored for later either: {}.", why,
        error.what());
  }
}

}  // namespace

bool keep(const std::string& location, const RunRecord& run, const std::filesystem::path& results,
          ExitCode if_lost, std::ostream& out) {
  if (location == no_history) return true;
  const std::filesystem::path unsent = unsent_file(results);
  bool added = false;
  try {
    HistoryStore store = open_store(location, Access::write);
    store.append(run);
    added = true;
    if (const std::size_t sent = send_unsent(unsent, store); sent > 0)
      out << fmt::format("{} earlier unsent runs were added to the history", sent) << std::endl;
    return true;
  } catch (const std::exception& error) {
    out << (added ? fmt::format("this run is in the history; earlier runs are still only in {}: {}",
                                unsent.string(), error.what())
                  : kept_elsewhere(unsent, run, error.what()))
        << "\nThe verdict above stands, but the exit code is " << static_cast<int>(if_lost)
        << " (--history none keeps no history)." << std::endl;
    return false;
  }
}

}  // namespace ratchet::history
