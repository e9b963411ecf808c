#include "perf/gate/run/bench_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "perf/gate/run/worker_launch.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// "<program>: unavailable: <stage>: <reason>" on the worker's stderr.
void note_unavailable(const std::string& line, std::map<RowId, std::string>& into) {
  static const std::string mark = ": unavailable: ";
  const std::size_t start = line.find(mark);
  if (start == std::string::npos) return;
  const std::string rest = line.substr(start + mark.size());
  const std::size_t colon = rest.find(": ");
  into[rest.substr(0, colon)] =
      colon == std::string::npos ? "no reason given" : rest.substr(colon + 2);
}

}  // namespace

Environment LaunchRequest::environment() const {
  Environment variables;
  if (cpu) variables["RATCHET_CPU"] = std::to_string(*cpu);
  if (!gpu.empty()) variables["CUDA_VISIBLE_DEVICES"] = gpu;
  return variables;
}

std::string exact_filter(const std::string& name) { return exact_filter(std::vector<RowId>{name}); }

std::string exact_filter(const std::vector<RowId>& names) {
  // Google Benchmark's are POSIX extended expressions: there ] and } alone stand for themselves,
  // and to escape them is an error.
  std::string any;
  for (const RowId& name : names) {
    if (!any.empty()) any += '|';
    for (const char c : name.text()) {
      if (std::string_view(".+*?()[{|^$\\").find(c) != std::string_view::npos) any += '\\';
      any += c;
    }
  }
  return names.size() == 1 ? "^" + any + "$" : "^(" + any + ")$";
}

fs::path executable(const fs::path& program) {
  // The command line can be built without ratchet's own kernels, and then knows no program.
  if (!fs::exists(program) && program.filename() == "ratchet-bench" &&
      program.parent_path() == own_executable().parent_path())
    throw Error("no benchmark program is named: --bench FILE, of Google Benchmark or nvbench");
  if (fs::is_directory(program))
    throw Error(program.string() +
                " is a folder; name the benchmark program in it (--bench or --exec)");
  if (!fs::is_regular_file(program))
    throw Error(fmt::format(
        "there is no benchmark program {}; build it, or name another (--bench or --exec)",
        program.string()));
  if (access(program.c_str(), X_OK) != 0)
    throw Error(program.string() +
                " cannot be executed; name a benchmark program (--bench or --exec)");
  return plain_path(program);
}

std::string name_of_command(const std::string& command) {
  std::istringstream words(command);
  std::string first;
  for (std::string word; words >> word;) {
    std::error_code ignored;
    if (fs::is_regular_file(word, ignored)) return fs::path(word).filename().string();
    if (first.empty()) first = fs::path(word).filename().string();
  }
  return first;
}

ProgramOptions ProgramOptions::of_base(const fs::path& built) const {
  ProgramOptions base = *this;
  base.program = built;
  base.check_command.clear();
  base.peaks_file.clear();
  base.require_metrics = false;
  return base;
}

RatchetProgram::RatchetProgram(ProgramOptions options) : options_(std::move(options)) {
  options_.program = executable(options_.program);
}

Listing RatchetProgram::list(const std::string& filter) const {
  std::vector<std::string> command = {options_.program.string(), "--benchmark_list_tests=true",
                                      "--benchmark_filter=" + filter};
  // Parameters of the stages are part of the names.
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  const ProcessResult result = run_process(command, options_.launch_limit_s);
  Listing listing;
  for (const std::string& line : lines_of(result.errors))
    note_unavailable(line, listing.unavailable);
  listing.program = options_.program.string();
  const bool nothing = result.exit_code == static_cast<int>(ExitCode::nothing_ran);
  if (!result.ok() && !nothing)
    throw Error(fmt::format("{} cannot list its benchmarks: {}", options_.program.string(),
                            result.describe()));
  for (const std::string& line : lines_of(result.output)) listing.rows.push_back(plain_name(line));
  return listing;
}

