// Everything that a gate run leaves in its results folder, in one call.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "perf/gate/outcome.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/output/history/record.h"

namespace ratchet::gate {

/// What files say of a row: verdict, figures, reason, digests.
nlohmann::json row_json(const RowReport& report);

/// The lines of a text that say anything, each printable.
nlohmann::json printable_lines(const std::string& text);

/// What a report of the run needs besides the rows: {"exit_code", "mode", "note"} and the
/// circumstances.
nlohmann::json run_json(const Outcome& outcome);

/// The measurements with context.ratchet: format, revision, and per row its verdict and figures,
/// which is what `ratchet accept` reads.
Measurements results(const Measurements& measured, const std::vector<RowReport>& reports,
                     const std::string& revision);

/// What gate.json holds: results() with context.ratchet.run, run_json().
Measurements kept_results(const Outcome& outcome);

/// The launches that were held against each other, of rows that were measured beside their
/// baselines' builds those; of each side.
struct ComparedLaunches {
  Measurements base, now;
};
ComparedLaunches compared_launches(const Outcome& outcome);

/// The run as the history keeps it, ended now with this exit code: what history::record_of makes of
/// results(), but for the time.
history::RunRecord history_record(const Outcome& outcome, ExitCode code);

/// Writes into `folder`, each file atomically: gate.json (for `ratchet accept`) and summary.md;
/// junit.xml; tracker.json, throughput.json and bencher.json for trackers; compare_base.json and
/// compare_new.json, the launches that were held against each other, for Google Benchmark's
/// compare.py. Files of these names that this run has
/// nothing to put in are removed, lest those of an earlier run pass for this one's. Returns lines
/// for people: what was written, and what was not and why. Throws `Error` naming the first file
/// that cannot be written; it and those after it are left as they were.
std::vector<std::string> write_outputs(const std::filesystem::path& folder, const Outcome& outcome);

/// On GitHub Actions ($GITHUB_ACTIONS is "true"): annotations to `out`. Where $GITHUB_STEP_SUMMARY
/// names a file: the summary into it; what stands in the way is said on `progress`.
void tell_github(const Outcome& outcome, std::ostream& out, std::ostream& progress);

}  // namespace ratchet::gate
