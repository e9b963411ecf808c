// A fixed piece of CPU work, run between the samples of CPU rows: what the machine gave at that
// moment.
//
// A neighbour on the same core, cache or power budget slows a stage and this work alike, so their
// ratio moves less than the stage's own time. The mix is that of compute kernels: integer
// multiplications and rotations in independent chains, four-lane vector arithmetic, reads that hit
// the first-level cache, and a walk through more than that level holds. It is compiled with flags
// of its own (perf/CMakeLists.txt), so that no option of the user's build changes it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/preemption.h"
#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

/// To be raised with any change to the work or to how it is compiled: rates of different versions
/// must not be compared.
inline constexpr int kControlVersion = 1;

/// One pass, some 0.5 ms: short enough to fit many times between the samples of a short launch.
class ControlWorkload final : public Instance {
 public:
  ControlWorkload();
  void run() override;
  std::uint64_t units() const override { return 1; }
  /// Of all passes so far. The first pass's is part of the version: a test holds it.
  std::uint64_t checksum() const { return checksum_; }
  /// One pass by the wall clock, on the last CPU allowed, after touching the data: what the stage
  /// left in the caches is not the machine's speed.
  Sample time();

 private:
  std::vector<std::uint32_t> small_, large_;
  std::uint64_t checksum_ = 0;
};

/// Runs a reference between samples, for a share of their time.
class ReferenceMeter {
 public:
  /// `share`: of the samples' time; at least one pass is made after the first sample.
  explicit ReferenceMeter(std::function<Sample()> pass, double share = 0.1)
      : pass_(std::move(pass)), share_(share) {}

  /// To be called after each sample that took `seconds`.
  void after(double seconds);
  /// Makes up to `least` passes: a row done within microseconds had one, which says little.
  void finish(std::size_t least = 5);
  /// Passes per second, by the same quantile as CPU rows; disturbed passes are left out as
  /// disturbed samples are. 0 before the first.
  double per_second() const;
  std::size_t passes() const { return clean_.size() + disturbed_.size(); }

 private:
  void take();

  std::function<Sample()> pass_;
  double share_;
  double owed_s_ = 0;
  std::vector<Sample> clean_, disturbed_;
};

}  // namespace ratchet::timing
