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

/// Appends a run and the earlier ones that are still unsent (unsent.h) in the folder `results`.
/// Where one could not be recorded says so loudly on `out`, with the exit code `if_lost` that the
/// run then has, keeps it unsent, and returns false. Never throws.
bool keep(const std::string& location, const RunRecord& run, const std::filesystem::path& results,
          ExitCode if_lost, std::ostream& out);

}  // namespace ratchet::history
