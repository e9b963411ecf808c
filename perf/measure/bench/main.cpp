// ratchet-bench: every stage of the registry as a Google Benchmark row.
//
// Google Benchmark's own loop chooses iterations by CPU time and repeats without warming up. So
// each row runs as one iteration, whose manual time is the quantile that perf/measure/sampling
// measured.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/observer.h"
#include "perf/identity/build/build_options.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/measure/bench/options.h"
#include "perf/measure/bench/row_report.h"
#include "perf/measure/bench/rows.h"
#include "perf/measure/bench/run_row.h"
#include "perf/measure/bench/verification.h"
#include "perf/measure/nvtx.h"
#include "perf/measure/timers/timer.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"

namespace ratchet::bench {
namespace {

/// Lists unavailable stages only if the user selected them.
void tell_unavailable(const Selection& selection, const Options& options) {
  if (options.filter.empty() && !selection.rows.empty()) return;
  for (const std::string& line : selection.unavailable)
    std::fprintf(stderr, "ratchet-bench: unavailable: %s\n", line.c_str());
}

int list(const Selection& selection) {
  for (const StageRow& row : selection.rows) std::printf("%s\n", row.name.text().c_str());
  return 0;
}

int list_interleaved(const Selection& selection) {
  for (const StageRow& row : selection.rows)
    if (can_interleave(row))
      std::printf("%s\n", nlohmann::json({{"row", row.name},
                                          {"one_cpu", wants_one_cpu(row)},
                                          {"between_runs", true},
                                          {"one_at_a_time", works_one_at_a_time(row)}})
                              .dump()
                              .c_str());
  return 0;
}

int check(const Selection& selection) {
  bool all_passed = true;
  const Stage* last = nullptr;
  for (const StageRow& row : selection.rows) {
    if (row.stage == last) continue;  // the configurations of a sweep share the stage's check
    last = row.stage;
    const CheckResult result = quick_check(*row.stage);
    std::printf("%s\n", check_line(*row.stage, result).c_str());
    std::fflush(stdout);
    all_passed = all_passed && result.passed;
  }
  return static_cast<int>(all_passed ? ExitCode::pass : ExitCode::failed);
}

int verify_in_situ(const Selection& selection, const Options& options) {
  const RowRunner runner(options);
  bool all_right = true;
  for (const StageRow& row : selection.rows) {
    const InSituResult result = runner.point(row);
    std::printf("%s\n", point_line(row.name, result).c_str());
    std::fflush(stdout);
    all_right = all_right && result.state != InSituState::wrong;
  }
  return static_cast<int>(all_right ? ExitCode::pass : ExitCode::failed);
}

/// The context. Queries OpenCL only for OpenCL rows, since that starts drivers.
std::map<std::string, std::string> fields_for(const Selection& selection) {
  auto fields = fingerprint_fields();
  if (std::any_of(selection.rows.begin(), selection.rows.end(),
                  [](const StageRow& row) { return row.stage->info().backend == Backend::opencl; }))
    fields.merge(opencl_fields());
  return fields;
}

/// The context's key for the revision that measured a survey. Not a field of the fingerprint, since
/// measurements of two revisions are meant to be compared.
constexpr char kRevision[] = "ratchet.revision";

/// Whether the output is stored unmodified in baselines/<machine>/, as a survey or a sweep. The
/// gate's results go through `ratchet accept` instead.
bool is_to_be_kept(const Options& options) {
  return !options.out.empty() && (options.survey || !options.set.empty());
}

/// Google Benchmark writes one key per line; stored files have one launch per line.
void lay_out(const Options& options) {
  if (options.out_format != "json" || !std::filesystem::is_regular_file(options.out)) return;
  write_atomically(options.out, launches_text(read_json(options.out), options.out));
}

/// Prints the context, and the digest of each row, without running any.
int list_work(const Selection& selection, const Options& options) {
  std::printf("%s\n", nlohmann::json({{"context", fields_for(selection)}}).dump().c_str());
  for (const auto& [row, work] : work_of(selection, options))
    std::printf("%s\n", nlohmann::json({{"row", row},
                                        {"unit", find_stage(row.stage())->info().unit},
                                        {"work", work.digest},
                                        {"code", work.code},
                                        {"input", work.input},
                                        {"parameters", work.parameters}})
                            .dump()
                            .c_str());
  return 0;
}

int time_rows(const Selection& selection, const Options& options) {
  RowRunner runner(options);
  for (const StageRow& row : selection.rows)
    benchmark::RegisterBenchmark(
        row.name.text().c_str(),
        [&runner, &row](benchmark::State& state) { runner.run(state, row); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  for (const auto& [key, value] : fields_for(selection)) benchmark::AddCustomContext(key, value);
  if (is_to_be_kept(options))
    benchmark::AddCustomContext(kRevision, built_revision(own_executable()));
  const auto display = make_reporter(options.format, runner.cpu_seconds(), options.all_counters);
  const auto file =
      options.out.empty() ? nullptr : make_reporter(options.out_format, runner.cpu_seconds(), true);
  benchmark::RunSpecifiedBenchmarks(display.get(), file.get(), ".");
  benchmark::Shutdown();
  if (is_to_be_kept(options)) lay_out(options);
  return static_cast<int>(runner.failures() == 0 ? ExitCode::pass : ExitCode::failed);
}

/// Google Benchmark takes the defaults of its flags from the environment, and for a bad one prints
/// its usage.
void refuse_bad_environment() {
  const std::set<std::string> formats = {"console", "json", "csv"};
  const std::map<std::string, std::set<std::string>> values = {
      {"BENCHMARK_FORMAT", formats},
      {"BENCHMARK_OUT_FORMAT", formats},
      {"BENCHMARK_TIME_UNIT", {"ns", "us", "ms", "s"}},
      {"BENCHMARK_COLOR",
       {"auto", "true", "false", "yes", "no", "on", "off", "1", "0", "t", "f", "y", "n"}}};
  for (const auto& [name, allowed] : values)
    if (const char* value = std::getenv(name.c_str()); value && !allowed.contains(value))
      throw Error(
          fmt::format("the environment variable {} is \"{}\"; set it to one of {}, or unset it",
                      name, printable(value, 40), fmt::join(allowed, ", ")));
}

/// Throws Error for an unknown argument. Google Benchmark itself would print one line per argument
/// and exit with another code.
void initialize_google_benchmark(char* program, std::vector<std::string> arguments) {
  std::vector<char*> pointers = {program};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) throw Error(std::string("unknown argument: ") + pointers[1] + "; see --help");
}

/// Whether this process only checks. Its ranks read no options; checks may run while other
/// processes use the GPU, to which the observer of timed ranks would object.
bool times(int argc, char** argv) {
  return std::none_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument.starts_with("--ratchet_check_only") ||
           argument.starts_with("--ratchet_verify_in_situ");
  });
}

/// NVTX ranges of runs on every rank, named like the stage: only rank 0 makes the ranges of a row.
class RangesOfRuns final : public ranks::RunObserver {
 public:
  explicit RangesOfRuns(std::unique_ptr<ranks::RunObserver> other) : other_(std::move(other)) {}

