// ratchet-bench: every stage of the registry as a Google Benchmark row.
//
// Google Benchmark's own loop would choose iterations by CPU time and repeat without warming up; so
// each row runs as one iteration whose manual time is the median that perf/timing arrived at.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>

#include "kernels/support/error.h"
#include "perf/baseline/fingerprint.h"
#include "perf/bench/options.h"
#include "perf/bench/reporters.h"
#include "perf/bench/row_log.h"
#include "perf/bench/rows.h"
#include "perf/bench/run_row.h"
#include "perf/bench/verification.h"

namespace ratchet::bench {
namespace {

/// Unavailable stages are news only to those who asked for them.
void tell_unavailable(const Selection& selection, const Options& options) {
  if (options.filter.empty() && !selection.rows.empty()) return;
  for (const std::string& line : selection.unavailable)
    std::fprintf(stderr, "ratchet-bench: unavailable: %s\n", line.c_str());
}

int list(const Selection& selection) {
  for (const Row& row : selection.rows) std::printf("%s\n", row.name.c_str());
  return 0;
}

int check(const Selection& selection) {
  bool all_passed = true;
  const Stage* last = nullptr;
  for (const Row& row : selection.rows) {
    if (row.stage == last) continue;  // sweep points share the stage's check
    last = row.stage;
    const CheckResult result = quick_check(*row.stage);
    std::printf("%s\n", check_line(*row.stage, result).c_str());
    std::fflush(stdout);
    all_passed = all_passed && result.passed;
  }
  return static_cast<int>(all_passed ? ExitCode::pass : ExitCode::failed);
}

/// The context. Asking for the GPU starts its driver, which a CPU row need not wait for; OpenCL is
/// asked for its rows alone.
std::map<std::string, std::string> fields_for(const Selection& selection, const Options& options) {
  bool gpu = !options.fingerprint_needed, opencl = false;
  for (const Row& row : selection.rows) {
    gpu = gpu || device_of(row.stage->info().name) != Device::cpu;
    opencl = opencl || row.stage->info().backend == Backend::opencl;
  }
  auto fields = cpu_fields();
  fields.merge(build_fields());
  if (gpu) fields.merge(gpu_fields());
  if (opencl) fields.merge(opencl_fields());
  return fields;
}

int time_rows(const Selection& selection, const Options& options) {
  RowRunner runner(options);
  for (const Row& row : selection.rows)
    benchmark::RegisterBenchmark(
        row.name.c_str(), [&runner, &row](benchmark::State& state) { runner.run(state, row); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  for (const auto& [key, value] : fields_for(selection, options))
    benchmark::AddCustomContext(key, value);
  std::optional<RowLog> log;
  if (!options.rows_file.empty()) log.emplace(options.rows_file);
  const auto display = make_reporter(options.format, runner.cpu_seconds(), log ? &*log : nullptr);
  const auto file =
      options.out.empty() ? nullptr : make_reporter(options.out_format, runner.cpu_seconds());
  benchmark::RunSpecifiedBenchmarks(display.get(), file.get(), ".");
  benchmark::Shutdown();
  if (log && !log->good())
    throw Error("--ratchet_rows: writing " + options.rows_file + " failed; is the disk full?");
  return static_cast<int>(runner.failures() == 0 ? ExitCode::pass : ExitCode::failed);
}

int run(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  if (options.help) {
    std::fputs(help_text(), stdout);
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return static_cast<int>(ExitCode::failed);
  const Selection selection = select_rows(options);
  tell_unavailable(selection, options);
  if (selection.rows.empty()) return static_cast<int>(ExitCode::nothing_ran);
  if (options.list) return list(selection);
  return options.check_only ? check(selection) : time_rows(selection, options);
}

}  // namespace
}  // namespace ratchet::bench

int main(int argc, char** argv) {
  try {
    return ratchet::bench::run(argc, argv);
  } catch (const ratchet::Error& error) {
    std::fprintf(stderr, "ratchet-bench: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ratchet-bench: %s\n", error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
