#include "perf/output/page/site.h"

#include <fmt/format.h>

#include <map>

#include "perf/identity/machine/fingerprint.h"
#include "perf/output/page/page.h"
#include "perf/support/files.h"

namespace ratchet::report {
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
