// Samples that were disturbed: on a throttled GPU, or by other threads on a CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

// Repeats samples that were taken while the GPU was throttled, up to a limit.

struct ThrottleRule {
  /// Throttled: the SM clock is below this share of the highest one seen with this row. Not of the
  /// data sheet's clock, since a machine with low locked clocks would never be measured.
  double fraction = 0.75;
  std::size_t max_repeats = 20;  ///< in total; after them, samples are kept and flagged
  double pause_s = 0.05;         ///< before the first repeat; doubles up to max_pause_s
  double max_pause_s = 0.5;
};

/// Judges samples by their clock. Samples of unknown clock are always kept.
class ThrottleGuard {
 public:
  enum class Verdict { keep, repeat, keep_flagged };

  /// `highest_mhz`: the highest clock known so far, 0 if none.
  ThrottleGuard(const ThrottleRule& rule, double highest_mhz)
      : rule_(rule), highest_mhz_(highest_mhz) {}

  /// Records the clock of a warm-up sample.
  void observe(const Sample& sample);
  Verdict judge(const Sample& sample);
  /// The pause before the requested repeat.
  double pause_s() const;
  /// Drops samples that the final highest clock shows to be throttled. If all are, keeps all of
  /// them, flagged, since a result is never empty.
  std::vector<Sample> settle(std::vector<Sample> samples) const;

  double highest_mhz() const { return highest_mhz_; }

 private:
  bool throttled(const Sample& sample) const;

  ThrottleRule rule_;
  double highest_mhz_;
  std::size_t repeats_ = 0;
};

// Preempted samples.
//
// A preempted thread resumes some milliseconds later with cold caches. Linux counts involuntary
// context switches (getrusage, ru_nivcsw), so preempted samples are known and can be repeated, like
// throttled samples on a GPU. On a machine so busy that hardly any sample is clean, preempted
// samples count and are flagged.

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
