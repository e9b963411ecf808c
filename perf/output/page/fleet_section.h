// The section of a report that shows one verdict over several nodes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ratchet::report {

/// The model (README.md, "run") of a fleet.json as `ratchet gate --merge` makes it: a row has in
/// place of launches the nodes' figures. The rows' series are those of the history at
/// `history`, as run_section() takes them. Throws `Error` naming the place in `file` of what is malformed.
nlohmann::json fleet_section(const nlohmann::json& merged, const std::string& file,
                             const std::string& history);

}  // namespace ratchet::report
