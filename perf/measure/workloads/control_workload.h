// The control workload: fixed CPU work, run between the samples of CPU rows, which measures the
// machine's momentary speed.
//
// A neighbour on the same core, cache or power budget slows both alike. So their ratio varies less
// than the stage's time. The mix resembles compute kernels: integer multiplications and rotations
// in independent chains, four-lane vector arithmetic, and reads that hit the first-level cache. A
// walk through a table larger than that cache is added. It is compiled with its own flags
// (perf/CMakeLists.txt), so that options of the user's build do not change it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/disturbed.h"
#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

/// Increment this with every change to the work or its compilation: rates of different versions
/// must not be compared.
inline constexpr int kControlVersion = 1;

/// One pass takes about 0.5 ms, so that many fit between the samples of a short launch.
class ControlWorkload final : public Instance {
 public:
  ControlWorkload();
  void run() override;
  std::uint64_t units() const override { return 1; }
  /// Checksum of all passes so far. The first pass's belongs to the version: a test holds it.
  std::uint64_t checksum() const { return checksum_; }
  /// One pass by the wall clock, on the last allowed CPU. Touches the data first, so that the cache
  /// state left by the stage does not count.
  Sample time();

 private:
  std::vector<std::uint32_t> small_, large_;
  std::uint64_t checksum_ = 0;
};

/// Runs the control workload between samples, for a share of their time.
class ReferenceMeter {
 public:
  /// `share`: of the samples' time. Makes at least one pass after the first sample.
  explicit ReferenceMeter(std::function<Sample()> pass, double share = 0.1)
      : pass_(std::move(pass)), share_(share) {}

  /// Call after each sample, which took `seconds`.
  void after(double seconds);
  /// Completes `least` passes, since a row of microseconds has made only one.
  void finish(std::size_t least = 5);
  /// Passes per second, by the same quantile as CPU rows, without preempted passes as for samples.
  /// 0 before the first pass.
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
