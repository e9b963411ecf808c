// Writes all files of a gate run into its results folder.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "perf/gate/outcome.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/output/history/record.h"

namespace ratchet::gate {

/// The JSON entry of a row: verdict, figures, reason, digests.
nlohmann::json row_json(const RowReport& report);

/// The lines of a text that are not blank, each printable.
nlohmann::json printable_lines(const std::string& text);

/// The run's facts for a report: {"exit_code", "mode", "note"} and the circumstances.
nlohmann::json run_json(const Outcome& outcome);

/// The measurements with context.ratchet: format, revision, and the verdict and figures of each
/// row. `ratchet accept` reads them.
Measurements results(const Measurements& measured, const std::vector<RowReport>& reports,
                     const std::string& revision);

/// The content of gate.json: results() with run_json() as context.ratchet.run.
Measurements kept_results(const Outcome& outcome);

/// For --json: context.ratchet of the results, with the throughput of each row, in its unit per
/// second, and this exit code.
void print_verdict(nlohmann::json context, const std::vector<RowReport>& reports, ExitCode code);

/// The compared launches of both sides. For rows that were measured interleaved with the baseline's
/// build, these are the launches of that build.
struct ComparedLaunches {
  Measurements base, now;
};
ComparedLaunches compared_launches(const Outcome& outcome);

/// The run as the history records it, ended now with this exit code: history::record_of(results()),
/// except for the time.
history::RunRecord history_record(const Outcome& outcome, ExitCode code);

/// Writes into `folder`, each file atomically: gate.json (for `ratchet accept`) and summary.md;
/// junit.xml; tracker.json, throughput.json, smaller.json and bencher.json for trackers;
/// compare_base.json and compare_new.json, the compared launches, for Google Benchmark's
/// compare.py. Removes a file that
/// this run has no content for, so that an earlier run's file is not mistaken for this run's.
/// Returns a line that lists the written files. Throws `Error` naming the first file that cannot be
/// written; that file and the later ones stay unchanged.
std::string write_outputs(const std::filesystem::path& folder, const Outcome& outcome);

/// On GitHub Actions ($GITHUB_ACTIONS is "true"), writes annotations to `out`. If
/// $GITHUB_STEP_SUMMARY names a file, appends the summary to it and reports a failure on
/// `progress`.
void tell_github(const Outcome& outcome, std::ostream& out, std::ostream& progress);

}  // namespace ratchet::gate
