#include "perf/output/delivery.h"

#include <fmt/format.h>

#include <ostream>

#include "perf/gate/programs/unchecked.h"
#include "perf/output/files/outlook.h"
#include "perf/output/files/output.h"
#include "perf/output/files/output_files.h"
#include "perf/output/history/keep.h"

namespace ratchet::gate {
namespace {

std::string line_of(const std::string& text) { return text.empty() ? "" : text + "\n"; }

}  // namespace

std::string notes_of(const Outcome& outcome) {
  const double seconds = outcome.circumstances.seconds;
  const std::string settles = line_of(what_would_settle(outcome.reports, seconds));
  if (outcome.side_by_side)
    return fmt::format("{}\n{:.0f} s, of them {:.1f} % the gate's own.\n", outcome.title, seconds,
                       100 * (1 - outcome.seconds_measuring / seconds)) +
           unchecked_note(outcome.measured) + settles;
  if (!outcome.nothing_to_compare.empty())
    return unchecked_note(outcome.measured) +
           fmt::format("NOTHING WAS COMPARED.\n{}.\nThe intervals shown are those of the build "
                       "against itself: the noise of this machine.\n",
                       outcome.nothing_to_compare);
  return unchecked_note(outcome.measured) +
         nothing_compared(outcome.reports, outcome.measured.fingerprint(),
                          outcome.accept_command) +
         line_of(machine_note(outcome.reports)) + settles;
}

Delivery::Delivery(const std::filesystem::path& results, const std::string& history,
                   std::ostream& progress)
    : results_(results),
      lock_(results, "measuring"),
      history_(history::location_or_default(history, results)) {
  require_writable(results);
  history::warn_if_unusable(history_, progress);
}

ExitCode Delivery::deliver(Outcome outcome, const DisplayOptions& look, std::ostream& out,
                           std::ostream& progress) const {
  outcome.note = notes_of(outcome);
  out << terminal_table(outcome.reports, look) << (look.quiet ? "" : outcome.note) << std::flush;
  ExitCode code = exit_code(outcome.reports, outcome.policy);
  try {
    for (const std::string& line : write_outputs(results_, outcome))
      if (!look.quiet) out << line << std::endl;
  } catch (const Error& error) {
    out << "the results could not be kept: " << error.what() << std::endl;
    code = after_loss(code);
  }
  tell_github(outcome, out, progress);
  out << headline(outcome.reports, code, look.colour) << std::endl;
  return history::keep(history_, history_record(outcome, code), results_, out);
}

}  // namespace ratchet::gate
