#include "perf/measure/interleaving.h"

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "perf/measure/bench/run_row.h"
#include "perf/measure/nvtx.h"
#include "perf/support/error.h"
#include "perf/support/machine/cpu_affinity.h"
#include "perf/support/printable.h"

namespace ratchet::bench {
namespace {

[[noreturn]] void refuse(const std::string& line) {
  throw Error("--ratchet_interleaved: '" + printable(line, 80) +
              "' came on stdin instead of go COUNT, pause BEGIN END or end");
}

/// The next command; throws when there is none.
timing::SliceCommand next_command() {
  std::string line;
  if (!std::getline(std::cin, line))
    throw Error(
        "--ratchet_interleaved: stdin ended; only the gate uses this flag and writes to it");
  const auto command = timing::read_command(line);
  if (!command) refuse(line);
  return *command;
}

std::size_t read_go() {
  const timing::SliceCommand command = next_command();
  if (const auto* go = std::get_if<timing::Go>(&command)) return go->samples;
  refuse(timing::to_line(command));
}

/// The number of runs to follow, 0 at the end. Adds the pauses reported before it.
std::size_t read_next(std::vector<timing::Pause>& pauses) {
  for (;;) {
    const timing::SliceCommand command = next_command();
    if (const auto* go = std::get_if<timing::Go>(&command)) return go->samples;
    if (const auto* pause = std::get_if<timing::Pause>(&command))
      pauses.push_back(*pause);
    else
      return 0;
  }
}

void write_line(const timing::SliceAnswer& answer) {
  std::printf("%s\n", timing::to_line(answer).c_str());
  std::fflush(stdout);
}

}  // namespace

timing::Measurement measure_interleaved(Instance& instance, const SliceOptions& options) {
  timing::Measurement result;
  result.quantile = timing::kCpuQuantile;
  result.warmup_end = timing::WarmupEnd::skipped;
  result.stop = timing::StopReason::samples;
  double call_s = 0;
  if (options.warm_up) {
    const timing::NvtxRange range("warm-up");
    const timing::Run run = timing::time_run(instance);
    call_s =
        options.one_thread ? run.thread_s : 1e-9 * static_cast<double>(run.end_ns - run.begin_ns);
    result.warmup_samples = 1;
  }
  write_line(timing::Ready{call_s});
  std::size_t count = read_go();
  // Not earlier: until here both processes of the pair may use all CPUs.
  std::optional<timing::CpuPin> pin;
  if (options.one_thread) pin.emplace();
  std::vector<timing::Run> runs;
  std::vector<timing::Pause> pauses;
  std::size_t slices = 0;
  for (; count > 0; count = read_next(pauses), ++slices) {
    runs.reserve(runs.size() + count);
    for (std::size_t i = 0; i < count; ++i) {
      const timing::NvtxRange range("sample");
      runs.push_back(timing::time_run(instance));
    }
    write_line(timing::Done{});
  }
  result.samples = timing::samples_of_slices(runs, pauses, options.one_thread);
  result.summary = timing::summarize_slices(result.samples);
  result.slices = slices + pauses.size();
  return result;
}

}  // namespace ratchet::bench
