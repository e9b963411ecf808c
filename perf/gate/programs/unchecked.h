// What is to be said of rows that nobody vouches for: what they compute, and that they measure
// anything.
#pragma once

#include <string>
#include <vector>

#include "perf/gate/rule/compare_rows.h"

namespace ratchet::gate {

/// One line where there are rows that nobody checks, with how to have them checked; else empty.
std::string unchecked_note(const Measurements& measured);

/// Remarks on rows of other people's programs that measure nothing, by what was measured now.
void remark_on_resolution(std::vector<RowReport>& reports, const Measurements& measured);

}  // namespace ratchet::gate
