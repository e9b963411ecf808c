// Delivers a finished gate run: the table on the terminal, the files, GitHub's annotations, the
// entry in the history and the page. The only place that turns an Outcome into an exit code.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "perf/gate/outcome.h"
#include "perf/gate/programs/compare_files.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {

/// The notes below a run's table: why nothing was compared, how many rows have no test, how far the
/// machine drifted, and what would settle the undecided rows.
std::string notes_of(const Outcome& outcome);
/// The commands that these notes suggest, in their order; none after an interruption.
std::vector<NextStep> next_of(const Outcome& outcome);

/// One sentence in place of the remark of each row that others kept from its CPU, or that waits: of
/// those rows that are alike. A row with less than half of their median share keeps its remark.
std::string taken_cpu_note(std::vector<RowReport>& reports);

/// The results folder of a run, locked from before the first measurement until all files are
/// written.
class Delivery {
 public:
  /// Throws `Error` if `results` cannot be written or another run is using it. Reports on
  /// `progress` if the history cannot be opened. Both are checked before minutes of measuring.
  /// `history`: a file, a URL or "none"; empty: history.sqlite in `results`.
  Delivery(const std::filesystem::path& results, const std::string& history,
           std::ostream& progress);

  /// Prints the verdict, then writes the files, so that a full disk does not cost the verdict.
  /// Returns exit_code(). If writing fails, a regression stays 1 and a pass becomes 2.
  ExitCode deliver(Outcome outcome, const DisplayOptions& display, std::ostream& out,
                   std::ostream& progress) const;

 private:
  /// Returns why the history does not have the run; nothing where it has, or is to have none.
  std::string add_to_history(const Outcome& outcome, std::ostream& out) const;

  std::filesystem::path results_;
  FolderLock lock_;
  std::string history_;
};

/// Reads, compares, prints the table to `out`. Returns the exit code of perf/gate/rule/verdicts.h.
/// Throws `Error` as read_side does, for different machines, and when no row is left to compare.
ExitCode run_compare(const CompareOptions& options, std::ostream& out);

}  // namespace ratchet::gate
