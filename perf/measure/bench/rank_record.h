// What the ranks of a row did with their time, beside the slowest one's span, which is the row's.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet::bench {

class RankRecord {
 public:
  /// Takes in the last run of an instance; nothing of one that has no ranks.
  void look(const Instance& instance);

  /// How many ranks there were; 0 where there are none.
  std::size_t ranks() const { return ranks_; }
  /// How much later the last rank was done with its own work than the first, as a share of the
  /// run's time: the median of the runs. Own work is what is left of a span without communication,
  /// in which those that are done wait for the others.
  double spread() const;
  /// What the rank that waited least spent in communication: its cost, without waiting for others'
  /// work. The median of the runs, seconds.
  double communication_s() const;
  /// The slowest and the fastest SM clock of all ranks' GPUs in any run, in MHz; 0 where there are
  /// none.
  double lowest_clock_mhz() const { return lowest_mhz_; }
  double highest_clock_mhz() const { return highest_mhz_; }

 private:
  std::size_t ranks_ = 0;
  std::vector<double> spreads_, communication_s_;
  double lowest_mhz_ = 0, highest_mhz_ = 0;
};

}  // namespace ratchet::bench
