#include "perf/history/keep.h"

#include <exception>
#include <ostream>

#include "perf/history/store.h"
#include "perf/support/clock.h"

namespace ratchet::history {

std::string location_or_default(const std::string& wanted, const std::filesystem::path& results) {
  return wanted.empty() ? (results / "history.sqlite").string() : wanted;
}

void warn_if_unusable(const std::string& location, std::ostream& progress) {
  if (location == no_history) return;
  try {
    open_store(location, Access::write);
  } catch (const std::exception& error) {
    progress << "ratchet: " << error.what() << "; measuring goes on" << std::endl;
  }
}

ExitCode keep(const std::string& location, const RunRecord& run, std::ostream& out) {
  const auto verdict = static_cast<ExitCode>(run.exit_code.value_or(0));
  if (location == no_history) return verdict;
  try {
    open_store(location, Access::write).append(run);
    return verdict;
  } catch (const std::exception& error) {
    const ExitCode code = verdict == ExitCode::regression ? verdict : ExitCode::failed;
    out << "THIS RUN IS IN NO HISTORY: " << error.what()
        << "\nThe verdict above stands, but the exit code is " << static_cast<int>(code)
        << " (--history none keeps no history)." << std::endl;
    return code;
  }
}

}  // namespace ratchet::history
