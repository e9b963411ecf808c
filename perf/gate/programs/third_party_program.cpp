#include "perf/gate/programs/third_party_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <future>
#include <sstream>

#include "kernels/contract/counted.h"
#include "perf/identity/digests/row_digest.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"
#include "perf/support/machine/cpu_affinity.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

/// Of a program that ended by itself with its file unfinished: it may have caught an exception of
/// its own, and said so on stdout.
std::string ended_early(const ProcessResult& process) {
  std::string last = process.last_error();
  const std::string& out = process.output;
  const std::size_t end = out.find_last_not_of(" \t\r\n");
  if (last.empty() && end != std::string::npos) {
    const std::size_t begin = out.rfind('\n', end) + 1;
    last = out.substr(begin, end + 1 - begin);
  }
  return "the program ended before it had written all of its results" +
         (last.empty() ? "" : "; it printed last: " + printable(last, 200));
}

/// Without its number among benchmarks of one name.
std::string base_name(const std::string& numbered) {
  const std::size_t mark = numbered.rfind('#');
  const bool number = mark != std::string::npos &&
                      numbered.find_first_not_of("0123456789", mark + 1) == std::string::npos;
  return plain_name(number ? numbered.substr(0, mark) : numbered);
}

bool contains(const fs::path& file, const std::string& word) {
  std::ifstream stream(file, std::ios::binary);
  std::string window;
  std::vector<char> buffer(1 << 20);
  while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         stream.gcount() > 0) {
    window.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    if (window.find(word) != std::string::npos) return true;
    window.erase(0, window.size() - std::min(window.size(), word.size()));
  }
  return false;
}

/// The last lines of what a failed check printed: `ctest` names the tests that failed on stdout.
/// `known`: a line that the error says, too.
void say_end_of(const std::string& printed, const std::string& known,
                const std::function<void(const std::string&)>& say) {
  constexpr std::size_t most = 20;
  if (!say) return;
  std::deque<std::string> end;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    end.push_back(line);
    if (end.size() > most) end.pop_front();
  }
  if (!end.empty() && end.back() == known) end.pop_back();
  for (const std::string& line : end) say("check: " + line);
}

/// What `ctest` says of the tests that failed, and where its log lies; empty of other commands.
std::string failed_tests(const std::string& printed) {
  std::string names, log;
  bool listed = false;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    const std::string place = "Output from these tests are in: ";
    if (line.starts_with(place)) log = "; its log is " + line.substr(place.size());
    if (line.starts_with("The following tests FAILED:")) {
      listed = true;
      continue;
    }
    const std::size_t dash = line.find(" - "), end = line.rfind(" (");
    listed = listed && dash != line.npos && end != line.npos && dash < end;
    if (listed) names += (names.empty() ? "" : ", ") + line.substr(dash + 3, end - dash - 3);
  }
  return names.empty() ? "" : "failed: " + names + log;
}

constexpr char wrote_nothing[] =
    "wrote no output; is it a Google Benchmark or nvbench program, and does it accept their flags?";

/// Asks a program things that take no time, in one limit for all of them.
class Probes {
 public:
  Probes(const fs::path& program, double limit_s,
         const std::function<void(const std::string&)>& say)
      : program_(program), limit_s_(limit_s), until_s_(seconds_now() + limit_s), say_(say) {}

  /// Throws `Error` where the program does not end in time.
  ProcessResult run(const std::vector<std::string>& command) const {
    constexpr auto timeout = std::chrono::seconds(3);
    const Phase asking("asking " + shown_path(program_) + " for its benchmarks");
    const double left_s = std::max(0.01, until_s_ - seconds_now());
    auto running = std::async(std::launch::async, [&] { return run_process(command, left_s); });
    if (running.wait_for(timeout) != std::future_status::ready && say_)
      say_(fmt::format("{} is listing its benchmarks, waiting {:.0f} s at most: {}",
                       program_.string(), limit_s_, fmt::join(command, " ")));
    ProcessResult result = running.get();
    if (result.timed_out)
      throw Error(
          fmt::format("{} did not list its benchmarks within {:.0f} s: {}; does it accept the "
                      "flags of Google Benchmark or nvbench? --launch-limit-s gives it more time",
                      program_.string(), limit_s_, fmt::join(command, " ")));
    return result;
  }

