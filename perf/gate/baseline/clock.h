// By which of its times a row is judged. Both sides of a comparison are judged by one clock.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "perf/gate/baseline/measurements.h"
#include "perf/support/process.h"

namespace ratchet {

/// --clock: the clock of the rows of third-party programs.
enum class ClockChoice { automatic, cpu, wall };

/// "cpu", "wall", "gpu", "manual"; empty where it is not known.
std::string to_string(Clock clock);
/// The same, but for a row that waits "wall, it waits".
std::string stored_text(Clock clock);
/// The inverse of stored_text(); nothing for another text.
std::optional<Clock> clock_of(const std::string& stored);

/// The row's own, where it states one. Ratchet's own rows state the timer of their launches. Of
/// older files the throughput, the work of a call and the times show which time was the divisor.
Clock clock_of(const Row& row);

/// The time of one call by this clock, milliseconds.
double call_ms(const Launch& launch, Clock clock);

/// The row by another of its clocks: throughputs are rescaled by its two times. As it is, where
/// one of the clocks is not known, or is not one of a CPU's.
Row by_clock(const Row& row, Clock clock);

/// Both rows by one clock: that of `now`; wall time where one of them waits, unless the user named
/// a clock. As they are, where one of the clocks is not known or not one of a CPU's.
std::pair<Row, Row> on_one_clock(const Row& before, const Row& now);

/// Adds the launches of `more` to those of `row`. Where their clocks differ and are those of a CPU,
/// all are taken by wall time.
void add_launches(Row& row, const Row& more);

/// Whether a launch spends most of its time waiting, and certainly was not kept from its CPU: the
/// kernel counted at least one sleep a call, and most of the time off the CPU was not in the run
/// queue. `scheduled`: of the program's main thread. False where that is not known.
bool mainly_waits(const Launch& launch, const std::optional<Scheduled>& scheduled);

/// counter::queued of a launch by `clock` of a program that ran for `seconds`; nothing where
/// waiting for a CPU does not lengthen that time, or is not known.
std::optional<double> queued_share(const Launch& launch, Clock clock,
                                   const std::optional<Scheduled>& scheduled, double seconds);

}  // namespace ratchet
