// Absolute limits from the command line, on figures of this run whatever the other side is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/rule/facts.h"

namespace ratchet::gate {

struct StatedLimit {
  std::string rows;   ///< a filter (kernels/contract/row_filter.h)
  bool below = true;  ///< the figure has to lie below the value; else above
  double value = 0;   ///< positive
  std::string unit;   ///< may be empty

  std::string text() const;  ///< "< 5 ms"
};

/// Parses "Parse/time<5ms" or "score>90 points"; ROWS may contain both marks. Throws `Error`
/// quoting the text for anything else.
StatedLimit read_limit(const std::string& text);

/// Before anything is measured. Throws `Error` for a limit that selects none of the rows, or whose
/// unit does not fit one of them. `units`: CodeIdentity::units.
void check_limits(const std::vector<StatedLimit>& limits, const std::set<RowId>& rows,
                  const std::map<RowId, std::string>& units);

/// Sets Facts::limits: a limit is held against the median over the launches of this run, by its two
/// one-sided bounds, each wrong with a probability of 5 % at most. A unit is that of a figure that
/// a command printed, or another one of time or size; of all other rows one of the time of a call,
/// or of throughput ("items/s"). Throws `Error` for a unit that does not fit.
void judge_limits(std::vector<Facts>& rows, const std::vector<StatedLimit>& limits,
                  const Measurements& measured);

}  // namespace ratchet::gate
