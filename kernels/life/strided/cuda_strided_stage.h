// The universe of life/cuda/05_strided, for stages that fall back on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/life/life.h"

namespace ratchet::life {

/// A universe on the device that advances several generations a pass, as 05 does it. `lane_words`
/// (4 or 8; 0: by the size) and `segments` (0: to fill the device) are 05's parameters. `stage`
/// begins the message of an Error: other lane_words, too little device memory.
std::unique_ptr<Universe> make_strided_universe(const std::string& stage,
                                                const Parameters& parameters, const Grid& start,
                                                std::uint64_t lane_words, std::uint64_t segments);

}  // namespace ratchet::life
