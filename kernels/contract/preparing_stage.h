// Finds another stage that makes the input of a stage.
#pragma once

#include <string_view>

#include "kernels/contract/stage.h"

namespace ratchet {

/// Like find_stage(), for prepare(): lets the fastest available stage make an input that every
/// stage makes alike, such as the first values of a sequence. It does not run in the timed act, so
/// digests do not follow it (rule D10 of perf/identity/digests/README.md). For parts that run in
/// the timed act use find_part().
const Stage* find_preparing_stage(std::string_view name);

}  // namespace ratchet