 private:
  const fs::path program_;
  double limit_s_, until_s_;
  std::function<void(const std::string&)> say_;
};

/// What the collector leaves of a launch.
fs::path collected_by(const fs::path& scratch) { return scratch.string() + ".device"; }

/// Removes what an earlier launch left: it must not pass for this one's.
void remove_output(const fs::path& scratch, const ProgramFormat& format) {
  std::error_code ignored;
  fs::remove(scratch, ignored);
  fs::remove(collected_by(scratch), ignored);
  for (const fs::path& side : format.side_files(scratch)) fs::remove_all(side, ignored);
}

}  // namespace

std::size_t threads_of(const RowId& name) {
  const std::string row = name.text();
  const std::string_view key = "/threads:";
  const std::size_t place = row.find(key);
  return place == row.npos ? 1 : std::strtoull(row.c_str() + place + key.size(), nullptr, 10);
}

bool is_machine_code(const fs::path& program) {
  std::string begin(4, '\0');
  std::ifstream(program, std::ios::binary).read(begin.data(), 4);
  return begin == "\177ELF";
}

bool has_device_code(const fs::path& program) {
  return is_machine_code(program) && contains(program, ".nv_fatbin");
}

ThirdPartyProgram::ThirdPartyProgram(ProgramOptions program) : program_(std::move(program)) {
  program_.program = executable(program_.program);
  for (const std::string& word : program_.arguments)
    if (word == "--benchmark_filter" || word.starts_with("--benchmark_filter="))
      throw Error("-- " + word +
                  " chooses nothing, because each launch is told its row; name rows as ROWS or "
                  "with --filter in place of it");
  for (const std::string& word : program_.arguments)
    if (word == "--benchmark_list_tests" || (word.starts_with("--benchmark_list_tests=") &&
                                             !word.ends_with("=false") && !word.ends_with("=0")))
      throw Error("-- " + word +
                  " makes every launch list its rows and measure none; leave it out, `" +
                  program_.program.string() + " " + word + "` lists them");
  static std::set<std::string> told;  // both builds of a gate get the same words
  for (const std::string& word : program_.arguments)
    for (const char* own : {"repetitions", "report_aggregates_only", "min_time", "min_warmup_time",
                            "out", "out_format", "format"})
      if (program_.say && word.substr(0, word.find('=')) == std::string("--benchmark_") + own &&
          told.insert(word).second)
        program_.say("-- " + word + " has no effect: each launch is told this by ratchet");
  const Probes probes(program_.program, std::max(program_.list_limit_s, program_.launch_limit_s),
                      program_.say);
  const Ask ask = [&](const std::vector<std::string>& flags) { return probes.run(command(flags)); };
  // Without the arguments: they may not be for listing, and choose nothing here.
  nvbench_ = is_nvbench([&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), program_.program.string());
    return probes.run(flags);
  });
  if (program_.device_time && nvbench_)
    throw Error(
        "--device-time is for Google Benchmark programs; leave it out, nvbench times the GPU "
        "itself");
  if (program_.device_time && program_.clock != ClockChoice::automatic)
    throw Error("--clock and --device-time name two clocks; leave one of them out");
  if (nvbench_ && program_.clock == ClockChoice::wall)
    throw Error(
        "--clock wall is for Google Benchmark programs; leave it out, nvbench times the GPU");
  if (program_.device_time) collector_ = find_collector();
  format_ =
      nvbench_ ? nvbench_format(program_.arguments) : google_benchmark_format(program_.device_time);
  try {
    read_rows(format_->list(ask, program_.filter));
  } catch (const Error& error) {
    const std::string why = error.what();
    const bool ended = why.find("exited with code") != std::string::npos ||
                       why.find("killed") != std::string::npos;
    throw Error(fmt::format("{} cannot list its benchmarks: {}{}", program_.program.string(), why,
                            ended ? ""
                                  : "; a program that is neither Google Benchmark's nor nvbench's "
                                    "is measured with `ratchet gate --exec`"));
  }
  find_metrics();
}

