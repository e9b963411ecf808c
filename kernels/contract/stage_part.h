// Other stages that a stage runs as parts of its own.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/contract/stage.h"

namespace ratchet {

/// A stage's name that a compiler knows, so that find_part()'s own name in an object file spells it.
template <std::size_t size>
struct PartName {
  char text[size];
  consteval PartName(const char (&name)[size]) { std::copy_n(name, size, text); }
};

/// What find_part() calls. A stage that calls it by itself has no digest of work.
const Stage* find_stage_part(const char* name);

/// As find_stage(), by a name in the source: `find_part<"life/cpu/05_simd">()`. The digest of work
/// (perf/counters) of the stage that calls it takes in that of the part. A stage that finds others
/// otherwise has no digest, and a clock has to tell whether its work is slower.
template <PartName name>
[[gnu::noinline]] const Stage* find_part() {
  return find_stage_part(name.text);
}

}  // namespace ratchet
