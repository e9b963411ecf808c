// From results to a report on the disk.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet::report {

/// Where the results of a report come from.
struct ReportSources {
  std::vector<std::filesystem::path> results;  ///< result folders or files
  std::string history;  ///< file, URL or "none"; empty: history.sqlite in each results folder
};

/// The sections of all these results, in order; of a folder, gate.json, compare.json, fleet.json,
/// bisect.json and selftest.jsonl. Throws `Error` naming a malformed or unknown file, or a folder
/// without results.
nlohmann::json report_sections(const ReportSources& sources);

/// The history of the first of them: a file, which may not exist, a URL or "none".
std::string history_of(const ReportSources& sources);

/// Writes FOLDER/report.html with the sections that `sections` returns, and prints its path on
/// `out` unless `quiet`. On failure, prints the reason on `out` and returns false.
bool leave_report(const std::filesystem::path& folder,
                  const std::function<nlohmann::json()>& sections, bool quiet, std::ostream& out);

/// Writes one page with these sections, atomically. Throws `Error` if it cannot be written.
void write_report(const std::filesystem::path& file, const nlohmann::json& sections);

}  // namespace ratchet::report
