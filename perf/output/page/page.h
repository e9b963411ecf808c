// A report, from results to the disk: one self-contained HTML file, or a folder of static pages.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "perf/output/files/formats.h"
#include "perf/output/files/markdown.h"

namespace ratchet::report {

using gate::escaped;

// A report as one self-contained HTML file: the page of source/, embedded in the program, with the
// data model (README.md) inside it.

/// The version of the data model between this program and the page.
inline constexpr int model_version = 1;

/// The page with `sections` (section models, a JSON array) as its data. `links` to the other pages
/// of a site: [{"title", "href"}], may be empty. Invalid UTF-8 becomes U+FFFD.
std::string html_page(const nlohmann::json& sections, const nlohmann::json& links);

/// Whether Vega-Lite is embedded in this program; without it the page shows tables and says so.
bool has_plots();

// Pages that need no script and no data: the style and the frame of the report's page.

/// A page of a site; `body` is HTML, and a link leads to index.html.
std::string page_without_scripts(const std::string& title, const std::string& body);

/// What leads where: an address by "`code`" or by "\"quoted words\"", as they stand in a text.
using Links = std::map<std::string, std::string>;

/// The words of a block. Comments are left out; links to other files become their names.
std::string inline_html(std::string_view words, const Links& links);

/// A table's name for screen readers is that of the heading above it, at first `title`. Headings
/// have `id_prefix` and their anchor() as ids.
std::string html(const Document& document, const Links& links, const std::string& title,
                 const std::string& id_prefix = "");

/// A heading's id, by GitHub's rules.
std::string anchor(std::string_view heading);

/// Headings, paragraphs, lists and tables: no more of Markdown is known.
Document read_markdown(const std::string& text);

// A report as a folder of static pages with an index, for a web server or GitHub Pages.

/// Writes one page per section, named after its "page" or else its title, of a run with its time
/// and revision ("gate-2026-01-31-12-00-0123456789ab.html"). index.html of `project` has the
/// verdict of each, the newest run first. All link to the article_files() in the folder. Writes
/// every page atomically, and leaves pages of an earlier site in place. Throws `Error` naming the
/// file that cannot be written.
void write_site(const std::filesystem::path& folder, const nlohmann::json& sections,
                const std::string& project,
                const std::function<void(const std::string&)>& progress = {});

/// "article-<family>.html" in a site: pages without scripts (perf/study/report/tables.h).
std::vector<std::string> article_files(const std::filesystem::path& folder);

/// Set by a higher layer: writes its pages into a site, from baselines and the last run's results.
inline void (*write_further_pages)(const std::filesystem::path& site,
                                   const std::filesystem::path& baselines,
                                   const std::filesystem::path& results) = nullptr;

// From results to a report on the disk.

/// Where the results of a report come from.
struct ReportSources {
  std::vector<std::filesystem::path> results;  ///< result folders or files
  std::string history;  ///< file, URL or "none"; empty: history.sqlite in each results folder
  std::function<void(const std::string&)> progress = {};
};

/// The sections of all these results, in order; of a folder, gate.json, compare.json, fleet.json,
/// bisect.json and selftest.jsonl, or those of the folders in it, two levels deep. Throws `Error`
/// naming a malformed or unknown file, or a folder without results; of several, leaves out the
/// empty ones and selftest records without a run, and says so on standard error.
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
