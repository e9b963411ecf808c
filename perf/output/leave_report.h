// The report that a run leaves among its results.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "perf/support/error.h"

namespace ratchet {

/// Writes FOLDER/report.html of the file of results `results`, with the series of the history at
/// `history` (a file, URL or "none"), and writes one line to `out` that says where it is. Returns
/// `code`; where it cannot be made says why on stdout and returns ExitCode::failed instead, but a
/// regression stays one.
ExitCode leave_report(const std::filesystem::path& folder, const std::filesystem::path& results,
                      const std::string& history, ExitCode code, std::ostream& out);

}  // namespace ratchet
