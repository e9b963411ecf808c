// States to start from, made once per process.
#pragma once

#include "kernels/officers/officers.h"

namespace ratchet::officers {

/// The verified stage that gets on fastest from `state` here; on the CPU unless `device`.
const OfficersStage& fastest_stage(const State& state, bool device);

/// The values before `start`, verified, by the fastest way that this machine has: on a CPU about a
/// second for 2^20, by a GPU as much for 2^26. Keeps kept_at_either_end of them, so all up to 2^24.
/// Later calls go on from what earlier ones made.
State state_at(std::uint64_t start);
inline constexpr std::uint64_t kept_at_either_end = std::uint64_t{1} << 24;

}  // namespace ratchet::officers
