#include "perf/gate/baseline/clock.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "perf/gate/baseline/third_party_json.h"

namespace ratchet {
namespace {

constexpr std::array clocks = {Clock::cpu, Clock::wall, Clock::waits, Clock::gpu, Clock::manual};

bool of_a_cpu(Clock clock) {
  return clock == Clock::cpu || clock == Clock::wall || clock == Clock::waits;
}

/// Of ratchet's own rows and of those that ratchet::timing timed; counter_keys.h has the numbers.
Clock by_timer(const Launch& launch) {
  const double timer = launch.counter(counter::timer).value_or(0);
  if (timer == 1 || timer == 2 || timer == 4) return Clock::gpu;
  if (timer != 3) return Clock::unknown;
  // An interleaved row of one thread is timed by its CPU time, unless it waits.
  const bool interleaved = launch.counter(counter::slices) && launch.counter(counter::one_cpu);
  constexpr double waits = 0.9;
  return interleaved && launch.cpu_ms > waits * launch.real_ms ? Clock::cpu : Clock::wall;
}

/// Whether the throughput is the work of a call over this time, but for rounding.
bool divides_by(const Launch& launch, double ms) {
  const double rate = launch.counter(counter::units_per_second).value_or(0);
  const double work = launch.counter(counter::units).value_or(0);
  return work > 0 && std::fabs(rate * ms * 1e-3 - work) <= 1e-6 * work;
}

Clock by_figures(const Row& row) {
  switch (basis_of(row.basis)) {
    case ThroughputBasis::real_time:
      return Clock::wall;
    case ThroughputBasis::cpu_time:
      return Clock::cpu;
    case ThroughputBasis::gpu_samples:
    case ThroughputBasis::gpu_mean:
    case ThroughputBasis::device_time:
      return Clock::gpu;
    default:
      break;
  }
  const auto all = [&](double Launch::*ms) {
    return std::all_of(row.launches.begin(), row.launches.end(),
                       [&](const Launch& launch) { return divides_by(launch, launch.*ms); });
  };
  if (all(&Launch::cpu_ms)) return Clock::cpu;
  return all(&Launch::real_ms) ? Clock::wall : Clock::unknown;
}

}  // namespace

std::string to_string(Clock clock) {
  switch (clock) {
    case Clock::cpu:
      return "cpu";
    case Clock::wall:
    case Clock::waits:
      return "wall";
    case Clock::gpu:
      return "gpu";
    case Clock::manual:
      return "manual";
    case Clock::unknown:
      break;
  }
  return "";
}

std::string stored_text(Clock clock) {
  return clock == Clock::waits ? "wall, it waits" : to_string(clock);
}

std::optional<Clock> clock_of(const std::string& stored) {
  for (const Clock clock : clocks)
    if (stored_text(clock) == stored) return clock;
  return std::nullopt;
}

Clock clock_of(const Row& row) {
  if (row.clock != Clock::unknown || row.launches.empty()) return row.clock;
  const Clock timer = by_timer(row.launches.front());
  return timer != Clock::unknown || row.basis.empty() ? timer : by_figures(row);
}

double call_ms(const Launch& launch, Clock clock) {
  return clock == Clock::cpu ? launch.cpu_ms : launch.real_ms;
}

Row by_clock(const Row& row, Clock clock) {
  const Clock from = clock_of(row);
  if (row.basis.empty() || !of_a_cpu(from) || !of_a_cpu(clock)) return row;
  const auto lacks_time = [&](const Launch& launch) { return !(call_ms(launch, clock) > 0); };
  if (std::any_of(row.launches.begin(), row.launches.end(), lacks_time)) return row;
  Row changed = row;
  changed.clock = clock;
  const ThroughputBasis basis = basis_of(row.basis);
  if (basis == ThroughputBasis::real_time || basis == ThroughputBasis::cpu_time)
    changed.basis =
        to_string(clock == Clock::cpu ? ThroughputBasis::cpu_time : ThroughputBasis::real_time);
  if ((from == Clock::cpu) == (clock == Clock::cpu)) return changed;
  for (Launch& launch : changed.launches)
    launch.counters[counter::units_per_second] *= call_ms(launch, from) / call_ms(launch, clock);
  return changed;
}

std::pair<Row, Row> on_one_clock(const Row& before, const Row& now) {
  const Clock then = clock_of(before), here = clock_of(now);
  if (before.basis.empty() || now.basis.empty() || !of_a_cpu(then) || !of_a_cpu(here))
    return {before, now};
  const bool waits = !now.clock_named && (then == Clock::waits || here == Clock::waits);
  const Clock clock = waits ? Clock::waits : here;
  return {by_clock(before, clock), by_clock(now, clock)};
}

void add_launches(Row& row, const Row& more) {
  if (row.launches.empty()) {
    row.basis = more.basis;
    row.clock = more.clock;
    row.clock_named = more.clock_named;
  }
  const Clock here = clock_of(row), there = clock_of(more);
  Row other = more;
  if (here != there && of_a_cpu(here) && of_a_cpu(there)) {
    const bool waits = here == Clock::waits || there == Clock::waits;
    row = by_clock(row, waits ? Clock::waits : Clock::wall);
    other = by_clock(more, waits ? Clock::waits : Clock::wall);
  }
  row.launches.insert(row.launches.end(), other.launches.begin(), other.launches.end());
}

bool mainly_waits(const Launch& launch, const std::optional<Scheduled>& scheduled) {
  if (!scheduled) return false;
  const auto calls = static_cast<double>(launch.iterations);
  const double off_s = (launch.real_ms - launch.cpu_ms) * calls * 1e-3;
  return launch.cpu_ms < launch.real_ms / 2 && static_cast<double>(scheduled->sleeps) >= calls &&
         scheduled->queued_s < off_s / 2;
}

std::optional<double> queued_share(const Launch& launch, Clock clock,
                                   const std::optional<Scheduled>& scheduled, double seconds) {
  if (!scheduled || (clock != Clock::wall && clock != Clock::manual)) return std::nullopt;
  // A few milliseconds pass before a program runs at all, and a program may state any time.
  constexpr double least_s = 0.02;
  const double measured_s = launch.real_ms * static_cast<double>(launch.iterations) * 1e-3;
  if (scheduled->queued_s < least_s) return 0;
  return scheduled->queued_s / std::max(seconds, measured_s);
}

}  // namespace ratchet
