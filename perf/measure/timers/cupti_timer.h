// The CUPTI timer. Only its source file includes CUPTI.
#pragma once

#include <memory>

#include "perf/measure/timers/cupti_library.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::timing {

/// Device time of each run's own kernels. Throws CuptiUnavailable.
std::unique_ptr<Timer> make_cupti_timer(bool sm_clock);

}  // namespace ratchet::timing
