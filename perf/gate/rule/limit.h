// Absolute limits on figures of this run, whatever the other side is.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/baseline/stated_limit.h"
#include "perf/gate/rule/facts.h"

namespace ratchet::gate {

/// The launches of a row without which a limit stays undecided.
std::size_t launches_for_limits();

/// The rows that one of these limits is of.
std::set<RowId> limited_rows(const std::vector<StatedLimit>& limits, const std::set<RowId>& rows);

/// Sets Facts::limits: a limit is held against the median over the launches of this run, by its two
/// one-sided bounds, each wrong with a probability of 5 % at most. A unit is that of a figure that
/// a command printed, or another one of time or size; of all other rows one of the time of a call,
/// or of throughput ("items/s"). A limit that is not stored replaces the stored ones of its rows.
/// Throws `Error` for a unit that does not fit; a stored limit then stays undecided.
void judge_limits(std::vector<Facts>& rows, const std::vector<StatedLimit>& limits,
                  const Measurements& measured);

}  // namespace ratchet::gate
