// What a stage can afford to be asked on the machine at hand.
#pragma once

#include "kernels/life/life.h"

namespace ratchet::life {

/// Cell updates per second of a soup, run() and wait() alone, measured once per process: the
/// largest square up to 8192 that takes some milliseconds. A lower bound for larger universes.
double updates_per_second(const LifeStage& stage);

/// Whether `updates` cell updates are few, or take the stage at most `seconds`.
bool affordable(const LifeStage& stage, double updates, double seconds);

}  // namespace ratchet::life
