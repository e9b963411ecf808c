// States to start from, made once per process.
#pragma once

#include "kernels/officers/values/state.h"

namespace ratchet::officers {

/// The values before `start`, verified, by the fastest way that this CPU has: about a second for
/// 2^20. Keeps all of them, up to 2^24. Later calls go on from what earlier ones made.
State state_at(std::uint64_t start);

}  // namespace ratchet::officers
