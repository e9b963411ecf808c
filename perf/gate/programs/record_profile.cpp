// Runs a row under a profiler.
//
// Of a Google Benchmark program Callgrind keeps what lies between State::StartKeepRunning() and
// FinishKeepRunning(): the loop of one run, without start-up, preparation and the search for a
// number of iterations. That number is in the program's output.
#include <fmt/format.h>
#include <sys/personality.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "perf/gate/programs/profile.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

/// Callers that Callgrind keeps of a function; deeper stacks lose their outer end.
constexpr int callers = 40;
/// Bytes of the stack that perf copies for each sample; deeper stacks lose their outer end.
constexpr int stack_bytes = 16384;
constexpr int samples_per_s = 997;
constexpr double perf_s = 5;
/// By the simulated program's clock. It executes a fiftieth of what it does on the CPU itself.
constexpr double callgrind_s = 0.05;
constexpr double limit_s = 300;

std::vector<std::string> prefix(Profiler profiler, const fs::path& data, bool google_benchmark) {
  if (profiler == Profiler::perf)
    return {"perf",
            "record",
            "--quiet",
            fmt::format("--freq={}", samples_per_s),
            fmt::format("--call-graph=dwarf,{}", stack_bytes),
            "--output=" + data.string(),
            "--"};
  std::vector<std::string> words = {"valgrind",
                                    "--quiet",
                                    "--tool=callgrind",
                                    "--callgrind-out-file=" + data.string(),
                                    "--log-file=" + data.string() + ".log",
                                    fmt::format("--separate-callers={}", callers)};
  if (google_benchmark)
    for (const char* option : {"--zero-before=benchmark::State::StartKeepRunning()",
                               "--dump-before=benchmark::State::FinishKeepRunning()"})
      words.push_back(option);
  return words;
}

/// The parts that Callgrind left at the end of loops, in order: DATA.1, DATA.2, ...
std::vector<fs::path> parts_of(const fs::path& data) {
  std::vector<fs::path> parts;
  for (int number = 1;; ++number) {
    const fs::path part = data.string() + "." + std::to_string(number);
    if (!fs::exists(part)) return parts;
    parts.push_back(part);
  }
}

/// The last run: each of its threads ends the loop by itself.
Recorded last_loop(const fs::path& data, std::size_t threads, const std::string& what) {
  const std::vector<fs::path> parts = parts_of(data);
  if (parts.size() < threads)
    throw Error(what +
                ": Callgrind saw no call of benchmark::State::FinishKeepRunning(); link the "
                "program without -s and without link-time optimization, and do not strip it");
  Recorded all;
  for (std::size_t i = parts.size() - threads; i < parts.size(); ++i)
    for (const auto& [stack, cost] : read_callgrind(read_text(parts[i]), parts[i].string())) {
      all[stack].cost += cost.cost;
      all[stack].count += cost.count;
    }
  return all;
}

/// Of ratchet's own rows: how often the timer ran it.
double timed_runs(const Recorded& recorded) {
  double runs = 0;
  for (const auto& [stack, cost] : recorded)
    if (stack.back().find("Timer::time_run(") != std::string::npos) runs += cost.count;
  return runs;
}

Recorded perf_stacks(const fs::path& data, const std::string& what) {
  const ProcessResult script =
      run_process({"perf", "script", "--force", "--no-inline", "--input=" + data.string(),
                   "--fields=period,ip,sym,dso"},
                  limit_s);
  if (!script.ok()) throw Error("perf script: " + script.describe());
  return read_perf_script(script.output, what);
}

void scale(Recorded& recorded, double factor) {
  for (auto& [stack, cost] : recorded) cost.cost *= factor;
}

/// While it lives, processes that this thread starts have addresses that are not random. Google
/// Benchmark from 1.9.2 on starts itself again where they are, and then runs without Valgrind.
class FixedAddresses {
 public:
  FixedAddresses() : before_(personality(0xffffffff)) {
    if (before_ != -1) personality(static_cast<unsigned long>(before_) | ADDR_NO_RANDOMIZE);
  }
  ~FixedAddresses() {
    if (before_ != -1) personality(static_cast<unsigned long>(before_));
  }
  FixedAddresses(const FixedAddresses&) = delete;
  FixedAddresses& operator=(const FixedAddresses&) = delete;

 private:
  int before_;
};

