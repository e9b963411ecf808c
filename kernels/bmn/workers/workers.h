// What the CPU stages of bmn share: a record of games, and threads with an even share of the deals.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/bmn/bmn.h"

namespace ratchet::bmn {

/// Vector operations on a lane in a step of play_planes() (cpu_04_planes.cpp), counted in its
/// source. A step is a payment.
inline constexpr double kPlanesOpsPerStep = 97;
/// Mean steps of a game: of 52 cards dealt at random, and of the 40-card deals that the rows of
/// 06_exhaustive begin with.
inline constexpr double kStepsOf52 = 80.1, kStepsOf40 = 36.1;

/// Deal `index` of a stage.
using DealOf = std::function<Deal(const Parameters& parameters, std::uint64_t index)>;

/// What a thread plays: deals `first` to `end` of `seed`, or given ones in their place.
struct HostJob {
  std::uint64_t seed = 0, first = 0, end = 0;
  std::uint32_t cap = 0;
  const Deal* given = nullptr;  ///< indexed from 0 as deal `origin`
  Outcome* each = nullptr;      ///< likewise; null when timed
  std::uint64_t origin = 0;
  /// Of a search; empty: shuffled_deal().
  std::function<Deal(std::uint64_t index)> made = {};

  Deal deal(std::uint64_t index) const {
    if (given != nullptr) return given[index - origin];
    return made ? made(index) : shuffled_deal(seed, index);
  }
};

/// A thread's sums.
class HostRecord {
 public:
  explicit HostRecord(const HostJob& job) : job_(job) {}
  /// With the sums of another process; the deals of games in it are made anew.
  HostRecord(const HostJob& job, Result sums);
  /// Without the deals of the games named in it.
  const Result& sums() const { return sums_; }
  /// Deal `index` is over, or past the cap.
  void game(std::uint64_t index, Outcome outcome);
  /// Adds the sums of another thread, that played later deals.
  void merge(const HostRecord& later);
  /// With the deals of the games named in it.
  Result result() const;

 private:
  HostJob job_;
  Result sums_;
};

/// Plays a job and records each game once.
using PlayJob = void (*)(const HostJob& job, HostRecord& record);

/// A bmn stage on the CPU; adds the parameter "threads" and the text's counts as a sweep.
class CpuBmnStage : public BmnStage {
 public:
  /// `deal_of`: of a search; empty for shuffles.
  CpuBmnStage(StageInfo info, PlayJob play, DealOf deal_of = {});
  std::unique_ptr<Table> prepare_table(const Parameters& parameters) const override;
  std::vector<Outcome> games(const Parameters& parameters) const override;
  std::vector<Outcome> play(const Parameters& parameters,
                            std::span<const Deal> deals) const override;
  Deal deal(const Parameters& parameters, std::uint64_t index) const override;
  bool shuffles() const override { return !deal_of_; }

 private:
  HostJob job_of(const Parameters& parameters) const;

  PlayJob play_;
  DealOf deal_of_;
};

/// What bmn/cpu/04_planes plays with.
void play_planes(const HostJob& job, HostRecord& record);

}  // namespace ratchet::bmn
