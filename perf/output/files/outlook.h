// What would settle the rows that stay undecided.
#pragma once

#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// One line about the undecided rows that were measured in pairs: how many a longer budget is
/// likely to settle, since intervals narrow with the root of the number of pairs, and how many a
/// wider tolerance settles. `seconds`: duration of the run. Empty if there are no such rows.
std::string what_would_settle(const std::vector<RowReport>& reports, double seconds);

/// The same for one undecided row that was measured in pairs: "about 40 s more of this row alone,
/// or a tolerance of 2.1 %". Empty for any other row.
std::string what_would_settle_row(const RowReport& report);

}  // namespace ratchet::gate
