// Seeding a history from what lies about: results of earlier gate runs, and the baselines that a
// repository's own history has kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "perf/output/history/store.h"

namespace ratchet::history {

/// What an import would record, and what it had to leave out and why.
struct Imported {
  std::vector<RunRecord> runs;
  std::vector<std::string> notes;
};

/// A results file of a gate run (gate.json) or a baseline file, at the date of its context. Throws
/// `Error` naming the file when read_measurements refuses it or it states no date.
RunRecord run_from_file(const std::filesystem::path& file);

/// Whether a file is an SQLite one, and so a history by itself (HistoryStore::merge).
bool is_sqlite(const std::filesystem::path& file);

/// Every version of every <folder>/<machine>/<family>.json that the current branch of the git
/// repository around `folder` ever held, oldest first. A version that cannot be read, of an older
/// format say, is left out with a note. Throws `Error` where `folder` is in no repository.
Imported runs_from_git(const std::filesystem::path& folder);

}  // namespace ratchet::history
