// A report, from results to the disk: one self-contained HTML file, or a folder of static pages.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet::report {

// A report as one self-contained HTML file: the page of source/, embedded in the program, with the
// data model (README.md) inside it.

/// The version of the data model between this program and the page.
inline constexpr int model_version = 1;

/// The page with `sections` (section models, a JSON array) as its data. `links` to the other pages
/// of a site: [{"title", "href"}], may be empty. Invalid UTF-8 becomes U+FFFD.
std::string html_page(const nlohmann::json& sections, const nlohmann::json& links);

/// Whether Vega-Lite is embedded in this program; without it the page shows tables and says so.
bool has_plots();

// A report as a folder of static pages with an index, for a web server or GitHub Pages.

/// Writes one page per section, named after its "page" or else its title, of a run with its time
/// and revision ("gate-2026-01-31-12-00-0123456789ab.html"). index.html of `project` has the
/// verdict of each, the newest run first. Writes every page atomically, and leaves pages of an
/// earlier site in place. Throws `Error` naming the file that cannot be written.
void write_site(const std::filesystem::path& folder, const nlohmann::json& sections,
                const std::string& project,
                const std::function<void(const std::string&)>& progress = {});

/// Sections of every site that a higher layer makes from the baselines in a folder.
using SectionSource = std::function<nlohmann::json(const std::filesystem::path& baselines)>;

/// At namespace scope: adds a source.
class SectionRegistration {
 public:
  explicit SectionRegistration(SectionSource source);
};

/// The sections of all sources, none in a program without any.
nlohmann::json further_sections(const std::filesystem::path& baselines);

// From results to a report on the disk.

/// Where the results of a report come from.
struct ReportSources {
  std::vector<std::filesystem::path> results;  ///< result folders or files
  std::string history;  ///< file, URL or "none"; empty: history.sqlite in each results folder
  std::function<void(const std::string&)> progress = {};
};

/// The sections of all these results, in order; of a folder, gate.json, compare.json, fleet.json,
/// bisect.json and selftest.jsonl, or those of the folders in it, two levels deep. Throws `Error`
/// naming a malformed or unknown file, or a folder without results.
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
