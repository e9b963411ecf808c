// What a program that measures sees of every rank's runs on a GPU. Stages know nothing of it, and
// programs that only test have none.
#pragma once

#include <memory>
#include <string>

namespace ratchet::ranks {

/// One rank's GPU in one run.
struct DeviceSpan {
  double end_s = 0;   ///< from the common barrier to the end of the last kernel or transfer
  double work_s = 0;  ///< kernels and transfers, summed; those of communication, too
  double communication_s = 0;  ///< of that, NCCL's
  double sm_clock_mhz = 0;     ///< mean over the run; 0 when it could not be read
};

/// On one rank, one run at a time: prepare(), the barrier, started(), the run, ended().
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Why what this rank's GPU does now should not be measured ("it is in use by 1 other process"),
  /// or "". Asked when a part is made.
  virtual std::string objection() = 0;
  virtual void prepare(const std::string& stage) = 0;
  virtual void started() = 0;
  /// Nothing where the run left no records.
  virtual DeviceSpan ended() = 0;
};

/// From now on, on this rank, until the end of its Session. To be called before there is one, on all
/// ranks alike.
void observe_runs(std::unique_ptr<RunObserver> observer);
/// nullptr: nobody.
RunObserver* run_observer();

}  // namespace ratchet::ranks