/// A program that does not know the flag (the base of a comparison may be old) knows no digests.
CodeIdentity RatchetProgram::code_identity() const {
  std::vector<std::string> command = {options_.program.string(), "--ratchet_list_work=true",
                                      "--benchmark_filter=."};
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  const ProcessResult result = run_process(command, options_.launch_limit_s);
  CodeIdentity work;
  if (!result.ok()) return work;
  for (const std::string& line : lines_of(result.output)) {
    const json parsed = json::parse(line, nullptr, false);
    if (parsed.is_object() && parsed.contains("context")) {
      work.context = parsed["context"];
      continue;
    }
    if (!parsed.is_object() || !parsed.value("row", json()).is_string() ||
        !parsed.value("work", json()).is_string())
      throw Error(fmt::format("{} --ratchet_list_work printed a line without a digest: {}",
                              options_.program.string(), line));
    const RowId row = parsed["row"].get<RowId>();
    work.digests[row] = parsed["work"];
    if (parsed.value("unit", json()).is_string())
      work.units[row] = printable(parsed["unit"].get<std::string>(), 40);
  }
  return work;
}

CheckOutcome RatchetProgram::check(const std::string& stage) const {
  // The stage's own row stands for its sweep: one check covers all points. Of a survey's rows it
  // need not be one.
  const std::string filter = options_.flags.empty() ? exact_filter(stage) : stage;
  std::vector<std::string> command = {options_.program.string(), "--ratchet_check_only=true",
                                      "--benchmark_filter=" + filter};
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  const ProcessResult result = run_process(command, options_.check_limit_s);
  for (const std::string& line : lines_of(result.output)) {
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object() || parsed.value("name", json()) != stage) continue;
    const json detail = parsed.value("detail", json(""));
    const bool passed = parsed.value("passed", json()) == true;
    CheckOutcome outcome{passed, detail.is_string() ? detail.get<std::string>() : "", line};
    if (passed && !result.ok())
      return {false, "the check passed, but its program failed: " + result.describe(), ""};
    return outcome;
  }
  if (result.exit_code == static_cast<int>(ExitCode::failed))  // as it would for every stage
    throw Error(fmt::format("{} cannot check {}: {}", options_.program.string(), stage,
                            result.last_error()));
  return {false, "the check gave no result: " + result.describe(), ""};
}

std::map<RowId, CheckOutcome> BenchProgram::verify_in_situ(const std::vector<RowId>&,
                                                           double) const {
  return {};
}

std::map<RowId, CheckOutcome> RatchetProgram::verify_in_situ(const std::vector<RowId>& rows,
                                                             double seconds) const {
  std::map<RowId, CheckOutcome> outcomes;
  for (const auto& [ranks, of_job] : by_ranks(rows))
    outcomes.merge(verify_in_situ_on(ranks, of_job, seconds));
  return outcomes;
}

/// A program that does not know the flag says so, and checks no points.
std::map<RowId, CheckOutcome> RatchetProgram::verify_in_situ_on(std::uint64_t ranks,
                                                                const std::vector<RowId>& rows,
                                                                double seconds) const {
  std::vector<std::string> command = {options_.program.string(), "--ratchet_verify_in_situ=true",
                                      fmt::format("--ratchet_verify_in_situ_s={:.3f}", seconds),
                                      "--benchmark_filter=" + exact_filter(rows)};
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  const ProcessResult result = run_ranks(ranks, command, options_.check_limit_s);
  if (result.errors.find("unknown flag: --ratchet_verify_in_situ") != std::string::npos) return {};
  std::map<RowId, CheckOutcome> outcomes;
  for (const RowId& row : rows)
    outcomes[row] = {false, "the in-situ check gave no result: " + result.describe(), ""};
  for (const std::string& line : lines_of(result.output)) {
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object() || !parsed.value("row", json()).is_string()) continue;
    const auto row = outcomes.find(parsed["row"].get<RowId>());
    if (row == outcomes.end()) continue;
    const json detail = parsed.value("detail", json(""));
    const bool wrong = parsed.value("state", json("wrong")) == "wrong";
    row->second = {!wrong, detail.is_string() ? detail.get<std::string>() : "", line};
  }
  return outcomes;
}

