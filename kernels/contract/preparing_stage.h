// Another stage, to make what a stage starts from.
#pragma once

#include <string_view>

#include "kernels/contract/stage.h"

namespace ratchet {

/// As find_stage(), for prepare() to let the fastest stage at hand make an input that is the same
/// whoever makes it: the first values of a sequence, say. What it runs is no part of what the stage
/// executes in the timed act, and digests of work do not follow it (rule D10 of digests/README.md in
/// perf); parts that run there are found by find_part().
const Stage* find_preparing_stage(std::string_view name);

}  // namespace ratchet
