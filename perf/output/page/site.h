// A report as a folder of pages with an index, which a web server, or GitHub Pages, shows as it is.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet::report {

/// Writes a page a section, named after its "page" where it has one, else after its title
/// ("gate.html", of several "gate-2.html"), and index.html with the verdict of each. Every page is
/// written whole; pages of an earlier site that have no section now stay. Throws `Error` naming
/// what cannot be written.
void write_site(const std::filesystem::path& folder, const nlohmann::json& sections);

/// Sections that a layer above this one has for every site, made of the baselines in a folder.
using SectionSource = std::function<nlohmann::json(const std::filesystem::path& baselines)>;

/// At namespace scope: adds a source.
class SectionRegistration {
 public:
  explicit SectionRegistration(SectionSource source);
};

/// The sections of all sources, none in a program without any.
nlohmann::json further_sections(const std::filesystem::path& baselines);

}  // namespace ratchet::report
