#include "perf/output/history/keep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "perf/gate/outcome.h"
#include "perf/output/history/database.h"
#include "perf/output/history/store.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/git.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::history {

std::string location_or_default(const std::string& wanted, const std::filesystem::path& results) {
  return wanted.empty() ? (results / "history.sqlite").string() : wanted;
}

namespace {

/// Does not make the file: a run that fails is to leave none.
void require_place(const std::filesystem::path& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::exists(folder))
    throw Error(fmt::format(
        "the history {} cannot be made: there is no folder {}; make it, or --history names another "
        "place",
        file.string(), folder.string()));
  if (!std::filesystem::is_directory(folder))
    throw Error(fmt::format(
        "the history {} cannot be made: {} is not a folder; --history names another place",
        file.string(), folder.string()));
  // Not access(): root may write where a filesystem takes no file, as in /proc.
  std::string probe = (folder / "ratchet-probe.XXXXXX").string();
  const int made = mkstemp(probe.data());
  if (made < 0)
    throw Error(
        fmt::format("the history {} cannot be made: the folder {} cannot be written: {}; --history "
                    "names another place, or none",
                    file.string(), folder.string(), std::strerror(errno)));
  close(made);
  unlink(probe.c_str());
}

}  // namespace

void require_usable(const std::string& location, std::ostream& progress) {
  if (location == no_history) return;
  if (location.find("://") == std::string::npos && std::filesystem::is_directory(location))
    throw Error(fmt::format("the history {0} is a folder; name a file, such as {1}", location,
                            (std::filesystem::path(location) / "history.sqlite").string()));
  const auto goes_on = [&](const std::exception& error) {
    progress << "ratchet: " << error.what() << "; measuring goes on" << std::endl;
  };
  try {
    if (location.find("://") == std::string::npos && !std::filesystem::exists(location))
      require_place(location);
    else
      open_store(location, Access::write);
  } catch (const Passing& error) {
    goes_on(error);
  } catch (const Error& error) {
    const bool server =
        location.starts_with("postgresql://") || location.starts_with("postgres://");
    if (!server || !has_postgres()) throw;
    goes_on(error);  // a server may be back when the run ends
  }
}

namespace {

/// A database that was not there before goes again unless it `stays()`: a full disk leaves a
/// truncated one, which nothing can read.
class NewDatabase {
 public:
  explicit NewDatabase(const std::string& location)
      : file_(location),
        goes_(location.find("://") == std::string::npos && !std::filesystem::exists(location)) {}
  NewDatabase(const NewDatabase&) = delete;
  NewDatabase& operator=(const NewDatabase&) = delete;
  ~NewDatabase() {
    std::error_code ignored;
    if (goes_)
      for (const char* part : {"", "-journal", "-wal", "-shm"})
        std::filesystem::remove(file_ + part, ignored);
  }
  void stays() { goes_ = false; }

