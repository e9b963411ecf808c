// Without a CUDA toolkit there is nothing to count.
#include "perf/counters/code/disassembler.h"
#include "perf/counters/ranges/cupti_range.h"

namespace ratchet::counters {

std::vector<Evidence> counter_evidence(const std::function<bool(const std::string&)>&) {
  throw NoEvidence("this build has no CUDA toolkit, and so no CUPTI");
}

}  // namespace ratchet::counters
