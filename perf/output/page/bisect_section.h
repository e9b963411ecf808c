// The section of a report that shows a search for the commit that made a row slower.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ratchet::report {

/// The model (README.md, "bisect") of the bisect.json of a finished search. Throws `Error` naming
/// the file where it is malformed, or its search is not finished.
nlohmann::json bisect_section(const std::filesystem::path& file);

}  // namespace ratchet::report