void ThirdPartyProgram::read_rows(const std::vector<std::string>& names) {
  const std::vector<std::string> numbered = numbered_names(names);
  std::map<std::string, int> times;
  for (const std::string& name : numbered) ++times[plain_name(name)];
  listing_.name = program_.name;
  listing_.program = program_.program.string();
  if (nvbench_) listing_.list_flag = "--list";
  const std::string before = program_.name.empty() ? "" : program_.name + "/";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string plain = plain_name(numbered[i]);
    const std::string row = storable_name(before + (times[plain] == 1 ? plain : numbered[i]));
    benchmarks_[row] = {i, numbered[i]};
    listing_.rows.push_back(row);
  }
}

/// The one row of this numbered name; others of its name are of other benchmarks.
void ThirdPartyProgram::read_launch(const fs::path& file, std::size_t benchmark,
                                    const ProcessResult& process, Launched& launched) const {
  LaunchOutcome& outcome = launched.outcome;
  const std::string name = format_->name_in_output(benchmark);
  nlohmann::json output = format_->read_output(file);
  if (program_.device_time) put_device_time(output, collected_by(file));
  ThirdPartyMeasurements found = parse_third_party(output, "its output", {program_.clock});
  const auto& rows = found.measured.rows;
  const auto is_it = [&](const auto& row) {
    return plain_name(row.first) == plain_name(name) || row.first == storable_name(name) ||
           row.first == storable_name(plain_name(name));
  };
  const auto failed = std::find_if(found.failures.begin(), found.failures.end(), is_it);
  if (failed != found.failures.end()) {
    outcome.skipped = found.skipped.count(failed->first) > 0;
    throw Error(failed->second);
  }
  if (rows.empty()) throw Error("the program's output has no row of this name");
  const auto row = std::find_if(rows.begin(), rows.end(), is_it);
  if (row == rows.end())
    throw Error("the program's output has another row, " + rows.begin()->first.text());
  for (const auto& [other, launches] : rows)  // a filter that is not heeded times everything
    if (other != row->first && base_name(other) != base_name(name) &&
        base_name(other) != storable_name(base_name(name)))
      throw Error(
          "the program ignored the filter: its output has more rows than this one; its main has to "
          "call benchmark::Initialize(&argc, argv)");
  outcome.context = found.measured.context;
  launched.repetitions = row->second;
  Row median = row->second;
  median.launches = {median_launch(row->second)};
  if (program_.clock == ClockChoice::automatic && median.clock == Clock::cpu &&
      mainly_waits(median.launches.front(), process.scheduled))
    median = by_clock(median, Clock::waits);
  outcome.basis = median.basis;
  outcome.clock = median.clock;
  outcome.clock_named = median.clock_named;
  outcome.launch = median.launches.front();
  outcome.launch->index = 0;
  if (const auto share =
          queued_share(*outcome.launch, median.clock, process.scheduled, process.seconds);
      share && threads_of(row->first) <= timing::allowed_cpus().size())
    outcome.launch->counters[counter::queued] = *share;
}

CodeIdentity ThirdPartyProgram::code_identity() const {
  CodeIdentity work;
  work.context = nlohmann::json::object();
  for (const auto& [key, value] : machine_fields()) work.context[key] = value;
  for (const auto& [row, of] : metrics_) work.units[row] = of.metric.kind.text();
  const auto program = counters::program_digest(program_.program);
  if (!program) return work;
  for (const auto& [row, benchmark] : benchmarks_)
    work.digests[row] = sha1(*program + "\n" + arguments() + benchmark.numbered);
  for (const auto& [row, of] : metrics_)
    work.digests[row] = of.row.empty() ? sha1(*program) : work.digests.at(of.row);
  return work;
}

bool ThirdPartyProgram::recordable() const { return is_machine_code(program_.program); }

bool ThirdPartyProgram::on_gpu() const {
  return nvbench_ || program_.device_time || has_device_code(program_.program);
}

std::string ThirdPartyProgram::not_on_cpu() const {
  const std::string program = program_.program.string();
  if (on_gpu()) return program + " runs on a GPU";
  return is_machine_code(program_.program) ? "" : program + " is a script";
}

bool ThirdPartyProgram::takes_calls(const RowId& row) const {
  return format_->takes_calls(benchmarks_.at(row).index);
}

bool ThirdPartyProgram::states_calls(const RowId& row) const {
  return benchmarks_.at(row).numbered.find("/iterations:") != std::string::npos;
}

std::vector<std::string> ThirdPartyProgram::run_once(const RowId& row) const {
  if (!nvbench_) return {};
  std::vector<std::string> words = run_alone(row);
  words.push_back("--profile");
  return words;
}