Launch launched(const BenchProgram& program, const RowId& row, Profiler profiler,
                const LaunchRequest& request, const std::string& instead) {
  std::optional<FixedAddresses> fixed;
  if (profiler == Profiler::callgrind) fixed.emplace();
  LaunchOutcome outcome = program.measure(row, request);
  if (outcome.launch) return *outcome.launch;
  std::string advice;
  if (profiler == Profiler::callgrind &&
      outcome.failure.find("Illegal instruction") != std::string::npos)
    advice = "; Callgrind has no AVX-512: build for another CPU, or " + instead;
  if (profiler == Profiler::callgrind && outcome.failure.find("timed out") != std::string::npos)
    advice = "; it runs fifty times slower under Callgrind: " + instead + ", or take a smaller row";
  throw Error(fmt::format("{} cannot be recorded in {}: under {} {}{}", row,
                          program.path().string(), to_string(profiler), outcome.failure, advice));
}

}  // namespace

std::string valgrind_refusal() try {
  const ProcessResult result = run_process({"valgrind", "--tool=callgrind", "--version"}, 20);
  return result.ok() ? "" : "valgrind: " + result.describe();
} catch (const Error&) {
  return "valgrind is not installed (its package is called so)";
}

std::string perf_refusal() try {
  const ScratchFolder scratch;
  const ProcessResult result = run_process(
      {"perf", "record", "--quiet", "--output=" + (scratch.path() / "perf").string(), "--", "true"},
      20);
  return result.ok() ? "" : "perf record is not allowed here: " + result.describe();
} catch (const Error&) {
  return "perf is not installed (package linux-perf or linux-tools)";
}

Profiler choose_profiler(const std::optional<Profiler>& wanted, bool kernels, std::string& why) {
  if (wanted.value_or(kernels ? Profiler::ncu : Profiler::perf) == Profiler::ncu) {
    if (const std::string refusal = ncu_refusal(); !refusal.empty()) throw Error(refusal);
    return Profiler::ncu;
  }
  if (wanted == Profiler::callgrind) {
    if (const std::string refusal = valgrind_refusal(); !refusal.empty()) throw Error(refusal);
    return Profiler::callgrind;
  }
  why = perf_refusal();
  if (why.empty()) return Profiler::perf;
  if (wanted) throw Error(why + "; --tool callgrind counts instructions");
  const std::string refusal = valgrind_refusal();
  if (refusal.empty()) return Profiler::callgrind;
  throw Error(fmt::format("nothing can record the row here: {}; {}", why, refusal));
}

Profile record_row(const ProgramOptions& program, const RowId& row, Profiler profiler, double calls,
                   const std::string& instead) {
  const ScratchFolder scratch;
  const fs::path data = scratch.path() / "profile";
  const bool own = knows_ratchet(program.program);
  ProgramOptions options = program;
  options.launch_limit_s = limit_s;
  options.under = prefix(profiler, data, !own);
  const std::unique_ptr<BenchProgram> opened = open_program(options);
  const std::string what = opened->path().string();
  const std::vector<RowId> rows = opened->list().rows;
  if (std::find(rows.begin(), rows.end(), row) == rows.end())
    throw Error(fmt::format("{} has no row {}: both builds need it", what, row));
  LaunchRequest request{.budget_s = profiler == Profiler::perf ? perf_s : callgrind_s,
                        .verified_file = scratch.path() / "verified",
                        .scratch = scratch.path() / "out.json",
                        .cpu = {}};
  request.calls = static_cast<std::int64_t>(calls);
  if (own) write_atomically(request.verified_file, opened->check(row.stage()).line + "\n");
  const Launch launch = launched(*opened, row, profiler, request, instead);
  Profile profile;
  if (profiler == Profiler::perf) {
    profile.stacks = in_the_loop(perf_stacks(data, what), what);
    for (const auto& [stack, cost] : profile.stacks) profile.samples += cost.count;
    // perf samples the CPU; Google Benchmark's own figure of ratchet's rows is of another loop.
    const double call_ms = own || launch.cpu_ms <= 0 ? launch.real_ms : launch.cpu_ms;
    scale(profile.stacks, call_ms * 1e6 / profile.total());
    if (!own) profile.calls = static_cast<double>(launch.iterations);
    return profile;
  }
  const Recorded all =
      own ? read_callgrind(read_text(data), data.string()) : last_loop(data, threads_of(row), what);
  profile.stacks = in_the_loop(all, what);
  profile.calls = own ? timed_runs(all) : static_cast<double>(launch.iterations);
  if (profile.calls <= 0) throw Error(fmt::format("{}: Callgrind saw no run of {}", what, row));
  scale(profile.stacks, 1 / profile.calls);
  return profile;
}

}  // namespace ratchet::gate
