// Two occasions on a machine of one kind differ though the code does not: by the machine, its
// neighbours, its day. Launches within a session cannot see that, however many they are; rows whose
// code is known not to have changed, or earlier occasions, can. In natural logarithms of
// throughput.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ratchet::stats {

struct OccasionShift {
  double centre = 0;     ///< by how much all rows moved
  double deviation = 0;  ///< of a further row or session around that
  double degrees = 0;    ///< degrees of freedom of the deviation
  std::size_t seen = 0;  ///< on how many rows or occasions it rests
  bool of_rows = false;  ///< rows of identical work, not stored occasions
};

/// From ln(now / stored) of rows whose code did not change; nothing for fewer than five.
std::optional<OccasionShift> shift_of_controls(const std::vector<double>& log_ratios);

/// From ln of one row's throughput in each stored session; nothing for fewer than three.
std::optional<OccasionShift> shift_of_occasions(const std::vector<double>& logs);

/// How far from the centre an unchanged row lies with a probability of `error` at most, to either
/// side each: Student's prediction interval, exact where shifts are normal and alike for all rows.
double reach(const OccasionShift& shift, double error);

}  // namespace ratchet::stats
