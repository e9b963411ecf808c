// Why rows are slower or faster: what differs in what two builds execute (perf/identity/explain).
#pragma once

#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

/// Fills RowReport::reasons of the rows that are slower or faster, where both programs are ours,
/// and of the first few of them RowReport::listing. Takes a second or two, and none where there is
/// no such row. Never throws for what the builds lack: the row's line says it, and a listing that
/// cannot be had is empty.
void add_reasons(std::vector<RowReport>& reports, const BenchProgram& before,
                 const BenchProgram& now);

}  // namespace ratchet::gate
