// The section of a report that shows how often the gate was wrong on a machine.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ratchet::report {

/// The model (README.md, "selftest") of a record of `ratchet selftest`. Throws `Error` naming the
/// malformed file and line.
nlohmann::json selftest_section(const std::filesystem::path& record);

}  // namespace ratchet::report
