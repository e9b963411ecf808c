// One differing piece of code or data as a line.
#pragma once

#include <string>
#include <vector>

#include "perf/identity/explain/build_code.h"
#include "perf/identity/explain/listing.h"
#include "perf/identity/explain/work_difference.h"

namespace ratchet::explain {

bool is_code(const PieceChange& change, const BuildCode& before, const BuildCode& now);

/// The difference in size in bytes; for a new or removed piece, its size.
double size_difference(const PieceChange& change, const BuildCode& before, const BuildCode& now);

/// "step(unsigned long): 24 -> 31 instructions, 76 -> 98 bytes: imul +3, mov +4". Without objdump,
/// only the bytes.
std::string piece_text(const PieceChange& change, const BuildCode& before, const BuildCode& now);

std::string piece_name(const PieceChange& change, const BuildCode& before, const BuildCode& now);

// The difference of two texts in the format of diff -u.

struct NamedLines {
  std::string name;
  std::vector<std::string> lines;
};

/// The lines of `diff -u` with its two header lines; empty for equal texts. Throws `Error` if diff
/// is missing.
std::vector<std::string> unified_diff(const NamedLines& before, const NamedLines& now);

}  // namespace ratchet::explain
