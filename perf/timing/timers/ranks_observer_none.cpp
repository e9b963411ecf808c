// make_ranks_observer() of a build without the CUDA toolkit.
#include "perf/timing/timers/ranks_observer.h"

namespace ratchet::timing {

std::unique_ptr<ranks::RunObserver> make_ranks_observer() { return nullptr; }

}  // namespace ratchet::timing
