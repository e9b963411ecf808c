// What the tests and the quick check of the life stages share.
#pragma once

#include <string>

#include "kernels/life/life.h"

namespace ratchet::life {

/// The universe after `generations` generations by reference/life.
Grid reference_run(const Grid& start, std::uint64_t generations, Edge edge);

/// "" when equal; else the sizes, or how many cells differ and the first: "3 of 100 cells differ,
/// first at (x 4, y 7): expected dead, is alive".
std::string difference(const Grid& expected, const Grid& actual);

/// The parameters of `stage` for a universe of this size. `edge` must be dead where the stage has
/// no torus.
Parameters parameters_for(const LifeStage& stage, std::uint64_t width, std::uint64_t height,
                          std::uint64_t steps, Edge edge = Edge::dead);

/// Runs the stage from `start`, `runs` runs of `steps` steps each.
Grid stage_run(const LifeStage& stage, const Grid& start, std::uint64_t steps,
               std::uint64_t runs = 1, Edge edge = Edge::dead);

/// Whether the stage offers a torus.
bool has_torus(const LifeStage& stage);

}  // namespace ratchet::life
