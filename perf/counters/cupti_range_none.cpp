// Without a CUDA toolkit there is nothing to count.
#include "perf/counters/cupti_range.h"
#include "perf/counters/disassembler.h"

namespace ratchet::counters {

std::vector<Evidence> counter_evidence(const std::function<bool(const std::string&)>&) {
  throw NoEvidence("this build has no CUDA toolkit, and so no CUPTI");
}

}  // namespace ratchet::counters
