// Samples taken while the GPU is clocked down are repeated, for a while.
#pragma once

#include <cstddef>
#include <vector>

#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

struct ThrottleRule {
  /// Throttled: the SM clock is below this share of the highest seen with this row. Not of the
  /// clock on the data sheet: a machine whose clocks are locked low would never be measured.
  double fraction = 0.75;
  std::size_t max_repeats = 20;  ///< repeats in all; after them, samples are kept and flagged
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

  /// Learns the clock of a sample that is not judged (warm-up).
  void observe(const Sample& sample);
  Verdict judge(const Sample& sample);
  /// How long to let the GPU rest before the repeat just asked for.
  double pause_s() const;
  /// Forgets samples that the highest clock, known only now, shows to be throttled; if all are,
  /// keeps all of them, flagged: a result is never empty.
  std::vector<Sample> settle(std::vector<Sample> samples) const;

  double highest_mhz() const { return highest_mhz_; }

 private:
  bool throttled(const Sample& sample) const;

  ThrottleRule rule_;
  double highest_mhz_;
  std::size_t repeats_ = 0;
};

}  // namespace ratchet::timing