LaunchOutcome RatchetProgram::measure(const RowId& row, const LaunchRequest& request) const {
  return measure_together({row}, request).at(row);
}

std::map<RowId, LaunchOutcome> BenchProgram::measure_together(const std::vector<RowId>& rows,
                                                              const LaunchRequest& request) const {
  std::map<RowId, LaunchOutcome> outcomes;
  for (const RowId& row : rows) outcomes[row] = measure(row, request);
  return outcomes;
}

std::unique_ptr<SlicedLaunch> BenchProgram::launch_interleaved(const RowId& row,
                                                               const LaunchRequest&) const {
  throw Error(path().string() + " cannot interleave launches of " + row.text());
}

std::map<RowId, LaunchOutcome> RatchetProgram::measure_together(
    const std::vector<RowId>& rows, const LaunchRequest& request) const {
  std::map<RowId, LaunchOutcome> outcomes;
  for (const auto& [ranks, of_job] : by_ranks(rows))
    outcomes.merge(measure_on(ranks, of_job, request));
  return outcomes;
}

std::map<RowId, LaunchOutcome> RatchetProgram::measure_on(std::uint64_t ranks,
                                                          const std::vector<RowId>& rows,
                                                          const LaunchRequest& request) const {
  std::vector<std::string> command = launch_command(rows, request);
  command.push_back(fmt::format("--ratchet_budget_s={:.3f}", request.budget_s));
  const double limit_s = options_.launch_limit_s * static_cast<double>(rows.size());
  const ProcessResult result = run_ranks(ranks, command, limit_s, request.environment());
  return read_outcomes(result, request.scratch, rows);
}

std::vector<std::string> RatchetProgram::launch_command(const std::vector<RowId>& rows,
                                                        const LaunchRequest& request) const {
  std::vector<std::string> command = options_.under;
  command.insert(
      command.end(),
      {options_.program.string(), "--benchmark_filter=" + exact_filter(rows),
       "--benchmark_out=" + request.scratch.string(), "--benchmark_out_format=json",
       "--ratchet_skip_check=true", "--ratchet_verified=" + request.verified_file.string()});
  if (!options_.peaks_file.empty())
    command.push_back("--ratchet_peaks=" + options_.peaks_file.string());
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  std::error_code ignored;
  fs::remove(request.scratch, ignored);  // an old output must not pass for this launch's
  return command;
}

/// A program that does not know the flag cannot be interleaved.
std::map<RowId, Cpus> RatchetProgram::interleaved_rows() const {
  std::vector<std::string> command = {options_.program.string(), "--ratchet_list_interleaved=true",
                                      "--benchmark_filter=."};
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  const ProcessResult result = run_process(command, options_.launch_limit_s);
  std::map<RowId, Cpus> rows;
  if (!result.ok()) return rows;
  for (const std::string& line : lines_of(result.output)) {
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object() || !parsed.value("row", json()).is_string() ||
        !parsed.value("one_cpu", json()).is_boolean())
      throw Error(fmt::format("{} --ratchet_list_interleaved printed a line without a row: {}",
                              options_.program.string(), line));
    const auto says = [&](const char* what) { return parsed.value(what, json()) == true; };
    rows[parsed["row"].get<RowId>()] = says("one_cpu")         ? Cpus::one
                                       : says("one_at_a_time") ? Cpus::one_for_all_threads
                                       : says("between_runs")  ? Cpus::all_between_runs
                                                               : Cpus::all;
  }
  return rows;
}

std::unique_ptr<SlicedLaunch> RatchetProgram::launch_interleaved(
    const RowId& row, const LaunchRequest& request) const {
  std::vector<std::string> command = launch_command({row}, request);
  command.push_back("--ratchet_interleaved=true");
  if (!request.warm_up) command.push_back("--ratchet_skip_warm_up=true");
  if (!on_one_cpu(request.cpus)) {
    command.push_back("--ratchet_samples=" + samples_file(request).string());
    std::error_code ignored;
    fs::remove(samples_file(request), ignored);  // a worker appends to it
  }
  return std::make_unique<WorkerLaunch>(row, command, request, options_.launch_limit_s);
}

}  // namespace ratchet::gate
