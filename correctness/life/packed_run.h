// A reference fast enough for thousands of generations: 64 cells at once.
#pragma once

#include "kernels/life/life.h"

namespace ratchet::life {

/// The universe after `generations` generations with a dead border. Tested against reference_run.
Grid packed_run(Grid grid, std::uint64_t generations);

}  // namespace ratchet::life
