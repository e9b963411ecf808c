#include "perf/gate/run/ranks_launch.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <string_view>

#include "perf/identity/row_id.h"

namespace ratchet::gate {

namespace {

/// The first line with a word and with `sign`.
std::optional<std::string> first_line(const std::string& text, std::string_view sign) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(sign) != std::string::npos && std::any_of(line.begin(), line.end(), letter))
      return line;
  return std::nullopt;
}

}  // namespace

std::map<std::uint64_t, std::vector<std::string>> by_ranks(const std::vector<std::string>& rows) {
  std::map<std::uint64_t, std::vector<std::string>> jobs;
  for (const std::string& row : rows) jobs[RowId(row).ranks()].push_back(row);
  return jobs;
}

std::string with_rank_at_fault_last(const std::string& errors) {
  // A rank's own message explains more than mpirun's, which comes between lines of dashes.
  for (const std::string_view sign :
       {"ratchet: rank ", "noticed that process rank ", "ratchet: ", ""})
    if (const auto line = first_line(errors, sign)) return errors + "\n" + *line + "\n";
  return errors;
}

ProcessResult run_ranks(std::uint64_t ranks, const std::vector<std::string>& command,
                        double limit_s, const Environment& environment) {
  if (ranks == 1) return run_process(command, limit_s, environment);
  // Open MPI otherwise refuses to run as root, and more ranks than CPUs. Without binding, the
  // kernel places ranks as it does threads.
  std::vector<std::string> job = {
      "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
      "-n",     std::to_string(ranks)};
  job.insert(job.end(), command.begin(), command.end());
  ProcessResult result = run_process(job, limit_s, environment);
  if (!result.ok()) result.errors = with_rank_at_fault_last(result.errors);
  return result;
}

}  // namespace ratchet::gate
