#include "perf/gate/run/worker_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "perf/support/error.h"
#include "perf/gate/run/launch_outcome.h"
#include "perf/support/clock.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::gate {
namespace {

constexpr std::string_view mark = "turns: ";

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
    throw Error("the worker's samples are no array of seconds");
  }
}

/// Those that the threads are dealt out to. One of one thread finds its own; and what is stopped
/// between its runs has its threads asleep, and they find theirs.
std::vector<int> cpus_of(const LaunchRequest& request) {
  if (request.cpus == Cpus::all) return timing::allowed_cpus();
  if (request.cpus == Cpus::one_for_all_threads && request.cpu) return {*request.cpu};
  return {};
}

}  // namespace

std::filesystem::path samples_file(const LaunchRequest& request) {
  return request.scratch.string() + ".samples";
}

WorkerLaunch::WorkerLaunch(std::string row, const std::vector<std::string>& command,
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
std::optional<std::string> WorkerLaunch::hear(double limit_s) {
  const double start = seconds_now();
  std::optional<std::string> line;
  do {
    line = process_.hear(std::max(0.0, std::min(limit_s, left_s_) - (seconds_now() - start)));
  } while (line && !line->starts_with(mark));
  left_s_ -= seconds_now() - start;
  if (line) return line->substr(mark.size());
  if (!process_.speaks()) throw Error("the worker ended before it had taken its samples");
  if (left_s_ <= 0) fail(fmt::format("no end within {:.0f} s, killed", limit_s_));
  return std::nullopt;
}

std::string WorkerLaunch::await() {
  std::optional<std::string> line;
  while (!(line = hear(left_s_))) {
  }
  return *line;
}

double WorkerLaunch::prepared() {
  const std::string line = await();
  stop();
  if (!cpus_.empty()) process_.spread_threads(cpus_);
  double call_s = 0;
  const std::string ready = "ready ";
  const char* end = line.data() + line.size();
  const char* begin = line.data() + std::min(ready.size(), line.size());
  const auto [stopped, status] = std::from_chars(begin, end, call_s);
  if (!line.starts_with(ready) || status != std::errc() || stopped != end ||
      !(call_s >= 0 && std::isfinite(call_s)))
    fail(fmt::format("said \"{}\" instead of being ready", printable(line, 80)));
  return call_s;
}

void WorkerLaunch::begin(std::size_t samples) {
  missing_ = samples;
  if (!between_runs_) process_.say(fmt::format("go {}", samples));
}

bool WorkerLaunch::run_whole(std::size_t runs) {
  runs = std::min(runs, missing_);
  process_.resume();
  process_.say(fmt::format("go {}", runs));
  const std::string line = await();
  process_.pause();  // threads that wait for work may do so awake
  expect_done(line);
  missing_ -= runs;
  return missing_ == 0;
}

bool WorkerLaunch::run(const Turn& turn) {
  if (between_runs_) return run_whole(turn.runs);
  constexpr double enough = 0.9, patience = 10;  // a neighbour may not let go of the CPU
  go_on();
  const double start = seconds_now(), cpu_s = process_.cpu_seconds();
  std::optional<std::string> line = hear(turn.seconds);
  while (turn.on_cpu && !line && seconds_now() - start < patience * turn.seconds) {
    const double missing_s = turn.seconds - (process_.cpu_seconds() - cpu_s);
    if (missing_s < (1 - enough) * turn.seconds) break;
    line = hear(missing_s);
  }
  stop();
  if (line) expect_done(*line);
  return line.has_value();
}

void WorkerLaunch::expect_done(const std::string& line) {
  if (line != "done") fail(fmt::format("said \"{}\" in its turn", printable(line, 80)));
}

void WorkerLaunch::stop() {
  process_.pause();
  stopped_ns_ = now_ns();
}

void WorkerLaunch::go_on() {
  pauses_.push_back(fmt::format("pause {} {}", stopped_ns_, now_ns()));
  process_.resume();
}

void WorkerLaunch::conclude() {
  process_.resume();
  for (const std::string& pause : pauses_) process_.say(pause);
  process_.say("end");
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

}  // namespace ratchet::gate
