// The vectors of 05_simd, which 06 works on with several threads.
#pragma once

#include "kernels/life/packed/cpu_stage.h"

namespace ratchet::life {

/// A row-packed field, a vector at a time, for the best instruction set of this machine.
struct SimdRows : GridRows {
  static void advance(const Step<std::uint64_t>& step);
};

/// Operations on 64-bit lanes a cell, for StageInfo.limit: with AVX-512, 61 on eight lanes for 512
/// cells.
inline constexpr double kSimdOpsPerCell = 61 * 8 / 512.0;

}  // namespace ratchet::life
