// One piece of code or data that differs, in a line.
#pragma once

#include <string>
#include <vector>

#include "perf/identity/explain/build_code.h"
#include "perf/identity/explain/listing.h"
#include "perf/identity/explain/work_difference.h"

namespace ratchet::explain {

bool is_code(const PieceChange& change, const BuildCode& before, const BuildCode& now);

/// By how many bytes it differs in size; a piece that is new or gone by all of them.
double size_difference(const PieceChange& change, const BuildCode& before, const BuildCode& now);

/// "step(unsigned long): 24 -> 31 instructions, 76 -> 98 bytes: imul +3, mov +4". Without objdump
/// the bytes alone.
std::string piece_text(const PieceChange& change, const BuildCode& before, const BuildCode& now);

std::string piece_name(const PieceChange& change, const BuildCode& before, const BuildCode& now);

}  // namespace ratchet::explain
