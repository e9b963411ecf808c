// Repeats samples that were taken while the GPU was throttled, up to a limit.
#pragma once

#include <cstddef>
#include <vector>

#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

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

}  // namespace ratchet::timing
