// How the ranks of a row spent their time. The row's own time is the span of the slowest rank.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet::bench {

class RankRecord {
 public:
  /// Adds the last run of an instance; ignores instances without ranks.
  void look(const Instance& instance);

  /// The number of ranks, or 0.
  std::size_t ranks() const { return ranks_; }
  /// How much later the last rank finished its own work than the first, as a share of the run's
  /// time: the median of the runs. Own work is the span without communication, since a rank that
  /// has finished waits in communication.
  double spread() const;
  /// Communication time of the rank that waited least, in seconds: the cost of communication
  /// without waiting. The median of the runs.
  double communication_s() const;
  /// The slowest and the fastest SM clock of all ranks' GPUs in any run, in MHz; 0 without GPUs.
  double lowest_clock_mhz() const { return lowest_mhz_; }
  double highest_clock_mhz() const { return highest_mhz_; }

 private:
  std::size_t ranks_ = 0;
  std::vector<double> spreads_, communication_s_;
  double lowest_mhz_ = 0, highest_mhz_ = 0;
};

}  // namespace ratchet::bench
