#include "perf/measure/interleaving.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>

#include "perf/measure/timers/timer.h"

namespace ratchet::timing {
namespace {

std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t voluntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nvcsw);
}

/// The number and the duration of the pauses within a run.
struct Paused {
  std::uint64_t times = 0;
  std::int64_t ns = 0;
};

Paused paused_time(const Run& run, const std::vector<Pause>& pauses) {
  Paused stood;
  auto pause = std::lower_bound(
      pauses.begin(), pauses.end(), run.begin_ns,
      [](const Pause& each, std::int64_t begin_ns) { return each.end_ns <= begin_ns; });
  for (; pause != pauses.end() && pause->begin_ns < run.end_ns; ++pause) {
    ++stood.times;
    stood.ns += std::min(pause->end_ns, run.end_ns) - std::max(pause->begin_ns, run.begin_ns);
  }
  return stood;
}

}  // namespace

Run time_run(Instance& instance) {
  instance.reset();
  Run run;
  const std::uint64_t waits = voluntary_switches();
  const std::uint64_t switches = involuntary_switches(Watched::process);
  const double cpu_s = process_cpu_seconds();
  run.begin_ns = now_ns();
  const double thread_s = thread_seconds();
  instance.run();
  instance.wait();
  run.thread_s = thread_seconds() - thread_s;
  run.end_ns = now_ns();
  run.cpu_s = process_cpu_seconds() - cpu_s;
  run.waits = voluntary_switches() - waits;
  run.switches = involuntary_switches(Watched::process) - switches;
  return run;
}

Summary summarize_slices(const std::vector<Sample>& samples) {
  Summary summary = summarize(samples, kCpuQuantile);
  summary.seconds = summary.cpu_seconds = 0;
  const double part = 1 / static_cast<double>(samples.size());
  for (const Sample& sample : samples) {
    summary.seconds += part * sample.seconds;
    summary.cpu_seconds += part * sample.cpu_seconds;
  }
  summary.span_seconds = summary.seconds;
  return summary;
}

std::vector<Sample> samples_of_slices(const std::vector<Run>& runs,
                                      const std::vector<Pause>& pauses, bool one_thread) {
  std::vector<Sample> samples;
  std::uint64_t waits = 0, stops = 0;
  for (const Run& run : runs) {
    const Paused stood = paused_time(run, pauses);
    Sample sample;
    sample.seconds = 1e-9 * static_cast<double>(run.end_ns - run.begin_ns - stood.ns);
    sample.span_seconds = sample.seconds;
    sample.cpu_seconds = run.cpu_s;
    sample.preemptions = run.switches;
    samples.push_back(sample);
    waits += run.waits;
    stops += stood.times;
  }
  // A pause counts as leaving the CPU at most once. A stage that leaves it more often waits for
  // something, so its CPU time is not its whole time.
  if (!one_thread || waits > stops) return samples;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    samples[i].seconds = samples[i].span_seconds = runs[i].thread_s;
    samples[i].preemptions = 0;
  }
  return samples;
}

}  // namespace ratchet::timing
