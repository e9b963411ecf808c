#include <fmt/format.h>

#include <map>
#include <ostream>

#include "perf/identity/machine/fingerprint.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/output/page/sections.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The files that a folder may hold, in the order of their sections.
constexpr const char* known_files[] = {"gate.json", "compare.json", "fleet.json", "bisect.json",
                                       "selftest.jsonl"};

json section_of_file(const fs::path& file, const std::string& history) {
  if (file.extension() == ".jsonl") return selftest_section(file);
  if (file.filename() == "bisect.json") return bisect_section(file);
  const std::string where = history::location_or_default(history, file.parent_path());
  if (file.filename() == "fleet.json") return fleet_section(read_json(file), file.string(), where);
  return run_section(read_run(file), where);
}

/// The results in a folder; else those that the page in it was made of (`bisect` and `selftest`
/// leave results/bisect/report.html next to results/bisect.json); else those of its folders.
std::vector<fs::path> results_in(const fs::path& folder, int depth) {
  std::vector<fs::path> files;
  for (const char* name : known_files)
    if (fs::exists(folder / name)) files.push_back(folder / name);
  const fs::path bare = folder.has_filename() ? folder : folder.parent_path();
  for (const char* name : known_files)
    if (const fs::path file = bare.parent_path() / name;
        files.empty() && file.stem() == bare.filename() && fs::exists(file))
      return {file};
  if (!files.empty() || depth == 0) return files;
  for (const fs::path& entry : sorted_entries(folder))
    if (fs::is_directory(entry))
      for (fs::path& file : results_in(entry, depth - 1)) files.push_back(std::move(file));
  return files;
}

void add_folder(const fs::path& folder, const std::string& history, json& sections) {
  const std::vector<fs::path> files = results_in(folder, 2);
  for (const fs::path& file : files) sections.push_back(section_of_file(file, history));
  if (files.empty())
    throw Error(
        fmt::format("{} holds no results; it, or a folder in it, needs one of gate.json, "
                    "compare.json, fleet.json, bisect.json and selftest.jsonl",
                    folder.string()));
}

}  // namespace

json report_sections(const ReportSources& sources) {
  json sections = json::array();
  for (const fs::path& results : sources.results) {
    if (fs::is_directory(results))
      add_folder(results, sources.history, sections);
    else
      sections.push_back(section_of_file(results, sources.history));
  }
  return sections;
}

std::string history_of(const ReportSources& sources) {
  if (sources.results.empty()) return history::no_history;
  const fs::path& first = sources.results.front();
  return history::location_or_default(sources.history,
                                      fs::is_directory(first) ? first : first.parent_path());
}

bool leave_report(const fs::path& folder, const std::function<json()>& sections, bool quiet,
                  std::ostream& out) {
  const fs::path file = folder / "report.html";
  try {
    write_report(file, sections());
    if (!quiet) out << "report: " << file.string() << std::endl;
    return true;
  } catch (const std::exception& error) {
    out << "no report: " << error.what() << std::endl;
    return false;
  }
}

void write_report(const fs::path& file, const json& sections) {
  write_atomically(file, html_page(sections, json::array()));
}

namespace {

using nlohmann::json;

/// The file of each section.
std::vector<std::string> file_names(const json& sections) {
  std::map<std::string, int> used = {{"index", 1}};
  std::vector<std::string> names;
  for (const json& section : sections) {
    const std::string name = slug(section.value("page", section.at("title").get<std::string>()));
    const int number = ++used[name];
    names.push_back(number == 1 ? name + ".html" : fmt::format("{}-{}.html", name, number));
  }
  return names;
}

/// The index entry of each page.
json index_section(const json& sections, const std::vector<std::string>& files) {
  json pages = json::array();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    json page = {{"title", sections[i].at("title")}, {"href", files[i]}};
    for (const char* key : {"verdict", "summary", "facts"})
      if (sections[i].contains(key)) page[key] = sections[i].at(key);
    pages.push_back(page);
  }
  return {{"kind", "index"}, {"title", "ratchet"}, {"pages", pages}};
}

json links_of(const json& sections, const std::vector<std::string>& files) {
  json links = {{{"title", "Index"}, {"href", "index.html"}}};
  for (std::size_t i = 0; i < sections.size(); ++i)
    links.push_back({{"title", sections[i].at("title")}, {"href", files[i]}});
  return links;
}

}  // namespace

void write_site(const std::filesystem::path& folder, const json& sections) {
  const std::vector<std::string> files = file_names(sections);
  const json links = links_of(sections, files);
  std::vector<FileText> pages;
  for (std::size_t i = 0; i < sections.size(); ++i)
    pages.push_back({folder / files[i], html_page(json::array({sections[i]}), links)});
  pages.push_back(
      {folder / "index.html", html_page(json::array({index_section(sections, files)}), links)});
  std::filesystem::create_directories(folder);
  write_all_atomically(pages);
}

namespace {

std::vector<SectionSource>& section_sources() {
  static std::vector<SectionSource> sources;
  return sources;
}

}  // namespace

SectionRegistration::SectionRegistration(SectionSource source) {
  section_sources().push_back(std::move(source));
}

json further_sections(const std::filesystem::path& baselines) {
  json sections = json::array();
  for (const SectionSource& source : section_sources())
    for (json& section : source(baselines)) sections.push_back(std::move(section));
  return sections;
}

}  // namespace ratchet::report
