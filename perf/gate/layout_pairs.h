// Pairs of other layouts of both programs, of rows that are slower or faster as built.
#pragma once

#include <vector>

#include "perf/gate/rule/facts.h"
#include "perf/gate/run/judging.h"
#include "perf/gate/run/run.h"

namespace ratchet::gate {

/// 53: sets Facts::in_layouts of rows of a third-party program that are slower or faster as built,
/// and of those that seem so where the budget has time for them. `run`: of the two programs, with
/// the pairs from which `rows` are; `pairs`: how they were judged. Where it cannot be done, a line
/// of progress says why.
void measure_in_layouts(Run& run, PairOptions pairs, std::vector<Facts>& rows);

}  // namespace ratchet::gate
