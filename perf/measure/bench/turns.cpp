#include "perf/measure/bench/turns.h"

#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "perf/support/error.h"
#include "perf/support/printable.h"
#include "perf/support/machine/cpu_affinity.h"
#include "perf/measure/turns.h"

namespace ratchet::bench {
namespace {

[[noreturn]] void refuse(const std::string& line) {
  throw Error("--ratchet_turns: '" + printable(line, 80) +
              "' came on stdin instead of go COUNT, pause BEGIN END or end");
}

/// The next line in words; throws when there is none.
std::istringstream hear(std::string& line) {
  if (!std::getline(std::cin, line))
    throw Error("--ratchet_turns: stdin ended; it is for the gate, which says when to begin");
  return std::istringstream(line);
}

std::size_t hear_go() {
  std::string line, word;
  std::size_t count = 0;
  std::istringstream words = hear(line);
  if (!(words >> word >> count) || word != "go" || count == 0) refuse(line);
  return count;
}

/// How many runs are to follow, 0 at the end; what the process stood until then is added.
std::size_t hear_what_follows(std::vector<timing::Pause>& pauses) {
  for (;;) {
    std::string line, word;
    std::size_t count = 0;
    timing::Pause pause;
    std::istringstream words = hear(line);
    words >> word;
    if (word == "end") return 0;
    if (word == "go" && words >> count && count > 0) return count;
    if (word != "pause" || !(words >> pause.begin_ns >> pause.end_ns)) refuse(line);
    pauses.push_back(pause);
  }
}

void say(const char* what) {
  std::printf("turns: %s\n", what);
  std::fflush(stdout);
}

}  // namespace

timing::Measurement measure_in_turns(Instance& instance, const TurnOptions& options) {
  timing::Measurement result;
  result.quantile = timing::kCpuQuantile;
  result.warmup_end = timing::WarmupEnd::skipped;
  result.stop = timing::StopReason::samples;
  double call_s = 0;
  if (options.warm_up) {
    const timing::Run run = timing::time_run(instance);
    call_s =
        options.one_thread ? run.thread_s : 1e-9 * static_cast<double>(run.end_ns - run.begin_ns);
    result.warmup_samples = 1;
  }
  say(("ready " + std::to_string(call_s)).c_str());
  std::size_t count = hear_go();
  // Not before: until here both processes of the pair have all CPUs.
  std::optional<timing::CpuPin> pin;
  if (options.one_thread) pin.emplace();
  std::vector<timing::Run> runs;
  std::vector<timing::Pause> pauses;
  std::size_t turns = 0;
  for (; count > 0; count = hear_what_follows(pauses), ++turns) {
    runs.reserve(runs.size() + count);
    for (std::size_t i = 0; i < count; ++i) runs.push_back(timing::time_run(instance));
    say("done");
  }
  result.samples = timing::samples_of_turns(runs, pauses, options.one_thread);
  result.turns = turns + pauses.size();
  return result;
}

}  // namespace ratchet::bench
