// Preempted samples.
//
// A preempted thread resumes some milliseconds later with cold caches. Linux counts involuntary
// context switches (getrusage, ru_nivcsw), so preempted samples are known and can be repeated, like
// throttled samples on a GPU. On a machine so busy that hardly any sample is clean, preempted
// samples count and are flagged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

/// The threads whose switches count.
enum class Watched {
  thread,   ///< the calling thread: stages pinned to one CPU
  process,  ///< all threads, including ended ones: a preempted worker delays its run. A thread that
            ///< yields to a waiting one counts as preempted.
  none,     ///< device time does not depend on the CPU
};

/// Involuntary context switches so far (getrusage(2)); 0 if the system does not count them.
std::uint64_t involuntary_switches(Watched watched);

struct PreemptionRule {
  bool repeat = true;  ///< false: keep every sample (device time does not depend on the CPU)
  /// Preempted samples are dropped if there are at least so many clean ones, or half are clean.
  std::size_t enough = 3;
};

/// Selects the samples that count from the clean and the preempted ones.
struct Settled {
  std::vector<Sample> samples;  ///< never empty unless both were
  bool kept_disturbed = false;  ///< too few clean ones: preempted ones are among them
};
Settled settle_preempted(std::vector<Sample> clean, const std::vector<Sample>& disturbed,
                         const PreemptionRule& rule);

}  // namespace ratchet::timing
