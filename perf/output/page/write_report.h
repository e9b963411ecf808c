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
  std::vector<std::filesystem::path> results;  ///< folders, or files that ratchet left
  std::string history;  ///< file, URL or "none"; empty: history.sqlite beside each of the results
};

/// The sections of everything that these hold, in their order: of a folder gate.json, compare.json,
/// fleet.json, bisect.json and selftest.jsonl. Throws `Error` naming what is none of them, is
/// malformed, or a folder that holds none.
nlohmann::json report_sections(const ReportSources& sources);

/// Where the history of the first of them is: a file, which need not exist, a URL or "none".
std::string history_of(const ReportSources& sources);

/// Writes FOLDER/report.html with the sections that `sections` makes, and to `out` where it is,
/// unless `quiet`. Returns false where it cannot be made, and says why on `out`.
bool leave_report(const std::filesystem::path& folder,
                  const std::function<nlohmann::json()>& sections, bool quiet, std::ostream& out);

/// Writes one page with these sections, atomically. Throws `Error` where it cannot be written.
void write_report(const std::filesystem::path& file, const nlohmann::json& sections);

}  // namespace ratchet::report
