// The section of a report that shows one gate run or comparison, from the files that it left.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "perf/identity/machine/fingerprint.h"

namespace ratchet::report {

/// "AMD EPYC, 2 CPUs; NVIDIA H200".
std::string machine_text(const Fingerprint& machine);

/// {"rows", "identical", "measured", "decided"} of the rows of a model: how many.
nlohmann::json counts_of(const nlohmann::json& rows);

/// The model (README.md, "run") of gate.json, or compare.json, at `file`, with the launches of
/// compare_base.json and compare_new.json beside it where they are there, and the rows' series in
/// the history at `history` (a file or URL; "none" or what cannot be read: none, and why). Results
/// of before a field was kept lack it. Throws `Error` naming the file that is malformed.
nlohmann::json run_section(const std::filesystem::path& file, const std::string& history);

}  // namespace ratchet::report
