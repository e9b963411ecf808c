// Observes every rank's runs on a GPU, for programs that measure. Stages do not use it, and test
// programs have none.
#pragma once

#include <memory>
#include <string>

namespace ratchet::ranks {

/// One rank's GPU in one run.
struct DeviceSpan {
  double end_s = 0;   ///< from the common barrier to the end of the last kernel or transfer
  double work_s = 0;  ///< sum of kernels and transfers, including communication
  double communication_s = 0;  ///< of that, NCCL's
  double sm_clock_mhz = 0;     ///< mean over the run; 0 if unknown
};

/// On one rank, one run at a time: prepare(), the barrier, started(), the run, ended().
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Why this rank's GPU should not be measured now ("it is in use by 1 other process"), or "".
  /// Called when a part is made.
  virtual std::string objection() = 0;
  virtual void prepare(const std::string& stage) = 0;
  virtual void started() = 0;
  /// Nothing if the run left no records.
  virtual DeviceSpan ended() = 0;
};

/// Sets the observer of this rank until the end of its Session. Call it before the Session, on all
/// ranks.
void observe_runs(std::unique_ptr<RunObserver> observer);
/// nullptr without an observer.
RunObserver* run_observer();

}  // namespace ratchet::ranks
