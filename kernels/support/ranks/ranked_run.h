// A prepared stage whose parts lie on several ranks, as rank 0 sees it; and what the others do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/support/ranks/part.h"

namespace ratchet::ranks {

/// What one rank took for a run, from the common barrier on.
struct RankTime {
  double span_s = 0;           ///< until it was done, by its own clock; on a GPU by CUPTI's
  double communication_s = 0;  ///< of that, in calls of the communicator, and in NCCL
  double work_s = 0;           ///< kernels and transfers of its GPU, summed; 0 without CUPTI
  double sm_clock_mhz = 0;     ///< of its GPU; 0 without one
  bool of_device() const { return work_s > 0; }
};

/// Of the last run, by rank.
class RankTimed {
 public:
  virtual ~RankTimed() = default;
  virtual const std::vector<RankTime>& rank_times() const = 0;
};

/// Those of the last run of an instance; nullptr for one that has no ranks. (Not a cast where they
/// are wanted: what a program's own objects know of Instance would come before what stages know.)
const std::vector<RankTime>* rank_times_of(const Instance& instance);

/// The slowest rank's span: the time of the run.
double slowest_s(const std::vector<RankTime>& times);
/// The same with the most that one rank's GPU worked; that is the span where there is none.
DeviceTime slowest_of(const std::vector<RankTime>& times);

/// Makes a part on each of parameters.at("ranks") ranks; lives on rank 0. Throws `Error` naming the
/// rank and its host for what a rank could not make; the job goes on then. What fails in a run ends
/// the job.
class RankedRun {
 public:
  /// `stage` must be a RankedStage, and registered where there is more than one rank.
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

/// The part of Instance that all ranked instances have alike: `Base` is the family's own kind of
/// instance, which is left to say units() and its result.
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
/// What every rank but 0 does: makes, runs and drops parts as rank 0 says, until that leaves.
void follow(Job& job);

}  // namespace ratchet::ranks
