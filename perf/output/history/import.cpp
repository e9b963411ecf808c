#include "perf/output/history/import.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string_view>

#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::history {
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

std::vector<Version> versions(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw Error(fmt::format("there is no folder {} to read baselines from", folder.string()));
  const ProcessResult log =
      git(folder, {"-c", "core.quotePath=false", "log", "--reverse", "--diff-filter=AM",
                   "--format=commit %H %cI", "--name-only", "--", "."});
  if (!log.ok())
    throw Error(fmt::format("the history of {} cannot be read from git: {}", folder.string(),
                            log.describe()));
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
  return found;
}

RunRecord run_of(const fs::path& folder, const Version& version, const fs::path& scratch) {
  const std::string object = version.commit + ":" + version.path;
  const ProcessResult shown = git(folder, {"show", object});
  constexpr std::size_t most = std::size_t{4} << 20;  // the limit of run_process
  if (!shown.ok()) throw Error(shown.describe());
  if (shown.output.size() >= most) throw Error("it is larger than 4 MiB");
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
    throw Error(file.string() + " has no date in its context, so it cannot enter a history");
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
  return imported;
}

}  // namespace ratchet::history
