#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <ostream>

#include "perf/gate/programs/compare_files.h"
#include "perf/gate/selftest/selftest.h"
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

json section_of_file(const fs::path& file, const std::string& history) {
  if (file.extension() == ".jsonl") return selftest_section(file);
  if (file.filename() == "bisect.json") return bisect_section(file);
  if (file.filename() == "profile.json") return profile_section(file);
  const std::string where = history::location_or_default(history, file.parent_path());
  if (file.filename() == "fleet.json") return fleet_section(read_json(file), file.string(), where);
  return run_section(read_run(file), where);
}

/// A search that goes on has no page yet.
bool is_unfinished(const fs::path& file) {
  if (file.filename() != "bisect.json") return false;
  const json state = read_json(file);
  return state.is_object() && !state.contains("conclusion");
}

/// What a selftest left that was killed before its first run.
bool is_runless(const fs::path& file) {
  return file.extension() == ".jsonl" && !gate::holds_runs(file);
}

/// A record without a run must not cost the other results their page.
void leave_out_runless(std::vector<fs::path>& files) {
  if (files.size() < 2 || std::all_of(files.begin(), files.end(), is_runless)) return;
  std::erase_if(files, [](const fs::path& file) {
    const bool runless = is_runless(file);
    if (runless)
      std::cerr << "ratchet: left out " << file.string() << ": it holds no run" << std::endl;
    return runless;
  });
}

/// The folders in this one with results that are not among `files`, in order: the search for
/// results ends at the first folder of a branch that has some, and two levels deep. Not those in
/// base/, which are files of builds.
std::vector<std::string> folders_beside(const fs::path& folder, const std::vector<fs::path>& files,
                                        int depth) {
  std::vector<std::string> found;
  for (const fs::path& entry : sorted_entries(folder)) {
    if (fs::is_symlink(entry) || !fs::is_directory(entry) || entry.filename() == "base") continue;
    const auto is_in = [&](const char* name) {
      std::error_code none;
      return fs::exists(entry / name) &&
             std::none_of(files.begin(), files.end(), [&](const fs::path& file) {
               return fs::equivalent(file, entry / name, none);
             });
    };
    if (std::any_of(std::begin(gate::result_files), std::end(gate::result_files), is_in))
      found.push_back(entry.string());
    if (depth == 0) continue;
    for (std::string& deeper : folders_beside(entry, files, depth - 1))
      found.push_back(std::move(deeper));
  }
  return found;
}

void say_left_out(const std::vector<fs::path>& named, const std::vector<fs::path>& files) {
  std::vector<std::string> others;
  for (const fs::path& folder : named)
    if (fs::is_directory(folder))
      for (std::string& other : folders_beside(folder, files, 2))
        others.push_back(std::move(other));
  if (!others.empty())
    std::cerr << fmt::format(
        "ratchet: left out the results in {}; name these folders, too, to "
        "have them\n",
        fmt::join(others, ", "));
}

std::vector<fs::path> results_of(const fs::path& folder) {
  std::vector<fs::path> files = gate::results_in(folder, 2);
  if (files.empty())
    throw Error(fmt::format("{} holds no results; it, or a folder in it, needs one of {}",
                            folder.string(), fmt::join(gate::result_files, ", ")));
  if (!std::all_of(files.begin(), files.end(), is_unfinished))
    std::erase_if(files, [](const fs::path& file) {
      const bool unfinished = is_unfinished(file);
      if (unfinished)
        std::cerr << "ratchet: left out " << file.string()
                  << ": the search is not finished; the same `ratchet bisect` continues it"
                  << std::endl;
      return unfinished;
    });
  return files;
}

}  // namespace

