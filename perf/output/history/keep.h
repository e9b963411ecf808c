// What a gate run does with the history: look early whether it can be written, write it late, and
// never let it swallow a verdict.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "perf/support/error.h"
#include "perf/output/history/record.h"

namespace ratchet::history {

/// The value of --history that keeps none.
inline constexpr const char* no_history = "none";

/// `wanted`, or where it is empty the file history.sqlite in the folder `results`.
std::string location_or_default(const std::string& wanted, const std::filesystem::path& results);

/// Opens the history and closes it again; where it cannot be opened says so on `progress` at once,
/// so that who watches can mend it while the gate measures. Never throws.
void warn_if_unusable(const std::string& location, std::ostream& progress);

/// Appends a run, whose exit code its verdicts give, and the earlier ones that are still unsent
/// (unsent.h) in the folder `results`. Returns that code; where the run could not be recorded says
/// so loudly on `out`, keeps it unsent, and returns ExitCode::failed, but ExitCode::regression
/// stays what it is. Never throws.
ExitCode keep(const std::string& location, const RunRecord& run,
              const std::filesystem::path& results, std::ostream& out);

}  // namespace ratchet::history
