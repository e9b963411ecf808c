// What rows execute, as digests: of the machine code by the build's word, and of the parameters.
#pragma once

#include <map>

#include "perf/identity/explain/row_work.h"
#include "perf/measure/bench/options.h"
#include "perf/measure/bench/rows.h"

namespace ratchet::bench {

/// By row, for rows of which it is known; none for a program whose build left no manifest, or with
/// --ratchet_slowdown, which adds work. Throws `Error` for a manifest of another form, and an input
/// that cannot be read.
std::map<RowId, explain::RowWork> work_of(const Selection& selection, const Options& options);

}  // namespace ratchet::bench
