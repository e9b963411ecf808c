// The bodies of CPU stages that other stages spread over threads, or run beside a GPU.
#pragma once

#include "kernels/tiny_mc/walks/cpu_stage.h"

namespace ratchet::tiny_mc {

/// Operations on 64-bit lanes for a photon, counted in the code for AVX-512: those of a row of
/// sixteen photons, of which 8 lanes make two each, times 75.667 collisions. Loads, stores, moves
/// and the scalar counting of shells are left out. The rejection loop's 24 run 2.7 times.
inline constexpr double kRejectionOps = (79 + 2.70 * 24) / 2 * 75.667;
inline constexpr double kDirectOps = 77.0 / 2 * 75.667;
inline constexpr double kRadialOps = 49.0 / 2 * 75.667;

/// How they make numbers of words.
inline constexpr Draws kRejectionDraws{Draws::Unit::middles, Draws::Direction::rejection,
                                       /*signed_cosines=*/true};
inline constexpr Draws kDirectDraws{Draws::Unit::middles, Draws::Direction::height_and_octant,
                                    /*signed_cosines=*/true};
inline constexpr Draws kRadialDraws{Draws::Unit::middles, Draws::Direction::radial,
                                    /*signed_cosines=*/true};

Body rejection_body();  ///< cpu_02_simd.cpp
Body direct_body();     ///< cpu_04_direct.cpp
Body radial_body();     ///< cpu_05_radial.cpp

}  // namespace ratchet::tiny_mc
