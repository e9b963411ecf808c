// The history of accepts in a baseline file, in its context.ratchet:
//
//   history    a list, oldest first, one entry for each accept: {date, reason, revision, was}.
//   "was"
//              has by row the previous {units_per_second (median), launches, revision}, or null for
//              a new row. An accepted tolerance: {date, reason, revision, tolerance, was: {row:
//              {tolerance: number or null}}}. Accepted digests: {date, reason, revision, was: {row:
//              {work: digest}}}.
//   revisions  by row, the revision that its launches measured.
//
// The last 100 entries are kept, the last 20 of them with "was".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "perf/gate/baseline/accept.h"

namespace ratchet {

/// The object context.ratchet after `change`, whose member "after" has the rows. `before`: the
/// previous file, or nothing. `results`: the gate run that the rows come from. Throws `Error` when
/// the history in the file is not a list.
nlohmann::json ratchet_after(const FileChange& change, const Measurements& before,
                             const AcceptRequest& request, const Measurements& results);

/// The file's history with one more entry, within its bounds.
nlohmann::json history_with(const Measurements& stored, const nlohmann::json& entry,
                            const std::filesystem::path& file);

/// Throws `Error` where the request gives no reason.
void require_reason(const AcceptRequest& request);

/// The revision that a gate run measured.
std::string revision_of(const Measurements& results);

/// Whether a commit describes the build: its revision is known and not "...-dirty".
bool is_committed(const std::string& revision);

/// The revision that the stored launches of a row measured; "unknown" where the file lacks it.
std::string revision_of_row(const Measurements& stored, const std::string& row);

}  // namespace ratchet
