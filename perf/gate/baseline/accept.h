// Accepting results as baselines: the only way in which a stored figure changes.
//
// The results of a gate run have a verdict for each row (context.ratchet.rows). Accepting copies
// rows with an acceptable verdict into the store, removes missing rows that the user names, and
// changes no other row. The history of each changed file records the change and the previous
// figures. Accepting a tolerance leaves the figures unchanged.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/stated_limit.h"
#include "perf/gate/baseline/store.h"

namespace ratchet {

struct AcceptRequest {
  std::vector<std::string> rows;  ///< filters (kernels/contract/row_filter.h); none: all rows
  std::string reason;
  /// Folder to write to instead of the one the fingerprint leads to; may be empty.
  std::string machine;
  std::string date;  ///< "2026-01-31T12:00:00Z"
  /// Relative; set for the named stored rows with any verdict. Their figures stay.
  std::optional<double> tolerance = std::nullopt;
  /// Absolute limits for stored rows, and filters of rows that lose theirs. Their figures stay.
  std::vector<gate::StatedLimit> limits = {};
  std::vector<std::string> no_limits = {};
  /// Add the launches of rows of identical work to the stored ones as a further occasion; the last
  /// 8 occasions are kept.
  bool occasion = false;
  /// Accept the other rows where some cannot be accepted, instead of refusing all. Then it is no
  /// error when all rows are of identical work and nothing changes.
  bool leave_unfit = false;
  /// Also accept contended launches (Launch::contended).
  bool contended = false;
  /// Also accept rows of third-party programs without a check, and record this in the baseline,
  /// which then accepts such rows without this option.
  bool allow_unverified = false;
  /// Also accept rows without an in-situ check of the timed configuration.
  bool unchecked = false;
  /// Also accept ratchet's own rows of a build that no commit describes.
  bool uncommitted = false;

  /// Launches and digests stay as they are.
  bool keeps_figures() const { return tolerance || !limits.empty() || !no_limits.empty(); }
};

/// Digests of work by row, of an earlier build and of this one.
struct WorkRenewal {
  std::map<std::string, std::string> was, is;
  std::string revision;  ///< of this build
};
/// By row, the digests that --ratchet_list_work printed into `file`. Throws `Error` for anything
/// else.
std::map<std::string, std::string> read_listed_work(const std::filesystem::path& file);

struct RowChange {
  std::string name;
  std::optional<Row> before;  ///< nothing: the row is new
  std::optional<Row> after;   ///< nothing: the row is removed
  std::string remark = "";    ///< a warning to the user; often empty
  std::string unit = "";      ///< of its throughput, as the results name it
};

struct FileChange {
  std::filesystem::path path;
  std::vector<RowChange> rows;
  Measurements after;
  bool same_day = false;  ///< as the last occasion of a row, which the launches were added to
};

/// Works out what accepting would change, without writing. Throws `Error`, and nothing may be
/// written, in these cases:
///   - the reason is empty, or a name matches no row;
///   - a selected row failed, is unverified, or is undecided and not named, or its launches were
///     interleaved, contended or without an in-situ check (with leave_unfit: only if no row is
///     left);
///   - a missing row is not named, or the baseline no longer holds it;
///   - a row of ratchet's own is of a build that no commit describes;
///   - rows that would stay in a file have another fingerprint than the file would then state.
std::vector<FileChange> plan_accept(const Measurements& results, const AcceptRequest& request,
                                    const BaselineStore& store);

/// The same for a tolerance, or else limits. Throws `Error` where a name matches no row that has a
/// baseline under the fingerprint of the results; of a tolerance also when no row is named, and of
/// limits as checked_limits() does.
std::vector<FileChange> plan_settings(const Measurements& results, const AcceptRequest& request,
                                      const BaselineStore& store);

/// Changes digests only, on all machines: stored rows with a digest in `was` get the one in `is`,
/// and keep their figures and revisions. For a change of digests that does not change the speed,
/// which the user must have shown. Throws `Error`, and nothing may be written, without a reason, or
/// where no selected stored row has a digest that changes.
std::vector<FileChange> plan_renewal(const WorkRenewal& renewal, const AcceptRequest& request,
                                     const BaselineStore& store);

/// Whether the baselines of all rows without a check allow such rows.
bool unverified_was_allowed(const Measurements& results, const BaselineStore& store);

/// The rows that leave_unfit leaves unchanged, each with the reason: "demo/cpu/01_a (undecided)".
std::vector<std::string> unfit_rows(const Measurements& results, const AcceptRequest& request,
                                    const BaselineStore& store);

/// The change as text, a line for each row: old and new median throughput, their ratio, the
/// launches, and a changed tolerance. Each figure has a distribution-free 95 % interval over
/// launches.
std::string describe(const std::vector<FileChange>& changes);
/// A line that names the changed rows which were slower in the run, and by how much; empty where
/// none was.
std::string slower_line(const Measurements& results, const std::vector<FileChange>& changes);

/// The same figures: by file and row the medians in units per second, their intervals and the
/// ratio; null for the side that a new or removed row lacks.
nlohmann::json to_json(const std::vector<FileChange>& changes);

/// Whether every row keeps its launches and its tolerance: there is nothing to write.
bool changes_nothing(const std::vector<FileChange>& changes);

/// Writes the files, all or none (write_all_atomically).
void apply(const std::vector<FileChange>& changes);

// The history of accepts in a baseline file, in its context.ratchet:
//
//   history    a list, oldest first, one entry for each accept: {date, reason, revision, was}.
//   "was"
//              has by row the previous {units_per_second (median), launches, revision}, or null for
//              a new row. An accepted tolerance: {date, reason, revision, tolerance, was: {row:
//              {tolerance: number or null}}}. Limits: {date, reason, revision, limits: {row:
//              texts}, was: {row: {limits: texts}}}. Accepted digests: {date, reason, revision,
//              was: {row: {work: digest}}}.
//   revisions  by row, the revision that its launches measured.
//
// The last 100 entries are kept, the last 20 of them with "was".

/// The object context.ratchet after `change`, whose member "after" has the rows. `before`: the
/// previous file, or nothing. `results`: the gate run that the rows come from. Throws `Error` when
/// the history in the file is not a list.
nlohmann::json ratchet_after(const FileChange& change, const Measurements& before,
                             const AcceptRequest& request, const Measurements& results);

/// Whether an entry of a history is of accepted launches: not of a tolerance or of limits alone.
bool is_of_figures(const nlohmann::json& entry);

/// The file's history with one more entry, within its bounds.
nlohmann::json history_with(const Measurements& stored, const nlohmann::json& entry,
                            const std::filesystem::path& file);

/// Whether the results began on the day (UTC) on which the stored launches of the row were accepted
/// last, or before: then they are of the same occasion.
bool is_of_last_occasion(const Measurements& results, const AcceptRequest& request,
                         const Measurements& stored, const RowId& row);

/// Throws `Error` where the request gives no reason.
void require_reason(const AcceptRequest& request);

/// The revision that a gate run measured.
std::string revision_of(const Measurements& results);

/// Whether a commit describes the build: its revision is known and not "...-dirty".
bool is_committed(const std::string& revision);

/// The revision that the stored launches of a row measured; "unknown" where the file lacks it.
std::string revision_of_row(const Measurements& stored, const RowId& row);

}  // namespace ratchet
