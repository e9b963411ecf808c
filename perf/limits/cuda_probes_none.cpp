// cuda_probes() of a build without the CUDA toolkit.
#include "perf/limits/probes.h"

namespace ratchet::limits {

std::vector<Probe> cuda_probes() { return {}; }

}  // namespace ratchet::limits
