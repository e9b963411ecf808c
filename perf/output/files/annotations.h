// What GitHub Actions shows of a gate run: annotations and the step summary.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

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
                                const std::string& note);

/// Of a command that ends with an error before any row was judged, where GitHub Actions runs it
/// ($GITHUB_ACTIONS is "true"): an annotation to `out`, and a line in the file that
/// $GITHUB_STEP_SUMMARY names. Nothing elsewhere.
void tell_github_of_error(const std::string& message, std::ostream& out);

}  // namespace ratchet::gate
