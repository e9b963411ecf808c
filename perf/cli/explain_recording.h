// What `ratchet explain` records of a row in two builds: the table of functions, and profile.json.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "perf/gate/programs/profile.h"

namespace ratchet {

struct RecordingRequest {
  RowId row;
  gate::ProgramOptions bench;    ///< this build's program
  std::filesystem::path before;  ///< the same of the other build
  std::string commit, why;       ///< the other build's revision, and why that
  gate::Profiler profiler = gate::Profiler::callgrind;
  std::string why_profiler;  ///< choose_profiler()
};

/// Whether the kernels of this row are recorded, or else its functions on a CPU; `tool`: what the
/// user asked for. Throws `Error` for a row that cannot be recorded so, with what to do.
bool require_recordable(const gate::BenchProgram& program, const RowId& row,
                        const std::optional<gate::Profiler>& tool);

/// Records both builds. Throws `Error` as gate::record_row() does.
gate::TwoProfiles record_both(const RecordingRequest& request);

/// The functions that changed most, as a table, and what it says of time.
std::string profile_text(const gate::TwoProfiles& profiles);

/// The profiles in FOLDER/profile.json but that of this row. Throws `Error` where the file is
/// malformed.
nlohmann::json other_profiles(const std::filesystem::path& folder, const RowId& row);
/// Writes FOLDER/profile.json. Throws `Error` where it cannot.
void keep_profiles(const std::filesystem::path& folder, const nlohmann::json& profiles);

}  // namespace ratchet
