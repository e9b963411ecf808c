// Unsent runs: runs that the history refused, stored in the results folder until it accepts them.
#pragma once

#include <filesystem>
#include <string>

#include "perf/output/history/store.h"

namespace ratchet::history {

/// history-unsent.sqlite in the folder `results`: an ordinary history, which `ratchet history
/// --import` adds to another one.
std::filesystem::path unsent_file(const std::filesystem::path& results);

/// Stores a run there. Throws `Error`.
void keep_unsent(const std::filesystem::path& file, const RunRecord& run);

/// Adds the runs in `file`, if it exists, to the history, and removes the empty file. An
/// interrupted call can be repeated: each run is added once. Returns their number. Throws `Error`.
std::size_t send_unsent(const std::filesystem::path& file, HistoryStore& history);

}  // namespace ratchet::history
