// The section of a report that shows one verdict over several nodes.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace ratchet::report {

/// The model (README.md, "run") of the fleet.json that `ratchet gate --merge` left at `file`: a row
/// has in place of launches the nodes' figures. The rows' series are those of the history at
/// `history`, as run_section() takes them. Throws `Error` naming the place of what is malformed.
nlohmann::json fleet_section(const std::filesystem::path& file, const std::string& history);

}  // namespace ratchet::report