  std::string objection() override { return other_->objection(); }
  void prepare(const std::string& stage) override {
    other_->prepare(stage);
    range_.emplace(stage);
  }
  void started() override { other_->started(); }
  ranks::DeviceSpan ended() override {
    range_.reset();
    return other_->ended();
  }

 private:
  std::unique_ptr<ranks::RunObserver> other_;
  std::optional<timing::NvtxRange> range_;
};

void observe_ranks() {
  if (auto observer = timing::make_ranks_observer())
    ranks::observe_runs(std::make_unique<RangesOfRuns>(std::move(observer)));
}

int run(int argc, char** argv) {
  refuse_bad_environment();
  const std::optional<Options> parsed = parse_options(argc, argv);
  if (!parsed) return 0;
  const Options& options = *parsed;
  initialize_google_benchmark(argv[0], options.google_benchmark);
  const Selection selection = select_rows(options);
  tell_unavailable(selection, options);
  if (selection.rows.empty()) return static_cast<int>(ExitCode::nothing_ran);
  if (options.list) return list(selection);
  if (options.list_work) return list_work(selection, options);
  if (options.list_interleaved) return list_interleaved(selection);
  if (options.slices) require_interleaving(selection);
  if (options.verify_in_situ) return verify_in_situ(selection, options);
  return options.check_only ? check(selection) : time_rows(selection, options);
}

}  // namespace
}  // namespace ratchet::bench

int main(int argc, char** argv) {
  try {
    if (ratchet::bench::times(argc, argv)) ratchet::bench::observe_ranks();
    const ratchet::ranks::Session session;
    return ratchet::bench::run(argc, argv);
  } catch (const ratchet::Error& error) {
    std::fprintf(stderr, "ratchet-bench: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ratchet-bench: %s\n", error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