 private:
  std::string file_;
  bool goes_;
};

/// Stores a run that the history refused among the unsent ones, and returns the message.
std::string kept_elsewhere(const std::string& location, const std::filesystem::path& unsent,
                           const RunRecord& run, const std::string& why) {
  const bool url = location.find("://") != std::string::npos;
  try {
    keep_unsent(unsent, run);
    return fmt::format(
        "THIS RUN IS NOT IN THE HISTORY YET: {0}\nIt is stored in {1}: the next run with this "
        "results folder adds it; `ratchet history --import {2} --history {3}` copies it{4}.",
        why, unsent.string(), gate::shell_quoted(unsent.string()),
        // A URL may hold a password. A file that refused the run would refuse it again.
        url ? "URL" : gate::shell_quoted((unsent.parent_path() / "history-other.sqlite").string()),
        url ? "" : " into another file");
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
    NewDatabase whole(location);
    HistoryStore store = open_store(location, Access::write);
    store.append(run);
    whole.stays();
    added = true;
    if (const std::size_t sent = send_unsent(unsent, store); sent > 0)
      out << fmt::format("{} to the history",
                         sent == 1 ? "1 earlier unsent run was added"
                                   : fmt::format("{} earlier unsent runs were added", sent))
          << std::endl;
    return true;
  } catch (const std::exception& error) {
    out << (added ? fmt::format("this run is in the history; earlier runs are still only in {}: {}",
                                unsent.string(), error.what())
                  : kept_elsewhere(location, unsent, run, error.what()))
        << "\nThe verdicts above stand, but the exit code is " << static_cast<int>(if_lost)
        << " (--history none keeps no history)." << std::endl;
    return false;
  }
}

std::filesystem::path unsent_file(const std::filesystem::path& results) {
  return results / "history-unsent.sqlite";
}

void keep_unsent(const std::filesystem::path& file, const RunRecord& run) {
  NewDatabase whole(file.string());
  open_store(file.string(), Access::write).append(run);
  whole.stays();
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

namespace {

namespace fs = std::filesystem;

struct Version {
  std::string commit;
  std::string date;
  std::string path;  ///< from the top of the repository
};

RunRecord record_at(const Measurements& measured, const std::string& time) {
  const nlohmann::json ratchet = measured.context.value("ratchet", nlohmann::json::object());
  RunFacts facts;
  facts.time = time;
  facts.mode = ratchet.contains("rows") ? ratchet.value("mode", "stored") : "accepted";
  return record_of(measured, facts);
}

std::optional<std::string> date_of(const Measurements& measured) {
  const auto date = measured.context.find("date");
  if (date == measured.context.end() || !date->is_string()) return std::nullopt;
  return utc_time(date->get<std::string>());
}

ProcessResult git(const fs::path& folder, std::vector<std::string> arguments) {
  const std::vector<std::string> start = {"git", "-C", fs::absolute(folder).string()};
  arguments.insert(arguments.begin(), start.begin(), start.end());
  return run_process(arguments, 60);
}

/// Matches <machine>/<family>.json below the folder, and no other file of baselines/.
bool is_baseline(const std::string& path) {
  const fs::path file(path);
  const std::string stem = file.stem().string();
  return file.extension() == ".json" && file.parent_path().filename() != "published" &&
         stem != "peaks" && stem != "limits" && !stem.ends_with("_timesink") &&
         !stem.ends_with("_limits") && !stem.ends_with("_build_settings");
}

/// The folder, or where only another branch has it, the one above it.
fs::path folder_here(const fs::path& folder) {
  fs::path here = fs::absolute(folder).lexically_normal();
  while (!fs::is_directory(here)) here = here.parent_path();
  return here;
}

/// On all branches, those of remotes too: a pipeline's clone has one of its own, and a project may
/// keep its baselines on a branch apart.
std::vector<Version> versions(const fs::path& folder) {
  const fs::path here = folder_here(folder);
  const fs::path inside = fs::absolute(folder).lexically_normal().lexically_relative(here);
  const ProcessResult log = git(
      here, {"-c", "core.quotePath=false", "log", "--reverse", "--branches", "--remotes", "HEAD",
             "--diff-filter=AM", "--format=commit %H %cI", "--name-only", "--", inside.string()});
  if (!log.ok() && !fs::is_directory(folder))
    throw Error(
        fmt::format("there is no folder {}, and no git repository around it; --baseline-dir names "
                    "another",
                    folder.string()));
  if (!log.ok())
    throw Error(
        fmt::format("the history of {} cannot be read from git: {}; --baseline-dir names a folder "
                    "of a git repository",
                    folder.string(), log.describe()));
  std::vector<Version> found;
  std::string commit, date;
  std::istringstream lines(log.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("commit ")) {
      std::istringstream(line.substr(7)) >> commit >> date;
    } else if (is_baseline(line)) {
      found.push_back({commit, date, line});
    }
  }
  if (found.empty() && !fs::is_directory(folder))
    throw Error(
        fmt::format("there is no folder {} to read baselines from, and no branch has one; "
                    "--baseline-dir names another",
                    folder.string()));
  return found;
}

RunRecord run_of(const fs::path& folder, const Version& version, const fs::path& scratch) {
  const std::string object = version.commit + ":" + version.path;
  const ProcessResult shown = git(folder_here(folder), {"show", object});
  if (!shown.ok()) throw Error(shown.describe());
  if (shown.output_cut) throw Error("it is larger than 64 MiB");
  write_atomically(scratch, shown.output);
  const Measurements measured = read_measurements(scratch);
  const auto time = date_of(measured);
  RunRecord run = record_at(measured, time ? *time : utc_time(version.date).value_or(utc_now()));
  if (run.revision == "unknown") run.revision = version.commit.substr(0, 12);
  return run;
}

/// Replaces the scratch file's path in messages, which the user does not know.
std::string without(std::string text, const std::string& path) {
  for (std::size_t at; (at = text.find(path)) != std::string::npos;)
    text.replace(at, path.size(), "it");
  return text;
}

}  // namespace

RunRecord run_from_file(const fs::path& file) {
  const Measurements measured = read_measurements(file);
  const auto time = date_of(measured);
  if (!time)
    throw Error(file.string() +
                " has no date in its context, so it cannot enter a history; add one "
                "(\"date\": \"2026-01-31T12:00:00Z\")");
  return record_at(measured, *time);
}

bool is_sqlite(const fs::path& file) {
  constexpr std::string_view magic = "SQLite format 3";
  std::string start(magic.size(), ' ');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<long>(start.size()));
  return start == magic;
}

Imported runs_from_git(const fs::path& folder) {
  Imported imported;
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / "baseline.json";
  for (const Version& version : versions(folder)) {
    try {
      imported.runs.push_back(run_of(folder, version, file));
    } catch (const Error& error) {
      imported.notes.push_back(fmt::format("left out {} of commit {}: {}", version.path,
                                           version.commit.substr(0, 12),
                                           without(error.what(), file.string())));
    }
  }
  if (is_shallow(folder_here(folder)))
    imported.notes.push_back(
        "this clone is shallow and lacks older baselines; `git fetch --unshallow` brings them");
  return imported;
}

}  // namespace ratchet::history
