// Digests of what rows execute: of the machine code, from the build's manifest, and of parameters.
#pragma once

#include <map>

#include "perf/identity/explain/row_work.h"
#include "perf/measure/bench/options.h"
#include "perf/measure/bench/rows.h"

namespace ratchet::bench {

/// By row, for rows with a known digest. Empty for a program without a manifest, and with
/// --ratchet_slowdown, which adds work. Throws `Error` for a malformed manifest and for an
/// unreadable input.
std::map<RowId, explain::RowWork> work_of(const Selection& selection, const Options& options);

}  // namespace ratchet::bench
