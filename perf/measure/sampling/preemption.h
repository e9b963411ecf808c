// Samples during which the kernel took the CPU away.
//
// A thread that another one contended comes back some milliseconds later, to caches that are no
// longer its own. Linux counts such switches (getrusage, ru_nivcsw), so the samples they fell into
// are known and can be repeated, as throttled ones are on a GPU. A machine so busy that hardly any
// sample is clean is measured all the same, and says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

/// Whose switches count.
enum class Watched {
  thread,   ///< the calling thread: stages kept on one CPU
  process,  ///< all threads, ended ones too: a contended worker delays its run as well. A thread
            ///< that yields to another one waiting counts as contended, which is what it is.
  nobody,   ///< device time does not feel the CPU
};

/// Involuntary context switches so far (getrusage(2)); 0 where the system does not count them.
std::uint64_t involuntary_switches(Watched watched);

struct PreemptionRule {
  bool repeat = true;  ///< false: keep every sample (device time does not feel the CPU)
  /// Clean samples stand alone when there are at least so many, or they are at least half of all.
  std::size_t enough = 3;
};

/// The samples that count, of those taken with and without a switch in them.
struct Settled {
  std::vector<Sample> samples;  ///< never empty unless both were
  bool kept_disturbed = false;  ///< too few were clean: the disturbed ones are among them
};
Settled settle_preempted(std::vector<Sample> clean, const std::vector<Sample>& disturbed,
                         const PreemptionRule& rule);

}  // namespace ratchet::timing
