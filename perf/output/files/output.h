// A gate run for people: its line, its table for the terminal, its Markdown summary.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {

/// The run in one line: "REGRESSION (exit 1): 1 slower, 18 same".
std::string headline(const std::vector<RowReport>& reports, ExitCode code, bool colour = false);

/// Said loudly where nothing was compared: which machine has no baseline, and the exact command
/// that makes these results its baseline. Empty when every measured row was compared.
std::string nothing_compared(const std::vector<RowReport>& reports, const Fingerprint& here,
                             const std::string& accept_command);

/// Columns: verdict, row, effect with its interval, what would be detected, launches, throughput,
/// reason. Within 120 columns: long names take a line of their own, long reasons go on below.
/// Unless `look.all_rows`, rows of identical work are counted by family, and unavailable ones by
/// reason; neither they nor any that are the same are shown where it is quiet.
std::string terminal_table(const std::vector<RowReport>& reports, const DisplayOptions& display);

/// Headline, note and table in Markdown, of at most `room` bytes (the headline and the note are
/// written in any case): rows that do not fit are counted instead. GitHub's step summary takes 1
/// MiB.
std::string markdown_summary(const std::vector<RowReport>& reports, const Policy& policy,
                             const std::string& note, std::size_t room = 900 << 10);

}  // namespace ratchet::gate
