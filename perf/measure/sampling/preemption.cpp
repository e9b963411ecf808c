#include "perf/measure/sampling/preemption.h"

#include <sys/resource.h>

namespace ratchet::timing {

std::uint64_t involuntary_switches(Watched watched) {
  if (watched == Watched::none) return 0;
  rusage usage{};
  if (getrusage(watched == Watched::thread ? RUSAGE_THREAD : RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

Settled settle_preempted(std::vector<Sample> clean, const std::vector<Sample>& disturbed,
                         const PreemptionRule& rule) {
  Settled settled;
  const bool alone =
      !clean.empty() && (clean.size() >= rule.enough || clean.size() >= disturbed.size());
  settled.samples = std::move(clean);
  if (alone || disturbed.empty()) return settled;
  settled.samples.insert(settled.samples.end(), disturbed.begin(), disturbed.end());
  settled.kept_disturbed = true;
  return settled;
}

}  // namespace ratchet::timing
