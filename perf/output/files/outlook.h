// What would settle the rows that stay undecided.
#pragma once

#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// In one line, of rows that were measured in pairs: how many of the undecided ones a longer budget
/// is likely to settle, as intervals narrow with the root of the number of pairs, and how many a
/// wider tolerance would have settled. `seconds`: what the run took. Empty where nothing measured
/// in pairs is undecided.
std::string what_would_settle(const std::vector<RowReport>& reports, double seconds);

/// The same of one row that was measured in pairs and is undecided: "about 40 s more of this row
/// alone, or a tolerance of 2.1 %". Empty for any other.
std::string what_would_settle_row(const RowReport& report);

}  // namespace ratchet::gate
