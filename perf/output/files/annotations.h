// What GitHub Actions shows of a gate run: annotations and the step summary.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// Workflow commands, a line each, for the ten worst rows that do not pass (GitHub shows ten of a
/// kind per step): "::error title=ratchet%3A slower::<row>: <effect, interval, reason>", a warning
/// for undecided rows; then a notice that counts the others. `reports` worst first, as judge()
/// returns them. Empty when every row passes.
/// Source: GitHub's "Workflow commands for GitHub Actions", with the escapes of its toolkit.
std::string github_annotations(const std::vector<RowReport>& reports, const Policy& policy = {});

/// Appends the Markdown summary to the file that $GITHUB_STEP_SUMMARY names, never beyond 1 MiB,
/// above which GitHub drops the whole summary: what does not fit is left out and counted. Returns
/// "" or, since a summary that cannot be shown must not change a verdict, one line that says what
/// failed.
std::string append_step_summary(const std::filesystem::path& file,
                                const std::vector<RowReport>& reports, const Policy& policy,
                                const std::string& note);

/// Of a command that ends with an error before any row was judged, where GitHub Actions runs it
/// ($GITHUB_ACTIONS is "true"): an annotation to `out`, and a line in the file that
/// $GITHUB_STEP_SUMMARY names. Nothing elsewhere.
void tell_github_of_error(const std::string& message, std::ostream& out);

}  // namespace ratchet::gate
