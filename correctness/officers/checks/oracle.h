// The stored values of officers, and states made of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/officers/values/state.h"

namespace ratchet::officers {

/// G(0) ... G(2^17 - 1), on which two independent methods agree (first_131072.txt).
const std::vector<std::uint16_t>& oracle_values();
/// The 1584 rare positions known (rare_1584.tsv).
const std::vector<Rare>& oracle_rares();
/// The state before position `next` <= 2^17.
State oracle_state(std::uint64_t next, std::uint64_t reach = std::uint64_t{1} << 20);

}  // namespace ratchet::officers
