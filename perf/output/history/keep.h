// Recording a gate run in the history: check early that it can be written, write it last, and never
// lose a verdict over it.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "perf/output/history/record.h"
#include "perf/support/error.h"

namespace ratchet::history {

/// The value of --history that disables the history.
inline constexpr const char* no_history = "none";

/// `wanted`, or where it is empty the file history.sqlite in the folder `results`.
std::string location_or_default(const std::string& wanted, const std::filesystem::path& results);

/// Opens the history and closes it again. If that fails, reports it on `progress` at once, so that
/// the user can repair it while the gate measures. Never throws.
void warn_if_unusable(const std::string& location, std::ostream& progress);

/// Appends a run and the unsent runs (unsent.h) of the folder `results`. If one cannot be recorded,
/// prints a warning on `out` with the resulting exit code `if_lost`, stores it as unsent and
/// returns false. Never throws.
bool keep(const std::string& location, const RunRecord& run, const std::filesystem::path& results,
          ExitCode if_lost, std::ostream& out);

}  // namespace ratchet::history
