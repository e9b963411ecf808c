// What a baseline file remembers of the accepts that made it, in its context.ratchet:
//
//   history    a list, oldest first, one entry an accept: {date, reason, revision, was}. "was"
//   holds
//              by row what was there before: {units_per_second (median), launches, revision}, or
//              null for a row that is new. An accepted tolerance: {date, reason, revision,
//              tolerance, was: {row: {tolerance: number or null}}}. Accepted digests: {date,
//              reason, revision, was: {row: {work: digest}}}.
//   revisions  by row, the revision that its launches measured.
//
// Bounded: the last 20 entries keep "was", and the last 100 are kept at all.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "perf/gate/baseline/accept.h"

namespace ratchet {

/// The object context.ratchet after `change`, of which "after" holds the rows. `before`: the file
/// as it was, or nothing. `results`: the gate run that the rows come from. Throws `Error` when the
/// history in the file is no list.
nlohmann::json ratchet_after(const FileChange& change, const Measurements& before,
                             const AcceptRequest& request, const Measurements& results);

/// The file's history with one entry more, within its bounds.
nlohmann::json history_with(const Measurements& stored, const nlohmann::json& entry,
                            const std::filesystem::path& file);

/// Throws `Error` where the request gives no reason.
void require_reason(const AcceptRequest& request);

/// The revision that a gate run measured.
std::string revision_of(const Measurements& results);

/// Whether this is the revision of a build that a commit describes: known, and not "...-dirty".
bool is_committed(const std::string& revision);

/// The revision that the stored launches of a row measured; "unknown" where the file cannot tell.
std::string revision_of_row(const Measurements& stored, const std::string& row);

}  // namespace ratchet