json report_sections(const ReportSources& sources) {
  json sections = json::array();
  std::vector<fs::path> files;
  std::vector<fs::path> empty;  // of runs that were killed
  for (const fs::path& results : sources.results) {
    if (fs::is_directory(results) && fs::is_empty(results) && sources.results.size() > 1)
      empty.push_back(results);
    else if (!fs::is_directory(results))
      files.push_back(results);
    else
      for (const fs::path& file : results_of(results)) files.push_back(file);
  }
  if (files.empty()) results_of(sources.results.front());  // throws
  for (const fs::path& folder : empty)
    std::cerr << "ratchet: left out " << folder.string() << ": it is empty" << std::endl;
  say_left_out(sources.results, files);
  leave_out_runless(files);
  for (const fs::path& file : files) {
    if (sources.progress)
      sources.progress(fmt::format("reading results {} of {}: {}", sections.size() + 1,
                                   files.size(), file.string()));
    sections.push_back(section_of_file(file, sources.history));
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

std::vector<std::string> article_files(const fs::path& folder) {
  std::vector<std::string> files;
  if (!fs::is_directory(folder)) return files;
  for (const fs::path& file : sorted_entries(folder))
    if (const std::string name = file.filename();
        name.starts_with("article-") && name.ends_with(".html"))
      files.push_back(name);
  return files;
}

namespace {

using nlohmann::json;

bool is_run(const json& section) { return section.at("kind") == "run"; }

/// "2026-01-31 12:00" and "0123456789ab"; "" where unknown.
std::string minute_of(const json& section) {
  std::string time = section.value("time", "").substr(0, 16);
  if (time.size() > 10) time[10] = ' ';
  return time;
}
std::string revision_of(const json& section) { return section.value("revision", ""); }

/// Runs first, the newest first; the other pages as they were given.
json in_order(const json& sections) {
  std::vector<json> sorted(sections.begin(), sections.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const json& one, const json& other) {
    if (is_run(one) != is_run(other)) return is_run(one);
    return is_run(one) && one.value("time", "") > other.value("time", "");
  });
  return sorted;
}

/// The file of each section. A run's name holds its time and revision, so that it keeps its name
/// when later runs join the site.
std::vector<std::string> file_names(const json& sections) {
  std::map<std::string, int> used = {{"index", 1}};
  std::vector<std::string> names;
  for (const json& section : sections) {
    std::string text = section.value("page", section.at("title").get<std::string>());
    if (is_run(section))
      for (const std::string& part : {minute_of(section), revision_of(section)})
        if (!part.empty()) text += "-" + part;
    const std::string name = slug(text);
    const int number = ++used[name];
    names.push_back(number == 1 ? name + ".html" : fmt::format("{}-{}.html", name, number));
  }
  return names;
}

/// What a link to each page says, each another: of a run its time and revision.
std::vector<std::string> link_titles(const json& sections) {
  std::map<std::string, int> used = {{"Index", 1}};
  std::vector<std::string> titles;
  for (const json& section : sections) {
    std::string text = section.at("title");
    if (is_run(section))
      for (const std::string& part : {minute_of(section), revision_of(section)})
        if (!part.empty()) text += ", " + part;
    const int number = ++used[text];
    titles.push_back(number == 1 ? text : fmt::format("{} ({})", text, number));
  }
  return titles;
}

/// The entries of the articles in the index and in the links of each page.
json article_links(const fs::path& folder) {
  json links = json::array();
  for (const std::string& file : article_files(folder))
    links.push_back({{"title", file.substr(8, file.size() - 13) + ", the article"},
                     {"href", file},
                     {"kind", "article"}});
  return links;
}

/// A page of the site: its section, its file, what links to it say.
struct SitePages {
  SitePages(const json& given, const fs::path& folder)
      : sections(in_order(given)),
        files(file_names(sections)),
        titles(link_titles(sections)),
        articles(article_links(folder)) {}
  json link(std::size_t i, const std::string& before = "") const {
    return {{"title", before + titles[i]}, {"href", files[i]}};
  }
  json sections;
  std::vector<std::string> files, titles;
  json articles;
};

/// Rows of a run by verdict.
json verdict_counts(const json& section) {
  json counts = json::object();
  for (const json& row : section.at("rows")) {
    json& count = counts[row.at("verdict").get<std::string>()];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return counts;
}

/// The index entry of each page.
json index_section(const SitePages& site, const std::string& project) {
  json pages = json::array();
  for (std::size_t i = 0; i < site.sections.size(); ++i) {
    const json& section = site.sections[i];
    json page = site.link(i);
    page["kind"] = section.at("kind");
    for (const char* key : {"verdict", "facts", "time", "revision"})
      if (section.contains(key)) page[key] = section.at(key);
    if (section.contains(json::json_pointer("/commits/now")))
      page["commit"] = section["commits"]["now"];
    if (is_run(section)) page["counts"] = verdict_counts(section);
    pages.push_back(std::move(page));
  }
  for (const json& article : site.articles) pages.push_back(article);
  return {{"kind", "index"}, {"title", project}, {"project", project}, {"pages", pages}};
}

/// The pages that every page links to: few, however many runs the site has.
json links_of(const SitePages& site) {
  json links = {{{"title", "Index"}, {"href", "index.html"}}};
  for (std::size_t i = 0; i < site.sections.size(); ++i)
    if (!is_run(site.sections[i])) links.push_back(site.link(i));
  for (const json& article : site.articles) links.push_back(article);
  return links;
}

/// Those, and of a run the one after it and the one before it.
json links_from(std::size_t i, const SitePages& site) {
  json links = links_of(site);
  const auto add = [&](const char* what, std::size_t at) {
    if (at < site.sections.size() && is_run(site.sections[at]))
      links.push_back(site.link(at, what));
  };
  if (!is_run(site.sections[i])) return links;
  add("Newer: ", i - 1);  // before the first there is none: beyond the last index
  add("Older: ", i + 1);
  return links;
}

}  // namespace

void write_site(const std::filesystem::path& folder, const json& sections,
                const std::string& project,
                const std::function<void(const std::string&)>& progress) {
  const SitePages site(sections, folder);
  std::vector<FileText> pages;
  for (std::size_t i = 0; i < site.sections.size(); ++i) {
    if (progress) progress(fmt::format("making page {} of {}", i + 1, site.sections.size()));
    json section = site.sections[i];
    if (!section.contains("project")) section["project"] = project;
    pages.push_back({folder / site.files[i],
                     html_page(json::array({std::move(section)}), links_from(i, site))});
  }
  pages.push_back({folder / "index.html",
                   html_page(json::array({index_section(site, project)}), links_of(site))});
  std::filesystem::create_directories(folder);
  write_all_atomically(pages);
}

}  // namespace ratchet::report
