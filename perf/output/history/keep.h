// Recording runs in the history: a gate run, runs that were not sent, results of earlier runs.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "perf/output/history/record.h"
#include "perf/output/history/store.h"
#include "perf/support/error.h"

namespace ratchet::history {

// Recording a gate run in the history: check early that it can be written, write it last, and never
// lose a verdict over it.

/// The value of --history that disables the history.
inline constexpr const char* no_history = "none";

/// `wanted`, or where it is empty the file history.sqlite in the folder `results`.
std::string location_or_default(const std::string& wanted, const std::filesystem::path& results);

/// Opens the history and closes it again. Throws `Error` where it cannot hold the run, as a file
/// that is no database. What may pass until then (a lock, a full disk, a server that is away) goes
/// to `progress`, so that the user can repair it while the gate measures.
void require_usable(const std::string& location, std::ostream& progress);

/// Appends a run and the unsent runs of the folder `results`. If one cannot be recorded,
/// prints a warning on `out` with the resulting exit code `if_lost`, stores it as unsent and
/// returns false. Never throws.
bool keep(const std::string& location, const RunRecord& run, const std::filesystem::path& results,
          ExitCode if_lost, std::ostream& out);

// Unsent runs: runs that the history refused, stored in the results folder until it accepts them.

/// history-unsent.sqlite in the folder `results`: an ordinary history, which `ratchet history
/// --import` adds to another one.
std::filesystem::path unsent_file(const std::filesystem::path& results);

/// Stores a run there. Throws `Error`.
void keep_unsent(const std::filesystem::path& file, const RunRecord& run);

/// Adds the runs in `file`, if it exists, to the history, and removes the empty file. An
/// interrupted call can be repeated: each run is added once. Returns their number. Throws `Error`.
std::size_t send_unsent(const std::filesystem::path& file, HistoryStore& history);

// Seeds a history from the results of earlier gate runs and from the baselines in a repository's
// git history.

/// The runs to record, and notes on the omitted ones.
struct Imported {
  std::vector<RunRecord> runs;
  std::vector<std::string> notes;
};

/// A results file of a gate run (gate.json) or a baseline file, at the date of its context. Throws
/// `Error` naming the file if read_measurements refuses it or it has no date.
RunRecord run_from_file(const std::filesystem::path& file);

/// The past that another tool kept: data.js of github-action-benchmark, the results of a commit of
/// asv's, or what `bencher perf` prints. Nothing where the file is none of these. A run's mode is
/// "imported"; its id is made of its tool, commit, date and machine, so that importing twice
/// changes nothing. Notes say which figures were left out. Throws `Error` for a malformed file.
std::optional<Imported> runs_of_other_tool(const std::filesystem::path& file);

/// Whether a file is an SQLite database, and so a history (HistoryStore::merge).
bool is_sqlite(const std::filesystem::path& file);

/// Every version of every <folder>/<machine>/<family>.json on the current branch of the git
/// repository around `folder`, oldest first. An unreadable version, such as one in an older format,
/// is omitted with a note. Throws `Error` if `folder` is not in a repository.
Imported runs_from_git(const std::filesystem::path& folder);

}  // namespace ratchet::history
