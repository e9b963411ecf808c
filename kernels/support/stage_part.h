// Other stages that a stage runs as parts of its own.
#pragma once

#include "kernels/stage.h"

namespace ratchet {

/// Before the array that spells a part's name: `RATCHET_STAGE_PART constexpr char simd[] =
/// "life/cpu/05_simd";`. It puts the name where digests of work (perf/counters) find it: the digest
/// of a stage takes in those of the parts that it names so.
#define RATCHET_STAGE_PART [[gnu::section(".rodata.ratchet_stage_part")]]

/// As find_stage(), for names that RATCHET_STAGE_PART marks. A stage that finds others otherwise
/// has no digest, and a clock has to tell whether its work is slower.
const Stage* find_part(const char* name);

}  // namespace ratchet
