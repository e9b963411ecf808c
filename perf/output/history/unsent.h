// Runs that their history could not take, kept beside the results until it can.
#pragma once

#include <filesystem>
#include <string>

#include "perf/output/history/store.h"

namespace ratchet::history {

/// history-unsent.sqlite in the folder `results`: a history like any other, which `ratchet history
/// --import` adds to another.
std::filesystem::path unsent_file(const std::filesystem::path& results);

/// Keeps a run there. Throws `Error`.
void keep_unsent(const std::filesystem::path& file, const RunRecord& run);

/// Adds the runs that `file` keeps, if it exists, to the history, each once however often this is
/// broken off, and removes the file when it is empty. Returns their number. Throws `Error`.
std::size_t send_unsent(const std::filesystem::path& file, HistoryStore& history);

}  // namespace ratchet::history
