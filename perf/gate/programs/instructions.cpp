#include "perf/gate/programs/instructions.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "perf/gate/programs/profile.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"

namespace ratchet::gate {

ChildCounter::Event ChildCounter::instructions = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};

ChildCounter::ChildCounter(Event event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;        // of this process nothing is counted,
  attributes.enable_on_exec = 1;  // of what it becomes, everything
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  descriptor_ =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (descriptor_ >= 0) return;
  refusal_ = fmt::format("perf_event_open: {}", std::strerror(errno));
  if (errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV)
    refusal_ = "this machine has no counter of them (perf_event_open)";
  if (errno == EACCES || errno == EPERM)
    refusal_ = "its counter is not allowed here (sysctl kernel.perf_event_paranoid=2)";
}

ChildCounter::~ChildCounter() {
  if (descriptor_ >= 0) close(descriptor_);
}

double ChildCounter::count() const {
  if (descriptor_ < 0) throw Error(refusal_);
  struct {
    std::uint64_t count, enabled, running;
  } counted{};
  if (read(descriptor_, &counted, sizeof counted) != sizeof counted)
    throw Error(fmt::format("its counter cannot be read: {}", std::strerror(errno)));
  if (counted.running < counted.enabled)
    throw Error("others use the CPU's counters, so that it would be an estimate; stop them");
  return static_cast<double>(counted.count);
}

double count_of_a_call(const std::function<CountedLaunch(std::int64_t calls)>& launch,
                       std::int64_t calls) {
  const CountedLaunch once = launch(calls), twice = launch(2 * calls);
  if (twice.calls <= once.calls)
    throw Error(fmt::format("asked for {} calls, and for {}, it made {} and {}", calls, 2 * calls,
                            once.calls, twice.calls));
  return std::max(0., std::round((twice.count - once.count) / (twice.calls - once.calls)));
}

std::int64_t calls_to_count(double timed) {
  return std::int64_t{1} << std::clamp(std::ilogb(std::max(timed, 1.)), 0, 40);
}

/// Callgrind's count is that of the functions which `explain` shows.
double ThirdPartyProgram::instructions_of_a_call(const OfRow& of,
                                                 const LaunchRequest& request) const {
  LaunchRequest short_request = request;
  short_request.budget_s = shortest_s;
  const auto launch_of = [&](std::int64_t calls) {
    short_request.calls = calls;
    const Launched launched = launch(of.row, short_request);
    if (!launched.outcome.launch) throw Error(launched.outcome.failure);
    return static_cast<double>(launched.outcome.launch->iterations);
  };
  const bool by_cpu = of.metric.kind.unit != callgrind_unit;
  // An older program is not told its calls, and neither is a row that states them.
  const std::int64_t calls = takes_calls(of.row) ? calls_to_count(launch_of(0)) : 0;
  if (by_cpu)
    return count_of_a_call(
        [&](std::int64_t asked) {
          const ChildCounter counter;
          const double made = launch_of(asked);
          return CountedLaunch{made, counter.count()};
        },
        calls);
  ProgramOptions alone = program_;
  alone.metrics.clear();
  alone.stored_metrics.clear();
  alone.say = {};
  const Profile counted = record_row(alone, of.row, Profiler::callgrind, static_cast<double>(calls),
                                     "leave this metric of it out");
  return std::round(counted.total());
}

/// Instructions or energy, in processes of their own: neither Callgrind nor a number of calls
/// leaves the time as it is.
LaunchOutcome ThirdPartyProgram::count(const OfRow& of, const LaunchRequest& request) const {
  const double start_s = seconds_now();
  LaunchOutcome outcome;
  outcome.basis = of.metric.kind.text();
  try {
    const double count = is_energy_metric(of.metric.name) ? energy_of(of, request)
                                                          : instructions_of_a_call(of, request);
    Launch counted;  // a launch has a time, which nothing is judged by
    counted.real_ms = 1e3 * (seconds_now() - start_s);
    outcome.launch = metric_launch(counted, of.metric, count);
    if (check_.passed()) outcome.launch->counters[counter::verified] = 1;
  } catch (const Error& error) {
    outcome.failure = error.what();
  }
  outcome.seconds = seconds_now() - start_s;
  return outcome;
}

/// In the unit of what counts them here. Throws `Error` where nothing does, and for another unit.
Metric ThirdPartyProgram::counted_metric(const RowId& row, Metric metric) const {
  const std::string hardware_unit = read_metric(instructions_metric, {}).kind.unit;
  if (metric.kind.unit != hardware_unit && metric.kind.unit != callgrind_unit)
    throw Error(fmt::format("--metric {0}={1}: {0} are counted, not in {1}; leave the unit out",
                            metric.name, metric.kind.unit));
  if (const std::string why = not_on_cpu(); !why.empty())
    throw Error(fmt::format("--metric {}: {}, and its instructions are not counted; leave it out",
                            metric.name, why));
  std::string why = ChildCounter().refusal();
  if (why.empty() && !takes_calls(row))
    why = "its number of calls cannot be set (Google Benchmark 1.8 can, if a row states none)";
  metric.kind.unit = why.empty() ? hardware_unit : callgrind_unit;
  if (why.empty()) return metric;
  if (const std::string refusal = valgrind_refusal(); !refusal.empty())
    throw Error(fmt::format("--metric {}: neither the CPU nor Callgrind counts them here: {}; {}",
                            metric.name, why, refusal));
  if (program_.say && program_.require_metrics && !said_callgrind_) {
    said_callgrind_ = true;
    program_.say(
        fmt::format("instructions are counted by Callgrind (unit {}), not by the CPU: {}: {}",
                    callgrind_unit, row, why));
  }
  return metric;
}

}  // namespace ratchet::gate
