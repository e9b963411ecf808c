// Moving baselines: the only way a stored figure changes.
//
// A gate run leaves its results with a verdict a row (context.ratchet.rows); accepting copies rows
// of acceptable verdict into the store, removes rows named that the run found missing, and touches
// no other row. The history of every file it changes gets what was done and what was there before
// (accept_history.h). A tolerance is accepted by itself: the figures stay as they are.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/store.h"

namespace ratchet {

struct AcceptRequest {
  std::vector<std::string> rows;  ///< filters (kernels/contract/row_filter.h); none: all rows
  std::string reason;
  /// Folder to write to instead of the one the fingerprint leads to; may be empty.
  std::string machine;
  std::string date;  ///< "2026-01-31T12:00:00Z"
  /// Relative; given to the stored rows named, whose figures stay whatever their verdict is.
  std::optional<double> tolerance = std::nullopt;
  /// Add the launches to those stored, as a further session of rows that execute what their
  /// baseline executed; the last 8 occasions are kept.
  bool occasion = false;
  /// Leave rows that cannot be accepted as they are, instead of refusing them all. Where all rows
  /// execute what their baselines executed, nothing changes, which is no error then.
  bool leave_unfit = false;
  /// Accept launches during which others held the CPU (Launch::contended), too.
  bool contended = false;
  /// Accept rows of other people's programs that nobody checks, and say so in the baseline, which
  /// from then on takes such rows without being asked.
  bool allow_unverified = false;
  /// Accept rows that nobody judged at the point that was timed, too.
  bool unchecked = false;
  /// Accept rows of ratchet's own that a build made which no commit describes, too.
  bool uncommitted = false;
};

/// Digests of work by row, of two programs.
struct WorkRenewal {
  std::map<std::string, std::string> was, is;
  std::string revision;  ///< of the program of now
};
/// By row, what a program's --ratchet_list_work printed. Throws `Error` for anything else.
std::map<std::string, std::string> read_listed_work(const std::filesystem::path& file);

struct RowChange {
  std::string name;
  std::optional<Row> before;  ///< nothing: the row is new
  std::optional<Row> after;   ///< nothing: the row is removed
  std::string remark = "";    ///< what whoever accepts should know; often empty
};

struct FileChange {
  std::filesystem::path path;
  std::vector<RowChange> rows;
  Measurements after;
};

/// Works out what accepting would change, without writing. Throws `Error`, and nothing may be
/// written, when the reason is empty, a name matches no row, a row asked for failed, is unverified
/// or undecided and not named, or has launches that took slices or that others contended or whose
/// point nobody judged (naming each; with leave_unfit only where no row is left), a missing row is
/// not asked for by name, a row of ratchet's own is of a build that no commit describes, or rows
/// that would stay in a file were measured under another fingerprint than the one
/// the file would then state. With a tolerance: when it is not in (0, 1), no row is named, a name
/// matches none, or a row has no baseline under the fingerprint of the results.
std::vector<FileChange> plan_accept(const Measurements& results, const AcceptRequest& request,
                                    const BaselineStore& store);

/// Digests alone, on all machines: stored rows that execute what `was` says get what `is` says, and
/// keep their figures and revisions. For a change of what digests take in and no clock sees; that
/// it is one, who accepts has shown. Throws `Error`, and nothing may be written, without a reason,
/// or where no stored row that is asked for holds a digest that moves.
std::vector<FileChange> plan_renewal(const WorkRenewal& renewal, const AcceptRequest& request,
                                     const BaselineStore& store);

/// Whether the baselines of all rows that nobody checked allow such rows.
bool unverified_was_allowed(const Measurements& results, const BaselineStore& store);

/// The rows that leave_unfit leaves, each with why: "demo/cpu/01_a (undecided)".
std::vector<std::string> unfit_rows(const Measurements& results, const AcceptRequest& request);

/// The change for people: a line per row with old and new median throughput and their ratio, each
/// with its distribution-free 95 % interval over launches, the launches, and a changed tolerance.
std::string describe(const std::vector<FileChange>& changes);

/// Writes the files, all or none (write_all_atomically).
void apply(const std::vector<FileChange>& changes);

}  // namespace ratchet
