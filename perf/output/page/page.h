// A report as one self-contained HTML file: the page of source/, embedded in the program, with the
// data model (README.md) inside it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace ratchet::report {

/// The version of the data model between this program and the page.
inline constexpr int model_version = 1;

/// The page with `sections` (section models, a JSON array) as its data, and `links` to the other
/// pages of a site ([{"title", "href"}], may be empty). Invalid UTF-8 becomes U+FFFD.
std::string html_page(const nlohmann::json& sections, const nlohmann::json& links);

/// Whether Vega-Lite is embedded in this program; without it the page shows tables and says so.
bool has_plots();

}  // namespace ratchet::report