std::string ThirdPartyProgram::arguments() const {
  std::string all;
  for (const std::string& argument : program_.arguments) all += argument + "\n";
  return all;
}

/// What a row executes tells its counters, but neither the memory of its process, which has the
/// rest of the program, nor the program's size.
std::map<RowId, std::string> ThirdPartyProgram::row_digests(
    const std::set<RowId>& rows, const std::function<void(const std::string&)>& say) const {
  std::map<RowId, RowId> executed;
  for (const RowId& row : rows) {
    const auto of = metrics_.find(row);
    const auto of_process = [](const std::string& metric) {
      return metric == memory_metric || metric == device_memory_metric;
    };
    const bool followed =
        of == metrics_.end() || (!of_process(of->second.metric.name) && !of->second.row.empty());
    if (followed) executed[row] = benchmark_of(row);
  }
  std::set<RowId> benchmarks;
  for (const auto& [row, benchmark] : executed) benchmarks.insert(benchmark);
  const Phase reading("reading the functions of " + shown_path(program_.program));
  const auto known = digests_of_benchmarks(benchmarks, say);
  std::map<RowId, std::string> digests;
  for (const auto& [row, benchmark] : executed)
    if (const auto digest = known.find(benchmark); digest != known.end())
      digests[row] = digest->second;
  return digests;
}

std::map<RowId, std::string> ThirdPartyProgram::digests_of_benchmarks(
    const std::set<RowId>& rows, const std::function<void(const std::string&)>& say) const {
  std::map<RowId, std::string> digests;
  std::map<std::string, std::set<RowId>> unknown;  // rows by the reason
  try {
    const counters::Link link = counters::link_of_program(program_.program);
    const ScratchFolder scratch;
    const LaunchRequest request{.budget_s = shortest_s,
                                .verified_file = {},
                                .scratch = scratch.path() / "out.json",
                                .cpu = {}};
    std::map<RowId, std::set<std::string>> functions;
    for (const RowId& row : rows) {
      const auto found = benchmarks_.find(row);
      if (found == benchmarks_.end()) continue;
      try {
        functions[row] = counters::entered_function(
            program_.program, command(format_->launch_flags(found->second.index, request)));
      } catch (const Error& error) {
        unknown[error.what()].insert(row);
      }
    }
    const auto known = counters::row_digests(program_.program, link, functions);
    for (const auto& [row, digest] : known.digests)
      digests[row] = sha1(digest + "\n" + arguments() + benchmarks_.at(row).numbered);
    for (const auto& [row, why] : known.unknown) unknown[why].insert(row);
  } catch (const Error& error) {
    unknown = {{error.what(), rows}};
    digests.clear();
  }
  for (const auto& [why, of] : unknown) {
    const std::string others = of.size() == 1 ? "" : " and " + counted(of.size() - 1, "other rows");
    say(fmt::format("what {}{} execute{} in {} cannot be followed, so the clock decides: {}",
                    *of.begin(), others, of.size() == 1 ? "s" : "", program_.program.string(),
                    why));
  }
  return digests;
}

