// A report as a folder of static pages with an index, for a web server or GitHub Pages.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet::report {

/// Writes one page per section, named after its "page" or else its title ("gate.html",
/// "gate-2.html"), and index.html with the verdict of each. Writes every page atomically, and
/// leaves pages of an earlier site in place. Throws `Error` naming the file that cannot be written.
void write_site(const std::filesystem::path& folder, const nlohmann::json& sections);

/// Sections of every site that a higher layer makes from the baselines in a folder.
using SectionSource = std::function<nlohmann::json(const std::filesystem::path& baselines)>;

/// At namespace scope: adds a source.
class SectionRegistration {
 public:
  explicit SectionRegistration(SectionSource source);
};

/// The sections of all sources, none in a program without any.
nlohmann::json further_sections(const std::filesystem::path& baselines);

}  // namespace ratchet::report
