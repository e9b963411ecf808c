// What a finished gate run becomes: its table on the terminal, its files, GitHub's annotations, the
// row in the history and the page. The one place that turns an Outcome into an exit code.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "perf/gate/outcome.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {

/// What is said of a run besides its table: what nothing was compared with, what nobody checks, how
/// the machine's speed moved, what would settle the undecided rows.
std::string notes_of(const Outcome& outcome);

/// The folder that a run leaves its results in, held from before the measuring until all is kept.
class Delivery {
 public:
  /// Throws `Error` where `results` cannot be written or another run is using it; says on
  /// `progress` where the history cannot be opened: both must be known before minutes are spent.
  /// `history`: a file, a URL or "none"; empty: history.sqlite in `results`.
  Delivery(const std::filesystem::path& results, const std::string& history,
           std::ostream& progress);

  /// Shows what was found, then writes it: a full disk must not cost the verdict. Returns
  /// exit_code(), or ExitCode::failed where something could not be kept; but a regression stays one.
  ExitCode deliver(Outcome outcome, const DisplayOptions& display, std::ostream& out,
                   std::ostream& progress) const;

 private:
  std::filesystem::path results_;
  FolderLock lock_;
  std::string history_;
};

}  // namespace ratchet::gate
