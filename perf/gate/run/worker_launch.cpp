#include "perf/gate/run/worker_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>
#include <sstream>
#include <string_view>
#include <variant>

#include "perf/identity/row_id.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/machine/cpu_affinity.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The one row of that name among the worker's rows; aggregates do not count.
const json& find_row(const json& root, const RowId& name) {
  if (!root.is_object() || !root.contains("benchmarks") || !root["benchmarks"].is_array())
    throw Error("the worker's output has no array \"benchmarks\"");
  const json* found = nullptr;
  for (const json& row : root["benchmarks"]) {
    if (!row.is_object() || row.value("run_type", json()) != "iteration") continue;
    const json row_name = row.value("name", json());
    if (!row_name.is_string() || plain_name(row_name.get<std::string>()) != name) continue;
    if (found) throw Error("the worker's output has two rows of this name");
    found = &row;
  }
  if (!found) throw Error("the worker's output has no row of this name");
  return *found;
}

void read_launch(const json& root, const RowId& name, LaunchOutcome& outcome) {
  Launch launch = parse_launch(find_row(root, name), "the worker's row");
  if (root.contains("context") && root["context"].is_object()) outcome.context = root["context"];
  if (const auto wrong = complaint(launch)) {
    outcome.unverified = launch.counter(counter::verified) != 1.0;
    throw Error(*wrong);
  }
  outcome.launch = std::move(launch);
}

/// By the clock that the worker reads, too.
std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// The one line that a worker appends for its one row.
std::vector<double> read_samples(const std::filesystem::path& file) {
  const nlohmann::json line = parse_json(read_text(file), "the worker's samples");
  try {
    return line.at("samples").get<std::vector<double>>();
  } catch (const nlohmann::json::exception&) {
    throw Error("the worker's samples are not an array of seconds");
  }
}

/// The CPUs that the threads are spread over. A row of one thread finds its own CPU. The threads of
/// a row that is stopped between runs are asleep then, and find theirs.
std::vector<int> cpus_of(const LaunchRequest& request) {
  if (request.cpus == Cpus::all) return timing::allowed_cpus();
  if (request.cpus == Cpus::one_for_all_threads && request.cpu) return {*request.cpu};
  return {};
}

}  // namespace

std::filesystem::path samples_file(const LaunchRequest& request) {
  return request.scratch.string() + ".samples";
}

std::map<RowId, LaunchOutcome> read_outcomes(const ProcessResult& result, const fs::path& output,
                                             const std::vector<RowId>& rows) {
  std::map<RowId, LaunchOutcome> outcomes;
  json root;
  std::string failure;
  try {
    std::error_code ignored;
    const bool crashed = result.signal != 0 || result.timed_out;
    if (!crashed && (!fs::exists(output) || fs::file_size(output, ignored) == 0))
      require_room(output);
    if (crashed || !fs::exists(output) || fs::file_size(output, ignored) == 0)
      throw Error("the worker " + (result.ok() ? "wrote no output" : result.describe()));
    try {
      root = parse_json(read_text(output), "the worker's output");
    } catch (const Error&) {
      if (result.ok()) throw;
      require_room(output);
      throw Error("the worker " + result.describe());  // which left the output half written
    }
  } catch (const Error& error) {
    failure = error.what();
  }
  for (const RowId& row : rows) {
    LaunchOutcome& outcome = outcomes[row];
    outcome.seconds = result.seconds;
    try {
      if (!failure.empty()) throw Error(failure);
      read_launch(root, row, outcome);
      if (!result.ok()) throw Error("the worker wrote a row, but then: " + result.describe());
    } catch (const Error& error) {
      outcome.launch.reset();
      outcome.failure = error.what();
    }
  }
  return outcomes;
}

WorkerLaunch::WorkerLaunch(RowId row, const std::vector<std::string>& command,
                           const LaunchRequest& request, double limit_s)
    : row_(std::move(row)),
      output_(request.scratch),
      samples_(on_one_cpu(request.cpus) ? "" : samples_file(request)),
      cpus_(cpus_of(request)),
      between_runs_(request.cpus == Cpus::all_between_runs),
      limit_s_(limit_s),
      left_s_(limit_s),
      process_(command, request.environment(), Stdin::open) {}

/// What the worker says in the conversation, without the mark; nothing when the time was over.
std::optional<std::string> WorkerLaunch::read_line(double limit_s) {
  const double start = seconds_now();
  std::optional<std::string> line;
  do {
    line = process_.read_line(std::max(0.0, std::min(limit_s, left_s_) - (seconds_now() - start)));
  } while (line && !timing::read_slice_line(*line));
  left_s_ -= seconds_now() - start;
  if (line) return timing::read_slice_line(*line);
  if (!process_.has_output()) throw Error("the worker exited before it had taken its samples");
  if (left_s_ <= 0) fail(fmt::format("did not finish within {:.0f} s and was killed", limit_s_));
  return std::nullopt;
}

