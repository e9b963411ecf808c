// The section of a report that shows every series of a history.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ratchet::report {

/// The model (README.md, "history") of the history at `location`, an SQLite file or a PostgreSQL
/// URL: every row under every fingerprint, the latest changes of level first. Throws `Error` as
/// history::open_store does.
nlohmann::json history_section(const std::string& location);

}  // namespace ratchet::report
