// A prepared stage with parts on several ranks: rank 0's side, and the loop of the other ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/support/ranks/part.h"

namespace ratchet::ranks {

/// The time of one rank for a run, from the common barrier on.
struct RankTime {
  double span_s = 0;           ///< until its end, by its own clock or on a GPU by CUPTI's
  double communication_s = 0;  ///< of that, in calls of the communicator, and in NCCL
  double work_s = 0;           ///< sum of its GPU's kernels and transfers; 0 without CUPTI
  double sm_clock_mhz = 0;     ///< of its GPU; 0 without one
  bool of_device() const { return work_s > 0; }
};

/// The times of the last run, by rank.
class RankTimed {
 public:
  virtual ~RankTimed() = default;
  virtual const std::vector<RankTime>& rank_times() const = 0;
};

/// The times of the last run of an instance; nullptr for one without ranks. (Not a cast at the
/// caller: the type information of the program's objects would precede that of the stages.)
const std::vector<RankTime>* rank_times_of(const Instance& instance);

/// The slowest rank's span: the time of the run.
double slowest_s(const std::vector<RankTime>& times);
/// The same with the longest GPU work of a rank; the span without GPUs.
DeviceTime slowest_of(const std::vector<RankTime>& times);

/// Makes a part on each of parameters.at("ranks") ranks; exists on rank 0. Throws `Error` naming
/// rank and host if a rank cannot make its part; the job then continues. A failure in a run ends
/// the job.
class RankedRun {
 public:
  /// `stage` must be a RankedStage, and registered if there is more than one rank.
  RankedRun(const Stage& stage, const Parameters& parameters, Start start = {});
  ~RankedRun();
  RankedRun(const RankedRun&) = delete;
  RankedRun& operator=(const RankedRun&) = delete;

  void run();
  void reset();
  void gather();

  /// Whether its parts work on GPUs.
  bool gpu() const { return gpu_; }
  Part& mine() { return *part_; }
  const std::vector<RankTime>& times() const { return times_; }

 private:
  void tell_others(const std::vector<std::byte>& message);
  void make_parts(const Stage& stage, const Parameters& parameters, Start start);

  std::uint32_t size_;
  std::uint64_t id_;
  std::string stage_;
  bool gpu_;
  std::unique_ptr<Communicator> alone_;  ///< of one rank
  Communicator* ranks_ = nullptr;
  std::unique_ptr<Part> part_;
  std::vector<RankTime> times_;
};

/// The common implementation of ranked instances. `Base` is the family's kind of instance, which
/// defines units() and its result.
template <class Base>
class RankedInstance : public Base, public RankTimed {
 public:
  RankedInstance(const Stage& stage, const Parameters& parameters, Start start = {})
      : ranked_(stage, parameters, start) {}

  void run() override { ranked_.run(); }
  void reset() override { ranked_.reset(); }
  std::optional<DeviceTime> device_time() override { return slowest_of(ranked_.times()); }
  const std::vector<RankTime>& rank_times() const override { return ranked_.times(); }

 protected:
  RankedRun& ranked() { return ranked_; }

 private:
  RankedRun ranked_;
};

class Job;
/// The loop of every rank but 0: makes, runs and drops parts at rank 0's command, until rank 0
/// ends.
void follow(Job& job);

}  // namespace ratchet::ranks