std::string WorkerLaunch::await() {
  std::optional<std::string> line;
  while (!(line = read_line(left_s_))) {
  }
  return *line;
}

double WorkerLaunch::prepared() {
  const std::string line = await();
  stop();
  if (!cpus_.empty()) process_.spread_threads(cpus_);
  const auto answer = timing::read_answer(line);
  const auto* ready = answer ? std::get_if<timing::Ready>(&*answer) : nullptr;
  if (!ready) fail(fmt::format("answered \"{}\" instead of \"ready\"", printable(line, 80)));
  return ready->run_s;
}

void WorkerLaunch::begin(std::size_t samples) {
  missing_ = samples;
  if (!between_runs_) process_.write_line(timing::to_line(timing::Go{samples}));
}

bool WorkerLaunch::run_whole(std::size_t runs) {
  runs = std::min(runs, missing_);
  process_.resume();
  process_.write_line(timing::to_line(timing::Go{runs}));
  const std::string line = await();
  process_.pause();  // threads that wait for work may do so awake
  expect_done(line);
  missing_ -= runs;
  return missing_ == 0;
}

bool WorkerLaunch::run(const Slice& slice) {
  if (between_runs_) return run_whole(slice.runs);
  constexpr double enough = 0.9, timeout = 10;  // a neighbour may not let go of the CPU
  go_on();
  const double start = seconds_now(), cpu_s = process_.cpu_seconds();
  std::optional<std::string> line = read_line(slice.seconds);
  while (slice.on_cpu && !line && seconds_now() - start < timeout * slice.seconds) {
    const double missing_s = slice.seconds - (process_.cpu_seconds() - cpu_s);
    if (missing_s < (1 - enough) * slice.seconds) break;
    line = read_line(missing_s);
  }
  stop();
  if (line) expect_done(*line);
  return line.has_value();
}

void WorkerLaunch::expect_done(const std::string& line) {
  if (timing::read_answer(line) != timing::SliceAnswer(timing::Done{}))
    fail(fmt::format("answered \"{}\" in its time slice", printable(line, 80)));
}

void WorkerLaunch::stop() {
  process_.pause();
  stopped_ns_ = now_ns();
}

void WorkerLaunch::go_on() {
  pauses_.push_back({stopped_ns_, now_ns()});
  process_.resume();
}

void WorkerLaunch::conclude() {
  process_.resume();
  for (const timing::Pause& pause : pauses_) process_.write_line(timing::to_line(pause));
  process_.write_line(timing::to_line(timing::End{}));
}

void WorkerLaunch::fail(const std::string& what) {
  failure_ = "the worker " + what;
  throw Error(failure_);
}

LaunchOutcome WorkerLaunch::outcome() {
  process_.resume();
  try {
    if (!failure_.empty()) throw Error(failure_);
    LaunchOutcome outcome =
        read_outcomes(process_.finish(std::max(0.0, left_s_)), output_, {row_}).at(row_);
    if (outcome.launch && !samples_.empty()) outcome.samples_s = read_samples(samples_);
    return outcome;
  } catch (const Error& error) {
    LaunchOutcome outcome;
    outcome.failure = error.what();
    return outcome;
  }
}

namespace {

/// Runs its arguments as one rank. mpirun names a rank that was killed, but not in each of its
/// messages: which one it prints depends on what it noticed first.
constexpr const char* name_killed_rank =
    R"sh("$@"; code=$?
if [ $code -gt 128 ]; then
  echo "ratchet: rank $OMPI_COMM_WORLD_RANK on $(uname -n) was killed by signal $((code - 128))" >&2
fi
exit $code)sh";

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

std::map<std::uint64_t, std::vector<RowId>> by_ranks(const std::vector<RowId>& rows) {
  std::map<std::uint64_t, std::vector<RowId>> jobs;
  for (const RowId& row : rows) jobs[row.ranks()].push_back(row);
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
  std::vector<std::string> job = {"mpirun",
                                  "--allow-run-as-root",
                                  "--oversubscribe",
                                  "--bind-to",
                                  "none",
                                  "-n",
                                  std::to_string(ranks),
                                  "sh",
                                  "-c",
                                  name_killed_rank,
                                  "sh"};
  job.insert(job.end(), command.begin(), command.end());
  ProcessResult result = run_process(job, limit_s, environment);
  if (!result.ok()) result.errors = with_rank_at_fault_last(result.errors);
  return result;
}

}  // namespace ratchet::gate
