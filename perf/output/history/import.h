// Seeds a history from the results of earlier gate runs and from the baselines in a repository's
// git history.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "perf/output/history/store.h"

namespace ratchet::history {

/// The runs to record, and notes on the omitted ones.
struct Imported {
  std::vector<RunRecord> runs;
  std::vector<std::string> notes;
};

/// A results file of a gate run (gate.json) or a baseline file, at the date of its context. Throws
/// `Error` naming the file if read_measurements refuses it or it has no date.
RunRecord run_from_file(const std::filesystem::path& file);

/// Whether a file is an SQLite database, and so a history (HistoryStore::merge).
bool is_sqlite(const std::filesystem::path& file);

/// Every version of every <folder>/<machine>/<family>.json on the current branch of the git
/// repository around `folder`, oldest first. An unreadable version, such as one in an older format,
/// is omitted with a note. Throws `Error` if `folder` is not in a repository.
Imported runs_from_git(const std::filesystem::path& folder);

}  // namespace ratchet::history
