// The section of a report that shows a family: its ladder on every machine, every table of its
// text, published and measured, and its plots.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ratchet::report {

/// The models (output/README.md, "tables") of all families with published figures in
/// <baselines>/published, by name; none where there is no such folder. Throws `Error` for bad
/// baselines or published figures.
nlohmann::json family_sections(const std::filesystem::path& baselines);

}  // namespace ratchet::report
