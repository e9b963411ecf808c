#include "perf/gate/run/launch_outcome.h"

#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The one row of that name among the worker's rows; aggregates do not count.
const json& find_row(const json& root, const std::string& name) {
  if (!root.is_object() || !root.contains("benchmarks") || !root["benchmarks"].is_array())
    throw Error("the worker's output has no array \"benchmarks\"");
  const json* found = nullptr;
  for (const json& row : root["benchmarks"]) {
    if (!row.is_object() || row.value("run_type", json()) != "iteration") continue;
    const json row_name = row.value("name", json());
    if (!row_name.is_string() || plain_name(row_name.get<std::string>()) != name) continue;
    if (found) throw Error("the worker gave two rows of this name");
    found = &row;
  }
  if (!found) throw Error("the worker gave no row of this name");
  return *found;
}

void read_launch(const json& root, const std::string& name, LaunchOutcome& outcome) {
  Launch launch = parse_launch(find_row(root, name), "the worker's row");
  if (root.contains("context") && root["context"].is_object()) outcome.context = root["context"];
  if (const auto wrong = complaint(launch)) {
    outcome.unverified = launch.counter("verified") != 1.0;
    throw Error(*wrong);
  }
  outcome.launch = std::move(launch);
}

}  // namespace

std::map<std::string, LaunchOutcome> read_outcomes(const ProcessResult& result,
                                                   const fs::path& output,
                                                   const std::vector<std::string>& rows) {
  std::map<std::string, LaunchOutcome> outcomes;
  json root;
  std::string failure;
  try {
    std::error_code ignored;
    const bool crashed = result.signal != 0 || result.timed_out;
    if (!crashed && (!fs::exists(output) || fs::file_size(output, ignored) == 0))
      require_room(output);
    if (crashed || !fs::exists(output) || fs::file_size(output, ignored) == 0)
      throw Error("the worker " + (result.ok() ? "wrote no output" : result.describe()));
    root = parse_json(read_text(output), "the worker's output");
  } catch (const Error& error) {
    failure = error.what();
  }
  for (const std::string& row : rows) {
    LaunchOutcome& outcome = outcomes[row];
    outcome.seconds = result.seconds;
    try {
      if (!failure.empty()) throw Error(failure);
      read_launch(root, row, outcome);
      if (!result.ok()) throw Error("the worker gave a row, but " + result.describe());
    } catch (const Error& error) {
      outcome.launch.reset();
      outcome.failure = error.what();
    }
  }
  return outcomes;
}

}  // namespace ratchet::gate
