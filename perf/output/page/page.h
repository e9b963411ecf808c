// A report as one HTML file that needs nothing else: the page of source/, which the program
// carries, with the data model (README.md) inside it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace ratchet::report {

/// The version of the data model that the page and this program speak.
inline constexpr int model_version = 1;

/// The page with `sections` (section models, a JSON array) as its data, and `links` to the other
/// pages of a site ([{"title", "href"}], may be empty). Text that is no UTF-8 becomes U+FFFD.
std::string html_page(const nlohmann::json& sections, const nlohmann::json& links);

/// Whether this program carries what draws plots; otherwise the page shows tables and says so.
bool has_plots();

}  // namespace ratchet::report
