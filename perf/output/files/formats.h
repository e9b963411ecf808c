// A gate run in the formats of other tools.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/output/history/record.h"

namespace ratchet::gate {

// A gate run in the formats of other tools. All are UTF-8 JSON with finite numbers. Times are in
// milliseconds, throughput is in units of work per second. Rows are sorted by name, and named as in
// the tables. Rows without figures (failed, missing, ...) are left out, since trackers would plot
// them.

/// One entry per row with the medians over its launches, in Google Benchmark's format. Readers are
/// github-action-benchmark ("googlecpp") and Bencher ("cpp_google"). They treat every entry as a
/// separate series and need context.caches, and they take times: figures of another unit are in the
/// next two.
nlohmann::json tracker_json(const Measurements& measured);

/// [{name, unit, value, range, extra}] for github-action-benchmark's "customBiggerIsBetter".
/// `range` is half the width of the median's interval, in percent. Empty if nothing was measured;
/// the tool refuses an empty array, so the caller writes no such file.
/// Without figures that are better smaller.
nlohmann::json throughput_json(const Measurements& measured, const std::vector<RowReport>& reports);

/// The same for "customSmallerIsBetter": the figures of commands that are better smaller, by their
/// own value and unit, times too.
nlohmann::json smaller_json(const Measurements& measured, const std::vector<RowReport>& reports);

/// {name: {measure: {value, lower_value, upper_value}}} for Bencher ("json"): the median of
/// the launches with its 95 % interval, or with their range if they are too few for an interval.
/// The measure is "throughput"; of figures that are better smaller "latency" (ns), "file-size"
/// (bytes), or else their unit.
nlohmann::json bencher_json(const Measurements& measured);

/// Every launch of the named rows with its counters, in Google Benchmark's format. Its compare.py
/// treats entries of one name as repetitions.
nlohmann::json launches_json(const Measurements& measurements, const std::set<RowId>& rows);

/// The rows with launches on both sides. compare.py drops all others silently.
std::set<RowId> common_rows(const Measurements& a, const Measurements& b);

// The verdicts as JUnit XML, for CI systems that show test reports.

/// One suite per family, one case per row, in the format of GoogleTest's report. A slower or
/// undecided row is a failure. A failed, unverified, missing, changed or new row is an error. An
/// unavailable row is skipped, and without `policy.strict` an uncompared one too. So the report is
/// green exactly if the exit code is 0 or 77. Messages state effect and interval. Properties are
/// ratio, low, high, detectable, tolerance, launches, baseline_launches and units_per_second, if
/// known. `time`: seconds of one call by the row's clock, the median over this run's launches; 0 if
/// not measured.
/// Source: GoogleTest's XML report (docs/advanced.md), read by Jenkins, GitLab and others.
/// `lost`: what of the run could not be kept, an error of its own; empty: nothing.
std::string junit_xml(const std::vector<RowReport>& reports, const Policy& policy,
                      const std::string& lost = "");

/// `text` for an attribute or element of XML or HTML, with & < > " ' escaped.
std::string escaped(std::string_view text);

/// The same for XML 1.0 of any text. XML cannot hold control
/// characters even escaped; printable() replaces them by U+FFFD.
std::string xml_escape(std::string_view text);

// What GitHub Actions shows of a gate run: annotations and the step summary.

/// One workflow command a line for the ten worst rows that do not pass (GitHub shows ten of a kind
/// per step): "::error title=ratchet%3A slower::<row>: <effect, interval, reason>", or a warning
/// for undecided rows. A notice counts the others. `reports`: worst first, as judge() returns them.
/// Empty if every row passes.
/// Source: GitHub's "Workflow commands for GitHub Actions", with the escapes of its toolkit.
std::string github_annotations(const std::vector<RowReport>& reports, const Policy& policy = {});

/// Appends the Markdown summary to the file $GITHUB_STEP_SUMMARY. GitHub drops summaries above
/// 1 MiB, so rows that do not fit are counted instead. Returns "" or one line that says what
/// failed: a failed summary must not change a verdict.
std::string append_step_summary(const std::filesystem::path& file,
                                const std::vector<RowReport>& reports, const Policy& policy,
                                const std::string& note, std::optional<ExitCode> code = {});

/// For a command that ends with an error before any row was judged, in GitHub Actions
/// ($GITHUB_ACTIONS is "true"): an annotation to `out`, and a line in the file that
/// $GITHUB_STEP_SUMMARY names. Nothing elsewhere.
void tell_github_of_error(const std::string& message, std::ostream& out);

/// Runs what ends in files in the folder `results`. Where it fails before it has results, junit.xml
/// and summary.md of an earlier run would pass for its own: the error takes their place. An
/// interruption leaves all files of an earlier run, and says whose they are.
ExitCode run_into(const std::filesystem::path& results, const std::function<ExitCode()>& run);

}  // namespace ratchet::gate

namespace ratchet::report {

/// A Vega-Lite specification without a theme (perf/output/drawing/vega.h), the largest loss first.
/// The title counts the rows that were compared without a clock or not at all. Nothing if no row
/// was compared by time. Each datum is a row: "row", "verdict", and in percent "change",
/// "tolerance", "low" and "high" (null if the rule needed no simultaneous interval).
std::optional<nlohmann::json> forest_spec(const history::RunRecord& run);

}  // namespace ratchet::report
