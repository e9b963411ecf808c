// A gate run as text: the headline, the terminal's table, the Markdown summary.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {

/// The run in one line: "REGRESSION (exit 1): 1 slower, 18 same".
std::string headline(const std::vector<RowReport>& reports, ExitCode code, bool colour = false);

/// A warning if rows were not compared: the machine without a baseline, and the exact command that
/// accepts these results as its baseline. Empty if every measured row was compared.
std::string nothing_compared(const std::vector<RowReport>& reports, const Fingerprint& here,
                             const std::string& accept_command);
/// The command that makes these results the baseline, if there is one.
std::string accept_note(const std::string& command);

/// Columns: verdict, row, effect with its interval, detectable effect, launches, throughput,
/// reason. At most 120 characters wide: long names take their own line, long reasons continue
/// below. Unless `look.all_rows`, rows of identical work are counted by family and unavailable rows
/// by reason. A quiet run shows neither these nor any other "same" row.
std::string terminal_table(const std::vector<RowReport>& reports, const DisplayOptions& display);

/// Headline, note and table in Markdown, at most `room` bytes. `code`: default: by the rows.
/// Headline and note are always written; rows that do not fit are counted. GitHub's step summary
/// takes 1 MiB.
std::string markdown_summary(const std::vector<RowReport>& reports, const Policy& policy,
                             const std::string& note, std::optional<ExitCode> code = {},
                             std::size_t room = 900 << 10);

}  // namespace ratchet::gate