std::vector<std::string> ThirdPartyProgram::command(const std::vector<std::string>& flags) const {
  std::vector<std::string> words = {program_.program.string()};
  words.insert(words.end(), program_.arguments.begin(), program_.arguments.end());
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

CheckOutcome CheckCommand::run(const ProgramOptions& program) const {
  if (program.check_command.empty())
    return {true, "no test checks the results of this program", ""};
  const std::lock_guard lock(mutex_);
  if (!outcome_) {
    const Phase checking("checking by " + program.check_command);
    const ProcessResult result =
        run_process({"sh", "-c", program.check_command}, program.check_limit_s);
    outcome_ = {result.ok(), program.check_command, ""};
    if (!result.ok()) {
      const std::string tests = failed_tests(result.output + "\n" + result.errors);
      say_end_of(result.output + result.errors, tests.empty() ? result.last_error() : "",
                 program.say);
      outcome_->detail =
          fmt::format("the check failed, so nothing was timed: {}: {}", program.check_command,
                      tests.empty() ? result.describe() : tests);
    }
  }
  if (!outcome_->passed) throw Error(outcome_->detail);
  return *outcome_;
}

ThirdPartyProgram::Launched ThirdPartyProgram::launch(const RowId& row,
                                                      const LaunchRequest& request) const {
  Launched launched;
  LaunchOutcome& outcome = launched.outcome;
  const auto name = benchmarks_.find(row);
  if (name == benchmarks_.end()) {
    outcome.failure = "the program lists no row of this name";
    return launched;
  }
  try {
    const auto flags = format_->launch_flags(name->second.index, request);
    remove_output(request.scratch, *format_);
    Environment environment;
    if (program_.device_time) environment = collecting(collector_, collected_by(request.scratch));
    std::vector<std::string> words = program_.under;
    for (std::string& word : command(flags)) words.push_back(std::move(word));
    if (!request.program.empty()) words[program_.under.size()] = request.program.string();
    const ProcessResult result = run_process(words, program_.launch_limit_s, environment);
    outcome.seconds = result.seconds;
    launched.peak_bytes = result.peak_bytes;
    if (program_.device_time && result.ok())
      require_cuda(program_.program, collected_by(request.scratch));
    std::error_code ignored;
    const bool crashed = result.signal != 0 || result.timed_out;
    if (crashed || !fs::exists(request.scratch) || fs::file_size(request.scratch, ignored) == 0) {
      if (!crashed) require_room(request.scratch);
      throw Error("the program " + (result.ok() ? wrote_nothing : result.describe()));
    }
    try {
      read_launch(request.scratch, name->second.index, result, launched);
    } catch (const Error& error) {
      if (outcome.skipped) throw;
      require_room(request.scratch);
      if (!result.ok())
        throw Error("the program " + result.describe());  // which left the output half written
      const auto* const broken = dynamic_cast<const NotJson*>(&error);
      if (broken && broken->cut_off) throw Error(ended_early(result));
      throw;
    }
    if (check_.passed()) outcome.launch->counters[counter::verified] = 1;
    if (!result.ok()) throw Error("the program wrote a row, but then: " + result.describe());
  } catch (const NoCuda&) {
    throw;  // every other row would fail alike
  } catch (const Error& error) {
    outcome.launch.reset();
    outcome.failure = error.what();
  }
  return launched;
}

bool knows_ratchet(const fs::path& program, double limit_s,
                   const std::function<void(const std::string&)>& say) {
  const std::string path = executable(program).string();
  const Probes probes(path, limit_s, say);
  const std::string flag = "ratchet_check_only";
  // Google Benchmark's own main() refuses flags that it does not know. A program that accepts the
  // flag must name it in its file or, being a script around one, in its help.
  const ProcessResult probe = probes.run(
      {path, "--" + flag + "=true", "--benchmark_list_tests=true", "--benchmark_filter=."});
  constexpr int nothing = static_cast<int>(ExitCode::nothing_ran);
  const bool nothing_here = probe.signal == 0 && probe.exit_code == nothing;
  if (!probe.ok() && !nothing_here) return false;
  return contains(path, flag) ||
         probes.run({path, "--help"}).output.find(flag) != std::string::npos;
}

std::unique_ptr<BenchProgram> open_program(const ProgramOptions& bench) {
  if (!bench.command.empty()) return std::make_unique<CommandProgram>(bench);
  if (!knows_ratchet(bench.program, list_limit_s(bench), bench.say)) {
    if (!bench.peaks_file.empty())
      throw Error(bench.program.string() +
                  " has no stages, whose share of a peak --peaks adds; leave --peaks out");
    return std::make_unique<ThirdPartyProgram>(bench);
  }
  if (!bench.metrics.empty())
    throw Error(
        bench.program.string() +
        " is a ratchet program, whose rows have their throughput alone; leave --metric out");
  if (bench.device_time)
    throw Error(
        bench.program.string() +
        " is a ratchet program, which times the GPU by CUPTI already; leave --device-time out");
  if (bench.clock != ClockChoice::automatic)
    throw Error(bench.program.string() +
                " is a ratchet program, whose stages have their clocks already; leave --clock out");
  if (!bench.check_command.empty())
    throw Error(bench.program.string() +
                " is a ratchet program, which checks its stages already; leave --check-cmd out");
  if (!bench.arguments.empty() || !bench.filter.empty())
    throw Error(bench.program.string() +
                " is a ratchet program, which takes no arguments after --; leave them out");
  return std::make_unique<RatchetProgram>(bench);
}

}  // namespace ratchet::gate
